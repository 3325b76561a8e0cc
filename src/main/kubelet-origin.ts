/** Finds the address of a node's kubelet. Pure. */
import { checkDns1123Subdomain, isIpAddress, type Node } from '../api/index.ts';

/** Upstream's flag --kubelet-preferred-address-types, as kubeadm sets it: no name needs to be resolved. */
const PREFERRED = ['InternalIP', 'ExternalIP', 'Hostname'];

/** "https://192.0.2.7:10250"; `undefined`: the node reports none, or no valid address or port. */
export function kubeletOrigin({ status }: Node): string | undefined {
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  const addresses = status?.addresses ?? [];
  const address = PREFERRED.map((type) => addresses.find((each) => each.type === type)?.address).find(
    (found) => found !== undefined && found !== '',
  );
  if (address === undefined || !(isIpAddress(address) || checkDns1123Subdomain(address).length === 0)) return undefined;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  return `https://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
