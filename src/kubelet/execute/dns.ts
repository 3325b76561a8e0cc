/** A pod's resolv.conf (upstream: kubelet/network/dns). Pure. */
import type { Pod } from '../../api/index.ts';
import type { SandboxConfig } from '../../cri/index.ts';
import { MAX_DNS_NAME, MAX_DNS_SEARCH_CHARACTERS, MAX_DNS_SEARCHES, MAX_DNS_SERVERS } from './limits.ts';

export type Dns = NonNullable<SandboxConfig['dns']>;

const CLUSTER_OPTIONS = ['ndots:5'];
/**
 * The resolver configuration of a node without a resolv.conf (`resolvConf: ""`): the resolver on the node itself, and no
 * search domains.
 */
const NO_RESOLV_CONF: Dns = { servers: ['127.0.0.1'], searches: ['.'], options: [] };

export interface DnsInput {
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  /** The node's own; `undefined`: the node is set to have none. */
  readonly host: Dns | undefined;
}

export interface PodDns {
  readonly dns: Dns;
  /** The settings that were left out, in the words of upstream's DNSConfigForming events. */
  readonly warnings: readonly string[];
}

/** By `dnsPolicy` and `dnsConfig`, cut to what a resolver takes. */
export function podDns(pod: Pod, input: DnsInput): PodDns {
  const base = baseDns(pod, input);
  const own = pod.spec?.dnsConfig;
  const options = new Map(base.options.map((option) => [option.split(':', 1)[0] ?? option, option]));
  for (const { name = '', value } of own?.options ?? []) {
    options.set(name, value === undefined || value === '' ? name : `${name}:${value}`);
  }
  const allServers = unique([...base.servers, ...(own?.nameservers ?? [])]);
  const allSearches = unique([...base.searches, ...(own?.searches ?? [])]);
  const servers = allServers.slice(0, MAX_DNS_SERVERS);
  const searches = searchesThatFit(allSearches);
  return {
    dns: { servers, searches, options: [...options.values()] },
    warnings: [
      ...(servers.length < allServers.length
        ? [
            `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${servers.join(' ')}`,
          ]
        : []),
      ...(searches.length < allSearches.length
        ? [
            `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${searches.join(' ')}`,
          ]
        : []),
    ],
  };
}

function baseDns(pod: Pod, { clusterDns, clusterDomain, host }: DnsInput): Dns {
  const { dnsPolicy = 'ClusterFirst', hostNetwork } = pod.spec ?? {};
  if (dnsPolicy === 'None') return { servers: [], searches: [], options: [] };
  const cluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && hostNetwork !== true);
  if (!cluster || clusterDns.length === 0) return host ?? NO_RESOLV_CONF;
  const namespace = pod.metadata?.namespace ?? 'default';
  const inCluster =
    clusterDomain === '' ? [] : [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return { servers: clusterDns, searches: [...inCluster, ...(host?.searches ?? [])], options: CLUSTER_OPTIONS };
}

/** The first ones that fit; a name that is too long for any resolver is left out. */
function searchesThatFit(searches: readonly string[]): string[] {
  const fit = searches.slice(0, MAX_DNS_SEARCHES).filter((name) => name.length <= MAX_DNS_NAME);
  while (fit.join(' ').length > MAX_DNS_SEARCH_CHARACTERS) fit.pop();
  return fit;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** Reads resolv.conf(5) and skips unknown lines. The last `search` wins; a domain's final dot is dropped. */
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
    else if (word === 'search' || word === 'domain') {
      searches = rest.map((name) => (name === '.' ? name : name.replace(/\.$/, '')));
    } else if (word === 'options') options = rest;
  }
  return { servers, searches, options };
}
