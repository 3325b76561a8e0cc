/** The type of a rule: a pure function from facts to findings, with no findings without evidence. */
import type { ContainerFacts } from './facts/pod/container-facts.ts';
import type { PodFacts } from './facts/pod/pod-facts.ts';
import type { RankedFinding } from './finding.ts';

export type PodRule = (facts: PodFacts) => readonly RankedFinding[];
export type ContainerRule = (facts: PodFacts, container: ContainerFacts) => readonly RankedFinding[];

/** Turns a rule about one container into a rule about the pod. */
export function eachContainer(rule: ContainerRule): PodRule {
  return (facts) => facts.containers.flatMap((container) => rule(facts, container));
}

export const NOTHING: readonly RankedFinding[] = [];
