import { describe, expect, it } from 'vitest';
import type { Pod, PodDisruptionBudget } from '../../api/index.ts';
import { keptBy } from './disruption-room.ts';

function pod(name: string, ready: boolean, app = 'web'): Pod {
  return {
    metadata: { name, uid: name, labels: { app } },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

function budget(
  status: object,
  selector: object = { matchLabels: { app: 'web' } },
  generation = 1,
): PodDisruptionBudget {
  return {
    metadata: { name: 'web', generation },
    spec: { selector },
    status: { observedGeneration: 1, ...status },
  };
}

const all = [pod('a', true), pod('b', true), pod('c', true), pod('other', true, 'db')];
const twoNeeded = { disruptionsAllowed: 1, desiredHealthy: 2 };

describe('keptBy', () => {
  it.each([
    ['no budget', [], [], undefined],
    ['one disruption allowed', [budget(twoNeeded)], [], undefined],
    [
      'none allowed',
      [budget({ disruptionsAllowed: 0, desiredHealthy: 3 })],
      [],
      /^PodDisruptionBudget web allows no disruption now \(3 of its pods are ready, and 3 must be\)$/,
    ],
    [
      'the allowed one is taken by us, and the budget has not seen it yet',
      [budget(twoNeeded)],
      ['b'],
      /2 of its pods are ready/,
    ],
    ['one of another application is away', [budget(twoNeeded)], ['other'], undefined],
    [
      'one budget allows, the other does not',
      [budget(twoNeeded), budget({ disruptionsAllowed: 0, desiredHealthy: 3 })],
      [],
      /allows no/,
    ],
    ['a budget that was never counted', [{ ...budget({}), status: undefined }], [], /allows no/],
    ['a changed budget', [budget(twoNeeded, undefined, 2)], [], /allows no/],
    ['a budget of others', [budget({ disruptionsAllowed: 0 }, { matchLabels: { app: 'db' } })], [], undefined],
    [
      'a selector that cannot be read',
      [budget({}, { matchExpressions: [{ key: 'a', operator: 'Odd' }] })],
      [],
      undefined,
    ],
  ])('%s', (_name, budgets, going, wanted) => {
    const found = keptBy({ pod: all[0]!, budgets, pods: all, going: new Set(going) });
    if (wanted === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(wanted);
  });

  it('keeps no pod that is not ready', () => {
    const sick = pod('a', false);
    const pods = [sick, ...all.slice(1)];
    expect(
      keptBy({ pod: sick, budgets: [budget({ disruptionsAllowed: 0, desiredHealthy: 2 })], pods, going: new Set() }),
    ).toBeUndefined();
  });
});
