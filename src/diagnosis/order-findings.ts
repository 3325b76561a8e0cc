/** From what rules found to what is said: causes before consequences, the most telling first, nothing twice. */
import type { Finding, RankedFinding } from './finding.ts';
import { MAX_FINDINGS, MAX_QUOTES } from './limits.ts';

/** Topic of a fallback that goes where anything else is said. */
export const ANYTHING = 'anything';

const SEVERITIES = { critical: 0, warning: 1, info: 2 } as const;

/** What only says what happened goes where something else says why. */
export function withoutFallbacks(found: readonly RankedFinding[]): readonly RankedFinding[] {
  const explained = new Set(found.filter(({ fallback }) => fallback !== true).map(({ topic }) => topic));
  return found.filter(
    ({ fallback, topic }) => fallback !== true || (topic === ANYTHING ? found.length === 1 : !explained.has(topic)),
  );
}

export function ordered(found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.toSorted(
    (a, b) =>
      SEVERITIES[a.severity] - SEVERITIES[b.severity] ||
      b.rank - a.rank ||
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
