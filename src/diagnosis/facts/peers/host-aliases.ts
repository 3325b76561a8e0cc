/** Finds the peers to which the pod itself gives an address (hostAliases), which hides the Service of that name. Pure. */
import { peerIn } from '../../../log-analysis/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { serviceBehind, type ServiceName, serviceOfHost } from './dependencies.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { hasWord, listed } from '../words/text.ts';

export interface Alias {
  /** "its hostAliases give db the address 10.2.3.4, while service db has 10.96.0.7" */
  readonly says: string;
  readonly quote: Quote;
  readonly try: readonly string[];
}

/**
 * The alias of a host, or that with an address; undefined: the pod has none, or it is the address of its Service.
 *
 * @param isMeant whether a name of the pod's aliases, or an address, is what the program speaks of
 */
function aliasThat({ pod, evidence, commands }: PodFacts, isMeant: (word: string) => boolean): Alias | undefined {
  for (const [index, { ip, hostnames = [] }] of (pod.spec?.hostAliases ?? []).entries()) {
    const names = isMeant(ip) ? hostnames : hostnames.filter((name) => isMeant(name));
    if (names.length === 0) continue;
    const namespace = pod.metadata?.namespace ?? 'default';
    const found = names.flatMap((name) => serviceBehind(evidence.services, name, namespace) ?? []);
    const [service] = found.filter(({ missing, clusterIPs }) => !missing && clusterIPs.length > 0);
    if (service?.clusterIPs.includes(ip) === true) return undefined;
    const own = service === undefined ? '' : `, while service ${service.name} has ${listed(service.clusterIPs)}`;
    return {
      says: `its hostAliases give ${listed(names)} the address ${ip}${own}`,
      quote: { source: 'field', path: `spec.hostAliases[${index}]`, value: `${ip} ${hostnames.join(' ')}` },
      try: commands.edit,
    };
  }
  return undefined;
}

export function aliasOf(facts: PodFacts, host: string | undefined): Alias | undefined {
  const wanted = host?.toLowerCase();
  return wanted === undefined ? undefined : aliasThat(facts, (word) => word.toLowerCase() === wanted);
}

/** The alias of the peer that a line names, or whose address it has. */
export function aliasInLine(facts: PodFacts, line: string): Alias | undefined {
  return (
    aliasOf(facts, peerIn(line).host) ?? aliasThat(facts, (word) => /^[\d.:a-f]+$/i.test(word) && hasWord(line, word))
  );
}

/** The Services whose names the pod gives addresses itself: they tell whether these are theirs. */
export function aliasedServices({ metadata, spec }: Pod): readonly ServiceName[] {
  const names = (spec?.hostAliases ?? []).flatMap(({ hostnames = [] }) => hostnames).slice(0, MAX_NAMES_READ);
  return names.flatMap((name) => serviceOfHost(name, metadata?.namespace ?? 'default') ?? []);
}

const MAX_NAMES_READ = 8;

/** Findings about what a peer answers, or about an end of which no rule knows more. */
const MAY_BE_OF_PEER =
  /^(?:exit-code|dependency-(?!not-resolved).*|tls-mismatch|certificate-.*|authentication-refused|not-allowed|fails-again|.*-failing|missing-data)$/;

/** The findings; one about a peer to which the pod gives the address itself says so, and blames nobody else. */
export function withAliases(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  if ((facts.pod.spec?.hostAliases ?? []).length === 0) return found;
  return found.map((finding) => {
    const container = facts.containers.find(({ name }) => name === finding.container);
    if (container === undefined || !MAY_BE_OF_PEER.test(finding.id)) return finding;
    if (finding.says.includes('hostAliases')) return { ...finding, blames: undefined };
    const [alias] = linesOf(container).flatMap((line) => aliasInLine(facts, line) ?? []);
    if (alias === undefined) return finding;
    const { says, quote } = alias;
    return { ...finding, says: `${finding.says}; ${says}`, evidence: [...finding.evidence, quote], blames: undefined };
  });
}

/** What it says of its trouble. */
function linesOf({ reading: { decisive }, failing, again }: ContainerFacts): readonly string[] {
  const said = [decisive, failing, again?.said].flatMap((one) => (one === undefined ? [] : [one.line, ...one.related]));
  return said;
}
