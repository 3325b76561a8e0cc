/** Names the variable with the host of the peer that a finding is about: of a container that runs and cannot reach it, or that is not let in. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofText } from '../variables/environment.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { quotable } from '../words/text.ts';

/** The peer that a sentence names. */
const PEER =
  /\b(?:does not find|is refused by|gets no answer from|is not let in by|cannot reach) (?:its peer )?([a-z][a-z0-9.-]{2,252})(?::\d{1,5})?(?=[\s,;:]|$)/i;
/** Longer values are files and scripts. */
const MAX_VALUE = 1000;

/** The findings, each with the only variable that names its peer, where neither is told. */
export function withVariablesOfPeers(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.map((finding) => {
    const container = facts.containers.find(({ name }) => name === finding.container);
    if (container === undefined || !isOfPeer(finding, container)) return finding;
    const host = PEER.exec(finding.says)?.[1];
    const named = host === undefined ? [] : container.environment.filter(({ value }) => isNamedIn(value, host));
    const [only, ...more] = named;
    // A variable that is told already says where the peer comes from.
    if (host === undefined || only === undefined || more.length > 0 || /\bvariable\b/.test(finding.says))
      return finding;
    return {
      ...finding,
      says: `${finding.says}; ${quotable(host)} is in its variable ${only.name}${ofText(only)}`,
      evidence: [
        ...finding.evidence,
        { source: 'field', path: `${container.path}.${only.at}`, value: `names ${quotable(host)}` },
      ],
    };
  });
}

/** Of a peer that is named wrongly, or whose address has no password in it: where its name is right, its variable is no news. */
function isOfPeer({ id, topic, says }: RankedFinding, { name }: ContainerFacts): boolean {
  if (id === 'authentication-refused') return topic === `end/${name}` && says.includes('it gives none');
  return (
    id.startsWith('dependency-') &&
    (topic === `runs/${name}` || topic === `ready/${name}`) &&
    /\bno such name\b|\bthere is no (?:service|namespace)\b/.test(says)
  );
}

/** As a whole name: "redis" is none of "redis-master". */
function isNamedIn(value: string, host: string): boolean {
  if (value.length >= MAX_VALUE) return false;
  return value.split(/[^\w.-]+/).some((word) => word === host || word.startsWith(`${host}.`));
}
