/** Tells of which service an address is that a sentence has, where it does not name the service. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { hasAddress, hasWord } from '../words/text.ts';

const MAX_TOLD = 2;
/** Its address is the cluster's DNS, and told as that. */
const CLUSTER_DNS = 'kube-dns';

/** The findings, each with the names of the services whose addresses it has: "; 10.96.3.4 is service pool". */
export function withServiceNames({ evidence }: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const known = evidence.services
    .filter(({ name }) => name !== CLUSTER_DNS)
    .flatMap(({ name, clusterIPs }) => clusterIPs.map((address) => ({ name, address })));
  if (known.length === 0) return found;
  return found.map((finding) => {
    const told = known
      .filter(({ name, address }) => hasAddress(finding.says, address) && !hasWord(finding.says, name))
      .slice(0, MAX_TOLD);
    const more = told.map(({ name, address }) => `; ${address} is service ${name}`).join('');
    return more === '' ? finding : { ...finding, says: `${finding.says}${more}` };
  });
}
