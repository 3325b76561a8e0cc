/** Looks at a container that runs on and fails with each try as if that failure had ended it, so that what is known of ends tells of it, too. Pure. */
import type { DecisiveLine } from '../../../log-analysis/index.ts';
import { type ContainerFacts, failingAt, inPresentLife } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

/** The facts, with each container that fails with each try as if its failure had ended it. */
export function withTriesAsEnds(facts: PodFacts): PodFacts {
  if (facts.deleting || facts.containers.every((each) => inPresentLife(each).again === undefined)) return facts;
  return { ...facts, containers: facts.containers.map((each) => asIfEnded(facts, inPresentLife(each))) };
}

/** `again` stays, by which its words are those of one that runs. */
function asIfEnded({ now }: PodFacts, container: ContainerFacts): ContainerFacts {
  const { again } = container;
  if (again === undefined || again.isWordless === true) return container;
  // What it said of its first tries may be another thing.
  return { ...asEndedBy(failingAt(container, again), again.said, now), trouble: 'died-lately' };
}

/**
 * A container as if what it has said had just ended it with exit code 1, and nothing else of its log had.
 *
 * @param nowMs wall clock, ms
 */
export function asEndedBy(container: ContainerFacts, said: DecisiveLine, nowMs: number): ContainerFacts {
  return {
    ...container,
    reading: { ...container.reading, decisive: { ...said, firmness: 'firm' }, others: [] },
    death: { reason: 'Error', finishedMs: nowMs, exitCode: 1 },
    killed: undefined,
  };
}

/** " and tries again and again (4 times)", of one that runs; else what became of it. */
export function outcomeOf({ again }: Pick<ContainerFacts, 'again'>, ended: string): string {
  if (again?.isStanding === true || again?.isDone === true) return '';
  return again === undefined ? ended : ` and tries again and again (${again.times} times)`;
}
