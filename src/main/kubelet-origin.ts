/** Finds the address of a node's kubelet. Pure. */
import { checkDns1123Subdomain, isIpAddress, type Node, StatusError } from '../api/index.ts';

/** Upstream's flag --kubelet-preferred-address-types, as kubeadm sets it: no name needs to be resolved. */
const PREFERRED = ['InternalIP', 'ExternalIP', 'Hostname'];

/** The port of a node that reports none (upstream: --kubelet-port). */
const DEFAULT_PORT = 10_250;

/** "https://192.0.2.7:10250"; `undefined`: the node reports no address, or no valid address or port. */
export function kubeletOrigin({ status }: Node): string | undefined {
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port || DEFAULT_PORT;
  const addresses = status?.addresses ?? [];
  const address = PREFERRED.map((type) => addresses.find((each) => each.type === type)?.address).find(
    (found) => found !== undefined && found !== '',
  );
  if (address === undefined || !(isIpAddress(address) || checkDns1123Subdomain(address).length === 0)) return undefined;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  return `https://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** What who asks for logs or a stream of such a node is told: upstream's words and code, which has no reason, and the node's name. */
export function noKubeletAddress({ metadata, status }: Node): StatusError {
  const known = (status?.addresses ?? []).map(({ type, address }) => `{${type} ${address}}`).join(' ');
  const message = `node "${metadata?.name ?? ''}": no preferred addresses found; known addresses: [${known}]`;
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
