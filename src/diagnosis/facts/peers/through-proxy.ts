/** Tells that a request within the cluster goes through a proxy, because NO_PROXY does not except its host. Pure. */
import { urlPeers } from '../../../log-analysis/index.ts';
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { serviceBehind } from './dependencies.ts';
import { ofText, type Variable } from '../variables/environment.ts';
import { withFirstsOf } from '../pod/first-ends.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { environmentPeers, peerText } from './spec-peers.ts';

/** What a proxy may have answered, or kept from being reached. */
const MAY_BE_PROXY =
  /^(?:not-allowed|authentication-refused|dependency-(?:fails|times-out|closes)|exit-code|.*-failing|missing-data)$/;

/** The findings; the first of each container about its end, or about why it is not ready, tells of the proxy between. */
export function withProxies(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const tell = (container: ContainerFacts, finding: RankedFinding): RankedFinding => {
    const between = MAY_BE_PROXY.test(finding.id) ? proxyBetween(facts, container, finding.says) : undefined;
    if (between === undefined) return finding;
    const { proxy, host, peer } = between;
    return {
      ...finding,
      says: `${finding.says}; it asks ${host} through ${peer}, by its variable ${proxy.name}${ofText(proxy)}, as no NO_PROXY excepts ${host}`,
      evidence: [...finding.evidence, { source: 'field', path: `${container.path}.${proxy.at}`, value: peer }],
    };
  };
  return withFirstsOf('ready', facts, withFirstsOf('end', facts, found, tell), tell);
}

interface Between {
  readonly proxy: Variable;
  /** The host that is asked. */
  readonly host: string;
  /** "squid:3128" */
  readonly peer: string;
}

function proxyBetween(
  { evidence, pod }: PodFacts,
  { environment, reading, failing }: ContainerFacts,
  says: string,
): Between | undefined {
  const texts = [says, reading.decisive?.line ?? '', failing?.line ?? ''];
  const namespace = pod.metadata?.namespace ?? 'default';
  for (const text of texts) {
    const scheme = /\b(https?):\/\//i.exec(text)?.[1]?.toLowerCase();
    const [asked] = scheme === undefined ? [] : urlPeers(text);
    if (asked === undefined) continue;
    // Only what is in the cluster need not be asked through a proxy.
    const service = serviceBehind(evidence.services, asked.host, namespace);
    if (service === undefined || service.missing || service.externalName !== undefined) continue;
    const proxy = environment.find(
      ({ name, value }) =>
        value !== '' && (name.toLowerCase() === `${scheme}_proxy` || name.toLowerCase() === 'all_proxy'),
    );
    const [peer] = proxy === undefined ? [] : environmentPeers([proxy]);
    if (proxy === undefined || peer === undefined || peer.host === asked.host) continue;
    if (isExcepted(environment, asked.host)) continue;
    return { proxy, host: asked.host, peer: peerText(peer) };
  }
  return undefined;
}

/** Whether NO_PROXY has the host, or a domain that it is in. */
function isExcepted(environment: readonly Variable[], host: string): boolean {
  const values = environment.filter(({ name }) => name.toLowerCase() === 'no_proxy').map(({ value }) => value);
  return values
    .flatMap((value) => value.split(/[\s,]+/))
    .filter((one) => one !== '')
    .some((one) => one === '*' || host === one || host.endsWith(one.startsWith('.') ? one : `.${one}`));
}
