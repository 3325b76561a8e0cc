/** Finds the most significant finding about the end of each container: the one that is told with more. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';

type Tell = (container: ContainerFacts, finding: RankedFinding) => RankedFinding;

/**
 * The findings, with the first of each container about its end replaced by what `tell` makes of it. Notes stay as they are.
 *
 * @param found the most significant first
 */
export function withFirstEnds(facts: PodFacts, found: readonly RankedFinding[], tell: Tell): readonly RankedFinding[] {
  return withFirstsOf('end', facts, found, tell);
}

/** Likewise, with the first of each container about its end, or about why it is not ready. */
export function withFirstsOf(
  topic: 'end' | 'ready',
  { containers }: PodFacts,
  found: readonly RankedFinding[],
  tell: Tell,
): readonly RankedFinding[] {
  const done = new Set<string>();
  return found.map((finding) => {
    const container = containers.find(({ name }) => name === finding.container);
    const isOfTopic = container !== undefined && finding.topic === `${topic}/${container.name}`;
    if (!isOfTopic || finding.severity === 'info' || done.has(container.name)) return finding;
    done.add(container.name);
    return tell(container, finding);
  });
}
