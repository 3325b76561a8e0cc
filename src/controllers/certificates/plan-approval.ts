/** Which requests are approved without a person, and by which right (upstream: the csrapproving controller's recognizers). Pure. */
import {
  canonicalAddress,
  certificateCondition,
  type CertificateSigningRequest,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  nameOf,
  type Node,
  type ParsedCertificateRequest,
} from '../../api/index.ts';
import { checkForSigner, NODE_PREFIX, NODES_GROUP } from './check-request.ts';

export type ApprovalStep =
  /** Not for us, or decided already. */
  | { readonly kind: 'none' }
  /** Approved, if its sender may "create" one of these subresources of requests; they are asked in turn. */
  | { readonly kind: 'ask'; readonly subresources: readonly { readonly name: string; readonly message: string }[] }
  | { readonly kind: 'approve'; readonly message: string }
  /** A person may; we look again when its node changes. */
  | { readonly kind: 'leave'; readonly reason: string };

/** The approver's knowledge of the cluster beside the request. */
export interface Surroundings {
  node(name: string): Node | undefined;
  /** The nodes that report this address (as `canonicalAddress` has it) or host name as their own. */
  nodesWith(address: string): readonly string[];
  /** Addresses of the API server and of its service: certificates for them are its own. */
  readonly serverAddresses: ReadonlySet<string>;
}

const SELF = {
  name: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const OTHERS = {
  name: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

export function planApproval(request: CertificateSigningRequest, surroundings: Surroundings): ApprovalStep {
  const { signerName, username } = request.spec;
  if (request.status?.certificate || certificateCondition(request, 'Failed') !== undefined) return { kind: 'none' };
  if (certificateCondition(request, 'Approved') !== undefined) return { kind: 'none' };
  if (certificateCondition(request, 'Denied') !== undefined) return { kind: 'none' };
  if (signerName !== KUBELET_CLIENT_SIGNER && signerName !== KUBELET_SERVING_SIGNER) return { kind: 'none' };
  const checked = checkForSigner(request);
  if (checked?.ok !== true) return { kind: 'none' };
  if (signerName === KUBELET_CLIENT_SIGNER) {
    const isSelf = username === checked.request.commonName;
    return { kind: 'ask', subresources: isSelf ? [SELF, OTHERS] : [OTHERS] };
  }
  const reason = problemOfServing(request, checked.request, surroundings);
  if (reason !== undefined) return { kind: 'leave', reason };
  return { kind: 'approve', message: 'Auto approving kubelet serving certificate: its names are those of its node.' };
}

/**
 * A node reports its addresses itself, so its word alone is not enough: it cannot get the API server's address, another
 * node's, or one that means every machine.
 */
function problemOfServing(
  { spec }: CertificateSigningRequest,
  { commonName, dnsNames, ipAddresses }: ParsedCertificateRequest,
  surroundings: Surroundings,
): string | undefined {
  const { username, groups = [] } = spec;
  if (username !== commonName || !groups.includes(NODES_GROUP)) return 'it is not for the node that asks';
  const name = commonName.slice(NODE_PREFIX.length);
  const node = surroundings.node(name);
  if (node === undefined) return `node ${name} is not registered`;
  const addresses = node.status?.addresses ?? [];
  const own = new Set([name, ...addresses.map(({ address }) => canonicalAddress(address) ?? address)]);
  for (const asked of [...dnsNames, ...ipAddresses]) {
    if (!own.has(asked)) return `${asked} is no name or address of node ${name}`;
    if (isReserved(asked) || surroundings.serverAddresses.has(asked)) return `${asked} is not a node's to have`;
    const other = surroundings.nodesWith(asked).find((each) => each !== name);
    if (other !== undefined) return `${asked} is also told by node ${other}`;
  }
  return undefined;
}

const RESERVED_NAMES = /^(localhost|kubernetes)$|^kubernetes\.|\.svc$|\.svc\.|\.cluster\.local$|\*/i;
const LOOPBACK = /^127\.|^0\.|^0:0:0:0:0:0:0:[01]$|^0:0:0:0:0:ffff:/;

function isReserved(name: string): boolean {
  return RESERVED_NAMES.test(name) || LOOPBACK.test(name);
}

/** The nodes by each of their names and addresses. */
export function nodesByAddress(nodes: readonly Node[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const node of nodes) {
    const name = nameOf(node);
    const told = (node.status?.addresses ?? []).map(({ address }) => canonicalAddress(address) ?? address);
    for (const address of new Set([name, ...told])) found.set(address, [...(found.get(address) ?? []), name]);
  }
  return found;
}
