/** A pod's resolv.conf (upstream: kubelet/network/dns). Pure. */
import type { Pod } from '../../api/index.ts';
import type { SandboxConfig } from '../../cri/index.ts';

export type Dns = NonNullable<SandboxConfig['dns']>;

/** Limits of resolv.conf (upstream: validation.MaxDNSNameservers …). */
const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const CLUSTER_OPTIONS = ['ndots:5'];

export interface DnsInput {
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  /** The host's own. */
  readonly host: Dns;
}

export function podDns(pod: Pod, { clusterDns, clusterDomain, host }: DnsInput): Dns {
  const base = baseDns(pod, clusterDns, clusterDomain, host);
  const own = pod.spec?.dnsConfig;
  const options = new Map(base.options.map((option) => [option.split(':', 1)[0] ?? option, option]));
  for (const { name = '', value } of own?.options ?? []) {
    options.set(name, value === undefined || value === '' ? name : `${name}:${value}`);
  }
  return {
    servers: unique([...base.servers, ...(own?.nameservers ?? [])]).slice(0, MAX_SERVERS),
    searches: unique([...base.searches, ...(own?.searches ?? [])]).slice(0, MAX_SEARCHES),
    options: [...options.values()],
  };
}

function baseDns(pod: Pod, clusterDns: readonly string[], clusterDomain: string, host: Dns): Dns {
  const { dnsPolicy = 'ClusterFirst', hostNetwork } = pod.spec ?? {};
  if (dnsPolicy === 'None') return { servers: [], searches: [], options: [] };
  const cluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && hostNetwork !== true);
  if (!cluster || clusterDns.length === 0) return host;
  const namespace = pod.metadata?.namespace ?? 'default';
  const searches = [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain, ...host.searches];
  return { servers: clusterDns, searches, options: CLUSTER_OPTIONS };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** Reads /etc/resolv.conf; what it does not know it skips. The last `search` wins, as in resolv.conf(5). */
export function parseResolvConf(text: string): Dns {
  const servers: string[] = [];
  let searches: string[] = [];
  let options: string[] = [];
  for (const line of text.split('\n')) {
    const [word, ...rest] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/);
    if (word === 'nameserver' && rest[0] !== undefined) servers.push(rest[0]);
    else if (word === 'search' || word === 'domain') searches = rest.filter((name) => name !== '.');
    else if (word === 'options') options = rest;
  }
  return { servers, searches, options };
}
