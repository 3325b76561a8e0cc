/** A pod's /etc/hosts (upstream: managedHostsFileContent, nodeHostsFileContent). Pure. */
import type { Pod } from '../../api/index.ts';
import { podHostname } from './hostname.ts';

const HEAD = [
  '# Kubernetes-managed hosts file.',
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::\tip6-localnet',
  'fe00::\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

export function etcHosts(pod: Pod, podIps: readonly string[], clusterDomain: string): string {
  const { hostname, domain } = podHostname(pod, clusterDomain);
  const full = domain === '' ? '' : `${hostname}.${domain}\t`;
  const lines = [...HEAD, ...podIps.map((ip) => `${ip}\t${full}${hostname}`)];
  return `${[...lines, ...aliases(pod)].join('\n')}\n`;
}

/** On the host network the node's own file, with the pod's aliases. */
export function hostNetworkEtcHosts(pod: Pod, nodeHosts: string): string {
  const own = nodeHosts.replace(/\n$/, '');
  return `${['# Kubernetes-managed hosts file (host network).', own, ...aliases(pod)].join('\n')}\n`;
}

function aliases(pod: Pod): string[] {
  const hostAliases = pod.spec?.hostAliases ?? [];
  if (hostAliases.length === 0) return [];
  const lines = hostAliases.map(({ ip, hostnames }) => `${ip}\t${(hostnames ?? []).join('\t')}`);
  return ['', '# Entries added by HostAliases.', ...lines];
}
