/** Finds the most significant finding about the end of each container: the one that is told with more. Pure. */
import type { RankedFinding } from '../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';

/**
 * The findings, with the first of each container about its end replaced by what `tell` makes of it. Notes stay as they are.
 *
 * @param found the most significant first
 */
export function withFirstEnds(
  { containers }: PodFacts,
  found: readonly RankedFinding[],
  tell: (container: ContainerFacts, finding: RankedFinding) => RankedFinding,
): readonly RankedFinding[] {
  const done = new Set<string>();
  return found.map((finding) => {
    const container = containers.find(({ name }) => name === finding.container);
    const isOfEnd = container !== undefined && finding.topic === `end/${container.name}` && finding.severity !== 'info';
    if (!isOfEnd || done.has(container.name)) return finding;
    done.add(container.name);
    return tell(container, finding);
  });
}
