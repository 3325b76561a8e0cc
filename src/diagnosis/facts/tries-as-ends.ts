/** Looks at a container that runs on and fails with each try as if that failure had ended it, so that what is known of ends tells of it, too. Pure. */
import { type ContainerFacts, failingAt } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';

/** The facts, with each container that fails with each try as if its failure had ended it. */
export function withTriesAsEnds(facts: PodFacts): PodFacts {
  if (facts.deleting || facts.containers.every(({ again }) => again === undefined)) return facts;
  return { ...facts, containers: facts.containers.map((container) => asIfEnded(facts, container)) };
}

/** `again` stays, by which its words are those of one that runs. */
function asIfEnded({ now }: PodFacts, container: ContainerFacts): ContainerFacts {
  const { again } = container;
  if (again === undefined) return container;
  const told = failingAt(container, again);
  return {
    ...told,
    // What it said of its first tries may be another thing.
    reading: { ...told.reading, decisive: { ...again.said, firmness: 'firm' }, others: [] },
    trouble: 'died-lately',
    death: { reason: 'Error', finishedMs: now, exitCode: 1 },
    killed: undefined,
  };
}

/** " and tries again and again (4 times)", of one that runs; else what became of it. */
export function outcomeOf({ again }: Pick<ContainerFacts, 'again'>, ended: string): string {
  if (again?.isStanding === true) return '';
  return again === undefined ? ended : ` and tries again and again (${again.times} times)`;
}
