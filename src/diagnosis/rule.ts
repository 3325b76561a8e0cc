/** What a rule is: a pure function from facts to what it found. It is silent without evidence. */
import type { ContainerFacts } from './facts/container-facts.ts';
import type { PodFacts } from './facts/pod-facts.ts';
import type { RankedFinding } from './finding.ts';

export type PodRule = (facts: PodFacts) => readonly RankedFinding[];
export type ContainerRule = (facts: PodFacts, container: ContainerFacts) => readonly RankedFinding[];

/** A rule about each container alone. */
export function eachContainer(rule: ContainerRule): PodRule {
  return (facts) => facts.containers.flatMap((container) => rule(facts, container));
}

export const NOTHING: readonly RankedFinding[] = [];
