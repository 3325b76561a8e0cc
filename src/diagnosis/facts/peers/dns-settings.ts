/** Tells why a pod's own DNS settings keep it from the name of a Service that is there. Pure. */
import type { Pod } from '../../evidence/kinds.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { Quote } from '../../finding.ts';
import type { ServiceName } from './dependencies.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { listed } from '../words/text.ts';

/** The domain of nearly every cluster. */
export const CLUSTER_DOMAIN = 'cluster.local';
/** The Service of the cluster's DNS has this name wherever it is not renamed. */
const CLUSTER_DNS: ServiceName = { namespace: 'kube-system', name: 'kube-dns' };

/** The Service whose address tells whether a pod with name servers of its own asks the cluster's DNS. */
export function clusterDnsWanted({ spec }: Pod): readonly ServiceName[] {
  return spec?.dnsPolicy === 'None' ? [CLUSTER_DNS] : [];
}

/** ": service db is there, but its pod has dnsPolicy Default, and so does not ask the cluster's DNS"; '': its settings are right. */
export function dnsText({ pod, evidence }: PodFacts, service: ServiceEvidence | undefined, host = ''): string {
  if (service === undefined || service.missing) return '';
  const policy = pod.spec?.dnsPolicy ?? 'ClusterFirst';
  const isThere = `: service ${service.name} is there, but its pod has`;
  if (policy === 'ClusterFirstWithHostNet' || (policy === 'ClusterFirst' && pod.spec?.hostNetwork !== true)) return '';
  if (policy === 'ClusterFirst')
    return `${isThere} hostNetwork without dnsPolicy ClusterFirstWithHostNet, and so does not ask the cluster's DNS`;
  if (policy !== 'None') return `${isThere} dnsPolicy ${policy}, and so does not ask the cluster's DNS`;
  const { nameservers = [], searches = [] } = pod.spec?.dnsConfig ?? {};
  const known = evidence.services.find(
    ({ namespace, name, missing }) => namespace === CLUSTER_DNS.namespace && name === CLUSTER_DNS.name && !missing,
  );
  const wanted = searchFor(host, pod.metadata?.namespace ?? 'default');
  const lacks = wanted === undefined || searches.includes(wanted) ? '' : `, and no search domain ${wanted} in`;
  if (known === undefined) {
    const servers = nameservers.length === 0 ? '' : `, nameservers ${nameservers.join(', ')}`;
    return `${isThere} DNS settings of its own (dnsPolicy None${servers})${lacks === '' ? '' : `${lacks} them`}`;
  }
  if (!nameservers.some((address) => known.clusterIPs.includes(address)))
    return `${isThere} dnsPolicy None, and asks ${listed(nameservers)} instead of the cluster's DNS (${listed(known.clusterIPs)})`;
  if (lacks === '') return '';
  const has = searches.length === 0 ? '' : ` (it has ${listed(searches)})`;
  return `${isThere} dnsPolicy None${lacks} its dnsConfig${has}: it finds it as ${service.name}.${service.namespace}.svc.${CLUSTER_DOMAIN} only`;
}

/** The search domain that completes the name; undefined: it is complete. */
function searchFor(host: string, namespace: string): string | undefined {
  const labels = host.replace(/\.$/, '').split('.');
  if (host.endsWith('.') || host.endsWith(`.${CLUSTER_DOMAIN}`) || labels.length > 3) return undefined;
  if (labels.length === 3) return labels[2] === 'svc' ? CLUSTER_DOMAIN : undefined;
  return labels.length === 1 ? `${namespace}.svc.${CLUSTER_DOMAIN}` : `svc.${CLUSTER_DOMAIN}`;
}

/** The pod's own settings, as evidence. */
export function dnsQuotes({ pod }: PodFacts): readonly Quote[] {
  if (pod.spec?.dnsPolicy !== 'None') return [];
  const { nameservers = [], searches = [] } = pod.spec.dnsConfig ?? {};
  const value = `nameservers ${nameservers.join(', ') || 'none'}, ${searches.length === 0 ? 'no searches' : `searches ${searches.join(', ')}`}`;
  return [{ source: 'field', path: 'spec.dnsConfig', value }];
}
