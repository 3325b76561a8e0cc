import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPod, type PlannedPod } from './next-pod.ts';

/**
 * Notation: "a+" is available, "b-" is not; then the state: nothing for todo, ~ going, ! done, x given up; "@" kept by a
 * budget.
 */
function pods(text: string): readonly PlannedPod[] {
  return text.split(' ').map((word) => ({
    uid: word.charAt(0),
    name: word.charAt(0),
    available: word.includes('+'),
    state: word.includes('~') ? 'going' : word.includes('!') ? 'done' : word.includes('x') ? 'given-up' : 'todo',
    ...(word.includes('@') ? { keptBy: 'PodDisruptionBudget web allows no disruption now' } : {}),
  }));
}

describe('nextPod', () => {
  it.each([
    ['the first in order', 'a+ b+ c+', 3, 1, { start: 'a' }],
    ['one at a time', 'a+~ b+ c+', 3, 1, {}],
    ['the next when the first is well again', 'a+! b+ c+', 3, 1, { start: 'b' }],
    ['two at a time', 'a+~ b+ c+', 3, 2, { start: 'b' }],
    ['nothing left', 'a+! b+! c+!', 3, 1, {}],
    ['a pod that does not serve before one that must stay', 'a+ b- c+', 3, 1, { start: 'b' }],
    ['in order where there is room', 'a+ b- c+', 3, 2, { start: 'a' }],
    [
      'not below the budget, whoever is away',
      'a+ b+! c-!',
      3,
      1,
      { waitsFor: expect.stringContaining('2 of 3 pods are available') },
    ],
    ['not while one is missing', 'a+ b+', 3, 1, { waitsFor: expect.stringContaining('at most 1 may be away') }],
    ['more pods than wanted: still one at a time', 'a+~ b+ c+ d+', 2, 1, {}],
    ['a single pod', 'a+', 1, 1, { start: 'a' }],
    ['kept by a budget', 'a+@ b+@', 2, 1, { waitsFor: 'pod/a: PodDisruptionBudget web allows no disruption now' }],
    ['past one that is kept', 'a+@ b+', 2, 1, { start: 'b' }],
    ['ready and not yet available, and kept', 'a-@ b-', 2, 1, { start: 'b' }],
    ['those given up count no more', 'a-x b+ c+', 3, 1, { start: 'b' }],
    ['a going one holds its place, well or not', 'a-~ b-', 2, 1, {}],
  ])('%s', (_name, text, desired, maxUnavailable, wanted) => {
    expect(nextPod({ pods: pods(text), desired, maxUnavailable })).toEqual(wanted);
  });

  it('never has more than the budget away by us, and comes to an end', () => {
    const state = fc.record({ available: fc.boolean(), back: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(
        fc.array(state, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 3 }),
        (given, maxUnavailable, missing) => {
          const desired = given.length + missing;
          let now: (PlannedPod & { left: number })[] = given.map(({ available, back }, index) => ({
            uid: String(index),
            name: String(index),
            state: 'todo',
            available,
            left: back,
          }));
          const servingAtFirst = now.filter(({ available }) => available).length;
          for (let turn = 0; turn < 200; turn += 1) {
            const { start } = nextPod({ pods: now, desired, maxUnavailable });
            if (start === undefined) {
              if (now.every(({ state }) => state !== 'going')) break;
              now = now.map((pod) =>
                pod.state !== 'going'
                  ? pod
                  : pod.left > 1
                    ? { ...pod, left: pod.left - 1 }
                    : { ...pod, left: 0, state: 'done', available: true },
              );
              continue;
            }
            now = now.map((pod) => (pod.uid === start ? { ...pod, state: 'going', available: false } : pod));
            expect(now.filter(({ state }) => state === 'going').length).toBeLessThanOrEqual(maxUnavailable);
            const serving = now.filter(({ available }) => available).length;
            expect(serving).toBeGreaterThanOrEqual(Math.min(servingAtFirst, desired - maxUnavailable));
          }
          // If every pod that was away has come back, no pod is left to do.
          if (missing < maxUnavailable) expect(now.every(({ state }) => state === 'done')).toBe(true);
          expect(now.every(({ state, available }) => state === 'done' || (state === 'todo' && available))).toBe(true);
        },
      ),
    );
  });
});
