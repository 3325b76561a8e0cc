import { describe, expect, it } from 'vitest';
import type { HorizontalPodAutoscalerBehavior } from '../../api/index.ts';
import { type LimitInput, limitScaling } from './limit-scaling.ts';
import { NO_HISTORY, type ScalingHistory, withRecommendation, withScaleEvent } from './scaling-history.ts';

const NOW = 10_000_000;
const MINUTE = 60_000;

const limit = (input: Partial<LimitInput>) =>
  limitScaling({
    current: 4,
    wanted: 4,
    min: 1,
    max: 100,
    behavior: undefined,
    history: NO_HISTORY,
    now: NOW,
    ...input,
  });

const recommended = (...entries: readonly (readonly [replicas: number, msAgo: number])[]): ScalingHistory => ({
  ...NO_HISTORY,
  recommendations: entries.map(([replicas, msAgo]) => ({ replicas, at: NOW - msAgo })),
});

describe('without a behavior', () => {
  it.each<[string, Partial<LimitInput>, number, string]>([
    ['as wanted', { wanted: 6 }, 6, 'DesiredWithinRange'],
    ['at most twice as many', { wanted: 50 }, 8, 'ScaleUpLimit'],
    ['at least up to four', { current: 1, wanted: 50 }, 4, 'ScaleUpLimit'],
    ['not more than the most', { wanted: 50, max: 7 }, 7, 'TooManyReplicas'],
    ['not fewer than the least', { wanted: 0, min: 2 }, 2, 'TooFewReplicas'],
  ])('%s', (_, input, replicas, reason) => {
    expect(limit(input)).toMatchObject({ replicas, limited: { reason, isLimited: reason !== 'DesiredWithinRange' } });
  });

  it('goes down to the highest of the last five minutes', () => {
    expect(limit({ wanted: 1, history: recommended([3, 4 * MINUTE], [9, 6 * MINUTE]) })).toMatchObject({
      replicas: 3,
      able: { reason: 'ScaleDownStabilized' },
    });
    expect(limit({ wanted: 1, history: recommended([9, 6 * MINUTE]) })).toMatchObject({
      replicas: 1,
      able: { reason: 'ReadyForNewScale' },
    });
  });
});

describe('with a behavior', () => {
  const pods = (value: number, periodSeconds = 60) => ({ type: 'Pods', value, periodSeconds });
  const percent = (value: number, periodSeconds = 60) => ({ type: 'Percent', value, periodSeconds });
  const up = (rules: object): HorizontalPodAutoscalerBehavior => ({
    scaleUp: { policies: [pods(2), percent(100)], ...rules },
  });
  const down = (rules: object): HorizontalPodAutoscalerBehavior => ({
    scaleDown: { stabilizationWindowSeconds: 0, policies: [percent(50)], ...rules },
  });

  it.each<[string, HorizontalPodAutoscalerBehavior, number, number]>([
    ['the policy that allows most decides', up({}), 50, 8],
    ['the policy that allows least decides with Min', up({ selectPolicy: 'Min' }), 50, 6],
    ['Disabled keeps the size', up({ selectPolicy: 'Disabled' }), 50, 4],
    ['down by half', down({}), 1, 2],
    ['down by the least change with Min', down({ policies: [percent(50), pods(1)], selectPolicy: 'Min' }), 1, 3],
    ['down by the greatest change with Max', down({ policies: [percent(50), pods(1)], selectPolicy: 'Max' }), 1, 2],
    ['down is Disabled', down({ selectPolicy: 'Disabled' }), 1, 4],
  ])('%s', (_, behavior, wanted, replicas) => {
    expect(limit({ behavior, wanted })).toMatchObject({ replicas });
  });

  it('counts what was done in the period', () => {
    const history = withScaleEvent(NO_HISTORY, 2, 4, NOW - 30_000);
    // It was 2 a minute ago: 100 % more is 4, and two pods more are 4, which it has already.
    expect(limit({ behavior: up({}), wanted: 50, history })).toMatchObject({
      replicas: 4,
      limited: { reason: 'ScaleUpLimit', isLimited: true },
    });
    expect(
      limit({ behavior: up({}), wanted: 50, history: withScaleEvent(NO_HISTORY, 2, 4, NOW - 61_000) }),
    ).toMatchObject({
      replicas: 8,
    });
  });

  it('stabilizes each way by its window', () => {
    const behavior = up({ stabilizationWindowSeconds: 120 });
    expect(limit({ behavior, wanted: 8, history: recommended([5, MINUTE]) })).toMatchObject({
      replicas: 5,
      able: { reason: 'ScaleUpStabilized' },
    });
    expect(limit({ behavior, wanted: 8, history: recommended([5, 3 * MINUTE]) })).toMatchObject({ replicas: 8 });
    // The way down has five minutes when nothing is said.
    expect(limit({ behavior, wanted: 1, history: recommended([3, 4 * MINUTE]) })).toMatchObject({
      replicas: 3,
      able: { reason: 'ScaleDownStabilized' },
    });
  });
});

it('the history is bounded', () => {
  let history = NO_HISTORY;
  for (let at = 0; at < 10 * 3_600_000; at += 15_000) {
    history = withScaleEvent(withRecommendation(history, 1, at), 1, at % 2 === 0 ? 2 : 0, at);
  }
  expect(history.recommendations.length).toBeLessThanOrEqual(241);
  expect(history.up.length + history.down.length).toBeLessThanOrEqual(121);
});
