/** A pod's /etc/hosts (upstream: managedHostsFileContent). Pure. */
import type { Pod } from '../../api/index.ts';
import { podHostname } from './sandbox-config.ts';

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
  const hostname = podHostname(pod);
  const subdomain = pod.spec?.subdomain ?? '';
  const namespace = pod.metadata?.namespace ?? 'default';
  const full = subdomain === '' ? '' : `${hostname}.${subdomain}.${namespace}.svc.${clusterDomain}\t`;
  const lines = [...HEAD, ...podIps.map((ip) => `${ip}\t${full}${hostname}`)];
  const aliases = pod.spec?.hostAliases ?? [];
  if (aliases.length > 0) lines.push('', '# Entries added by HostAliases.');
  for (const { ip, hostnames } of aliases) lines.push(`${ip}\t${(hostnames ?? []).join('\t')}`);
  return `${lines.join('\n')}\n`;
}
