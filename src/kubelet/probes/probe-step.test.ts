import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialProbeState, mayProbe, type ProbeKind, type ProbeState, probeStep } from './probe-step.ts';

/** Feeds "s" and "f" and shows the verdict after each: s, f or ? */
function verdicts(kind: ProbeKind, successThreshold: number, failureThreshold: number, attempts: string): string {
  let state = initialProbeState(kind);
  let seen = '';
  for (const attempt of attempts) {
    state = probeStep(kind, { successThreshold, failureThreshold }, state, attempt === 's' ? 'success' : 'failure');
    seen += state.verdict === 'unknown' ? '?' : state.verdict.charAt(0);
  }
  return seen;
}

describe('probeStep', () => {
  it.each<[string, ProbeKind, number, number, string, string]>([
    ['readiness becomes ready at its first success', 'readiness', 1, 3, 'fs', 'fs'],
    ['readiness stays ready below the threshold', 'readiness', 1, 3, 'sffsff', 'ssssss'],
    ['readiness falls at the threshold and rises again', 'readiness', 1, 3, 'sfffs', 'sssfs'],
    ['readiness needs successThreshold in a row', 'readiness', 2, 1, 'sfss', 'fffs'],
    ['liveness begins alive', 'liveness', 1, 3, 'ff', 'ss'],
    ['liveness fails at the threshold and holds', 'liveness', 1, 3, 'fffsss', 'ssffff'],
    ['a success between failures starts anew', 'liveness', 1, 2, 'fsff', 'sssf'],
    ['startup is unknown, then started', 'startup', 1, 3, 'ffs', '??s'],
    ['startup fails at the threshold and holds', 'startup', 1, 2, 'ffs', '?ff'],
    ['threshold one', 'liveness', 1, 1, 'f', 'f'],
  ])('%s', (_, kind, success, failure, attempts, expected) => {
    expect(verdicts(kind, success, failure, attempts)).toBe(expected);
  });

  it('keeps a carried verdict until an own one', () => {
    const carried = initialProbeState('readiness', 'success');
    const once = probeStep('readiness', { successThreshold: 1, failureThreshold: 2 }, carried, 'failure');
    expect(once.verdict).toBe('success');
    expect(probeStep('readiness', { successThreshold: 1, failureThreshold: 2 }, once, 'failure').verdict).toBe(
      'failure',
    );
  });
});

describe('mayProbe', () => {
  it.each<[ProbeKind, 'success' | 'failure' | 'unknown' | undefined, boolean]>([
    ['startup', 'unknown', true],
    ['startup', 'failure', true],
    ['startup', 'success', false],
    ['liveness', undefined, true],
    ['liveness', 'unknown', false],
    ['readiness', 'failure', false],
    ['readiness', 'success', true],
  ])('%s with startup %s: %s', (kind, startup, expected) => {
    expect(mayProbe(kind, startup)).toBe(expected);
  });
});

describe('properties', () => {
  const kinds = fc.constantFrom<ProbeKind>('startup', 'liveness', 'readiness');
  const outcomes = fc.array(fc.constantFrom<'success' | 'failure'>('success', 'failure'), { maxLength: 30 });
  const thresholds = fc.record({
    successThreshold: fc.integer({ min: 1, max: 4 }),
    failureThreshold: fc.integer({ min: 1, max: 4 }),
  });

  it('a verdict changes only after a full run of equal outcomes', () => {
    fc.assert(
      fc.property(kinds, thresholds, outcomes, (kind, limits, attempts) => {
        let state: ProbeState = initialProbeState(kind);
        attempts.forEach((attempt, index) => {
          const next = probeStep(kind, limits, state, attempt);
          if (next.verdict !== state.verdict) {
            const needed = attempt === 'success' ? limits.successThreshold : limits.failureThreshold;
            const run = attempts.slice(index + 1 - needed, index + 1);
            expect(run.length === needed && run.every((each) => each === attempt)).toBe(true);
          }
          state = next;
        });
      }),
    );
  });

  it('once on hold nothing moves', () => {
    fc.assert(
      fc.property(kinds, thresholds, outcomes, (kind, limits, attempts) => {
        let state: ProbeState = initialProbeState(kind);
        for (const attempt of attempts) {
          const next = probeStep(kind, limits, state, attempt);
          if (state.onHold) expect(next).toBe(state);
          state = next;
        }
      }),
    );
  });
});
