import { describe, expect, it } from 'vitest';
import type { RankedFinding } from './finding.ts';
import { ANYTHING, withoutFallbacks } from './order-findings.ts';

const finding = (id: string, topic: string, rank: number, fallback?: true): RankedFinding => ({
  id,
  severity: 'warning',
  says: id,
  evidence: [],
  try: [],
  rank,
  topic,
  ...(fallback && { fallback }),
});

describe('of what explains one thing', () => {
  it.each<[string, readonly RankedFinding[], readonly string[]]>([
    [
      'a cause replaces a fallback of its topic',
      [finding('cause', 'end', 1), finding('end', 'end', 9, true)],
      ['cause'],
    ],
    [
      'a cause of another topic does not',
      [finding('cause', 'start', 1), finding('end', 'end', 9, true)],
      ['cause', 'end'],
    ],
    ['the fallback of the highest rank stays', [finding('a', 'end', 1, true), finding('b', 'end', 2, true)], ['b']],
    ['one of two equal fallbacks stays', [finding('a', 'end', 1, true), finding('b', 'end', 1, true)], ['a']],
    ['anything replaces the last resort', [finding('a', ANYTHING, 9, true), finding('b', 'end', 1, true)], ['b']],
    ['one of two last resorts stays', [finding('a', ANYTHING, 1, true), finding('b', ANYTHING, 1, true)], ['a']],
  ])('%s', (_, found, left) => {
    expect(withoutFallbacks(found).map(({ id }) => id)).toEqual(left);
  });
});
