import { describe, expect, it } from 'vitest';
import type { RankedFinding } from './finding.ts';
import { ANYTHING, told, withoutFallbacks } from './order-findings.ts';

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

describe('the answer', () => {
  const said = (id: string, says: string): RankedFinding => ({ ...finding(id, id, 1), says });

  it.each<[string, readonly RankedFinding[], readonly string[]]>([
    [
      'tells a cause once',
      [said('exit-code', '2 of 2 pods: container a ends'), said('job-failed', 'job/x has given up: container a ends')],
      ['2 of 2 pods: container a ends', 'job/x has given up'],
    ],
    [
      'tells it with the first that has it',
      [said('job-failed', 'job/x has given up: container a ends'), said('exit-code', 'container a ends')],
      ['job/x has given up: container a ends', 'container a ends'],
    ],
    [
      'tells another cause',
      [said('exit-code', 'container a ends'), said('job-failed', 'job/x has given up: container b ends')],
      ['container a ends', 'job/x has given up: container b ends'],
    ],
    [
      'keeps the words of a service whole',
      [said('exit-code', 'deployment/a: container a ends'), said('no-pod-ready', 'none is ready: container a ends')],
      ['deployment/a: container a ends', 'none is ready: container a ends'],
    ],
  ])('%s', (_, found, left) => {
    expect(told(found).map(({ says }) => says)).toEqual(left);
  });
});
