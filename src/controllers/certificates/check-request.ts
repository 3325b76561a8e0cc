/** Decides which requests each of the cluster's own signers may sign (upstream: pkg/apis/certificates/v1, signer_utils). Pure. */
import {
  type CertificateSigningRequest,
  CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  MASTERS_GROUP,
  parseCertificateRequest,
  type ParsedCertificateRequest,
  pemOfRequest,
} from '../../api/index.ts';

export const NODES_GROUP = 'system:nodes';
export const NODE_PREFIX = 'system:node:';

export type Checked =
  | { readonly ok: true; readonly request: ParsedCertificateRequest }
  | { readonly ok: false; readonly reason: string };

/** Whether the signer that the request names may sign it. Undefined: it is none of ours. */
export function checkForSigner(request: CertificateSigningRequest): Checked | undefined {
  const { signerName, usages = [] } = request.spec;
  const problemOf = CHECKS[signerName];
  if (problemOf === undefined) return undefined;
  const parsed = parseCertificateRequest(pemOfRequest(request));
  if (!parsed.ok) return { ok: false, reason: `unable to parse csr: ${parsed.reason}` };
  const reason = problemOf(parsed.request, usages);
  return reason === undefined ? parsed : { ok: false, reason };
}

type Check = (request: ParsedCertificateRequest, usages: readonly string[]) => string | undefined;

const CHECKS: Readonly<Record<string, Check>> = Object.assign(Object.create(null) as Record<string, Check>, {
  [KUBELET_CLIENT_SIGNER]: (request, usages) => {
    const names = [...request.dnsNames, ...request.emailAddresses, ...request.ipAddresses, ...request.uris];
    if (names.length > 0) return 'subject alternative names are not allowed';
    return nodeProblem(request) ?? usageProblem(usages, 'client auth');
  },
  [KUBELET_SERVING_SIGNER]: (request, usages) => {
    if (request.emailAddresses.length > 0) return 'emailAddresses subjectAltNames are not allowed';
    if (request.uris.length > 0) return 'uri subjectAltNames are not allowed';
    if (request.dnsNames.length + request.ipAddresses.length === 0)
      return 'at least one of dnsNames or ipAddresses is required';
    return nodeProblem(request) ?? usageProblem(usages, 'server auth');
  },
  [CLIENT_SIGNER]: (request, usages) => {
    // A user who may approve requests must not become a master by that.
    if (request.organizations.includes(MASTERS_GROUP)) return `organization ${MASTERS_GROUP} is not signed`;
    const strange = usages.find((usage) => !['client auth', ...OPTIONAL].includes(usage));
    if (strange !== undefined) return `invalid usage for client certificate: ${strange}`;
    return usages.includes('client auth') ? undefined : 'missing required usage "client auth" for client certificate';
  },
} satisfies Record<string, Check>);

const OPTIONAL = ['digital signature', 'key encipherment'];

function nodeProblem({ organizations, commonName, subject }: ParsedCertificateRequest): string | undefined {
  if (organizations.length !== 1 || organizations[0] !== NODES_GROUP)
    return `subject organization is not ${NODES_GROUP}`;
  const node = commonName.startsWith(NODE_PREFIX) ? commonName.slice(NODE_PREFIX.length) : '';
  if (node === '') return `subject common name does not begin with ${NODE_PREFIX}`;
  return subject.length === 2 ? undefined : 'subject has more than an organization and a common name';
}

/** Exactly the purpose, "digital signature" and, for RSA, "key encipherment". */
function usageProblem(usages: readonly string[], purpose: string): string | undefined {
  const needed = [purpose, 'digital signature'];
  const fits = needed.every((usage) => usages.includes(usage));
  const rest = usages.filter((usage) => !needed.includes(usage));
  if (fits && rest.every((usage) => usage === 'key encipherment')) return undefined;
  return `usages did not match [${[...needed, 'key encipherment'].join(' ')}]`;
}
