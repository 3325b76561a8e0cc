import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResolvedCurve } from '../../../api/index.ts';
import type { BackOffState } from '../pod-memory.ts';
import { backOffOnCurve, type ContainerEnd, type CurveQuestion, defaultCurve, nominalMs } from './curve.ts';

const CURVE: ResolvedCurve = { initialMs: 200, factor: 3, capMs: 5000, resetAfterMs: 60_000, jitter: 0 };
const state = (restarts: number, key = 'k'): BackOffState => ({ key, delayMs: 0, lastUpdate: 0, restarts });

function ask({ end, ...change }: Omit<Partial<CurveQuestion>, 'end'> & { end?: Partial<ContainerEnd> } = {}) {
  return backOffOnCurve({
    curve: CURVE,
    key: 'k',
    state: undefined,
    end: { containerId: 'c', exitMono: 1000, ...end },
    now: { wall: 0, mono: 1000 },
    neverFree: false,
    ...change,
  });
}

describe('a curve of a policy', () => {
  it.each<[string, Parameters<typeof ask>[0], number]>([
    ['is free at first', {}, 0],
    ['then waits its initial delay', { state: state(1) }, 200],
    ['grows by its factor', { state: state(2) }, 600],
    ['and again', { state: state(3) }, 1800],
    ['up to its cap', { state: state(4) }, 5000],
    ['and no further', { state: state(400) }, 5000],
    ['begins anew after a long life', { state: state(4), end: { uptimeMs: 60_000 } }, 0],
    ['but not after a shorter one', { state: state(4), end: { uptimeMs: 59_999 } }, 5000],
    ['begins anew with another key', { state: state(4, 'other') }, 0],
    ['is never free for more than the container', { neverFree: true }, 200],
    ['nor shorter for it than it is', { neverFree: true, state: state(3) }, 1800],
    ['is at its cap for who asked in vain', { atCap: true, state: state(1) }, 5000],
    ['takes over from where Kubernetes counted none', { state: { key: 'k', delayMs: 10, lastUpdate: 0 } }, 200],
  ])('%s', (_what, change, delayMs) => {
    const answer = ask(change);
    expect([answer.restart, answer.delayMs]).toEqual([delayMs === 0, delayMs]);
    if (!answer.restart) {
      expect(ask({ ...change, now: { wall: 0, mono: answer.until - 1 } }).restart).toBe(false);
      const due = ask({ ...change, now: { wall: 0, mono: answer.until } });
      expect([due.restart, due.delayMs]).toEqual([true, delayMs]);
    }
  });

  it('counts its restarts', () => {
    const first = ask();
    expect(first.restart && first.state).toEqual({ key: 'k', delayMs: 200, lastUpdate: 0, restarts: 1 });
    const next = ask({ state: state(3), now: { wall: 5, mono: 10_000 } });
    expect(next.restart && next.state).toEqual({ key: 'k', delayMs: 5000, lastUpdate: 5, restarts: 4 });
  });

  it('is as long at each look at one death, and another at another', () => {
    const curve = { ...CURVE, jitter: 0.5 };
    const delay = (containerId: string) => {
      const answer = ask({ curve, state: state(2), end: { containerId } });
      return answer.restart ? 0 : answer.delayMs;
    };
    expect(delay('a')).toBe(delay('a'));
    expect(new Set(['a', 'b', 'c', 'd'].map(delay)).size).toBe(4);
  });

  it('adds at most its share by chance, and never waits less than it says', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(40),
        fc.string(),
        fc.boolean(),
        (jitter, restarts, containerId, neverFree) => {
          const curve = { ...CURVE, jitter };
          const answer = ask({ curve, state: state(restarts), end: { containerId }, neverFree });
          const least = nominalMs(curve, neverFree ? Math.max(1, restarts) : restarts);
          const delayMs = answer.restart ? 0 : answer.delayMs;
          expect(delayMs).toBeGreaterThanOrEqual(least);
          expect(delayMs).toBeLessThanOrEqual(least * (1 + jitter) + 1e-6);
        },
      ),
    );
  });

  it('is Kubernetes’ own where the policy has none, as the node has it set', () => {
    expect([0, 1, 2, 6].map((count) => nominalMs(defaultCurve(), count))).toEqual([0, 10_000, 20_000, 300_000]);
    expect([1, 2].map((count) => nominalMs(defaultCurve(5000), count))).toEqual([5000, 5000]);
  });
});
