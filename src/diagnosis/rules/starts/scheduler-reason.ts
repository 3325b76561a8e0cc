/** What one reason of the scheduler's message means. */
import type { Share } from '../../facts/placement/anti-affinity.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import type { Quote } from '../../finding.ts';

export interface Reason {
  readonly pattern: RegExp;
  readonly says: (match: RegExpExecArray, nodes: string, facts: PodFacts, share: Share) => string;
  readonly fields: (facts: PodFacts, match: RegExpExecArray) => readonly Quote[];
  readonly try: (facts: PodFacts, match: RegExpExecArray) => readonly string[];
}

export const field = (path: string, value: unknown): readonly Quote[] =>
  value === undefined || value === null
    ? []
    : [{ source: 'field', path, value: typeof value === 'string' ? value : JSON.stringify(value) }];
