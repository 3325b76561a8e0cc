/**
 * Of one with which nothing seems wrong: the last error in the log of each container that runs, after which it went on. That is no finding,
 * because a program that works writes of errors, too; who asks why something fails wants to know it all the same. Pure.
 */
import { isAccessLine, isOfProbe, lastFailure } from '../log-analysis/index.ts';
import type { PodEvidence } from './evidence/pod-evidence.ts';
import { podFacts } from './facts/pod/pod-facts.ts';
import { quotable } from './facts/words/text.ts';
import type { Diagnosis, Finding, LastError } from './finding.ts';

/** Containers that are told of; the same words of several pods are told once. */
const MAX_TOLD = 2;

/** The part of a diagnosis that has them. @param looked the evidence about its pods */
export function withLastErrors(
  findings: readonly Finding[],
  looked: readonly PodEvidence[],
): Pick<Diagnosis, 'lastErrors'> {
  const errors = findings.length === 0 ? lastErrors(looked) : [];
  return errors.length === 0 ? {} : { lastErrors: errors };
}

function lastErrors(looked: readonly PodEvidence[]): readonly LastError[] {
  const found = new Map<string, LastError>();
  for (const evidence of looked) {
    const { name: pod, containers } = podFacts(evidence);
    for (const { name: container, lines, status } of containers) {
      if (status?.state?.running === undefined) continue;
      const own = lines.filter((line) => !isOfProbe(line) && !isAccessLine(line));
      const line = lastFailure(own)?.line;
      if (line !== undefined && !found.has(container)) found.set(container, { pod, container, line: quotable(line) });
    }
  }
  return [...found.values()].slice(0, MAX_TOLD);
}
