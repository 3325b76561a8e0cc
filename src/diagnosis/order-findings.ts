/** From what rules found to what is said: causes before consequences, the most telling first, nothing twice. */
import type { Finding, RankedFinding } from './finding.ts';
import { MAX_FINDINGS, MAX_QUOTES } from './limits.ts';

/** Topic of a fallback that goes where anything else is said. */
export const ANYTHING = 'anything';

const SEVERITIES = { critical: 0, warning: 1, info: 2 } as const;

/** What only says what happened goes where something else says why; of several such the most telling stays. */
export function withoutFallbacks(found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.filter((finding) => {
    const { fallback, topic, rank } = finding;
    if (fallback !== true) return true;
    const others = found.filter((other) => other !== finding && (topic === ANYTHING || other.topic === topic));
    return others.every((other) => other.fallback === true && topic !== ANYTHING && other.rank < rank);
  });
}

export function ordered(found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.toSorted(
    (a, b) =>
      SEVERITIES[a.severity] - SEVERITIES[b.severity] ||
      b.rank - a.rank ||
      (b.pods?.length ?? 0) - (a.pods?.length ?? 0) ||
      compare(a.id, b.id) ||
      compare(a.says, b.says),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** As they are told: bounded, and without what only ordered them. */
export function told(found: readonly RankedFinding[]): readonly Finding[] {
  return found.slice(0, MAX_FINDINGS).map(({ id, severity, says, container, evidence, try: next, manifest, pods }) => ({
    id,
    severity,
    says,
    container,
    evidence: evidence.slice(0, MAX_QUOTES),
    try: [...new Set(next)],
    manifest,
    pods,
  }));
}
