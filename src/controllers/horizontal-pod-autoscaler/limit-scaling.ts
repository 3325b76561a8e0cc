/**
 * From what the metrics ask for to what may be done now: stabilization windows, policies of the behavior, and the bounds of the
 * autoscaler (upstream: normalizeDesiredReplicas and normalizeDesiredReplicasWithBehaviors). Pure.
 */
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../api/index.ts';
import type { ScaleEvent, ScalingHistory } from './scaling-history.ts';

/** On the way down without a window of its own (upstream: 5 min). */
export const DOWN_WINDOW_SECONDS = 300;
/** On the way up without a behavior: to this many times as many, but to at least so many (upstream). */
const UP_FACTOR = 2;
const UP_LEAST = 4;

export interface LimitInput {
  readonly current: number;
  /** What the metrics ask for. */
  readonly wanted: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  readonly history: ScalingHistory;
  /** Wall ms. */
  readonly now: number;
}

interface Reason {
  readonly reason: string;
  readonly message: string;
}

export interface Limited {
  readonly replicas: number;
  /** Of the condition AbleToScale. */
  readonly able: Reason;
  /** Of the condition ScalingLimited. */
  readonly limited: Reason & { readonly isLimited: boolean };
}

const READY: Reason = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const STABLE_DOWN: Reason = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const STABLE_UP: Reason = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const IN_RANGE: Reason = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
};
const TOO_FEW: Reason = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const TOO_MANY: Reason = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const TOO_FAST_UP: Reason = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const TOO_FAST_DOWN: Reason = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

export function limitScaling(input: LimitInput): Limited {
  const stable = input.behavior === undefined ? stabilizeDown(input) : stabilize(input, input.behavior);
  const able =
    stable === input.wanted
      ? READY
      : input.behavior === undefined || input.wanted < input.current
        ? STABLE_DOWN
        : STABLE_UP;
  const bounds = input.behavior === undefined ? plainBounds(input) : behaviorBounds(input, input.behavior, stable);
  if (stable < bounds.least) return { replicas: bounds.least, able, limited: { ...bounds.below, isLimited: true } };
  if (stable > bounds.most) return { replicas: bounds.most, able, limited: { ...bounds.above, isLimited: true } };
  return { replicas: stable, able, limited: { ...IN_RANGE, isLimited: false } };
}

/** The highest of what was recommended lately. */
function stabilizeDown({ wanted, history, now }: LimitInput): number {
  const since = now - DOWN_WINDOW_SECONDS * 1000;
  return Math.max(wanted, ...history.recommendations.filter(({ at }) => at > since).map(({ replicas }) => replicas));
}

/** Not above the lowest that was recommended in the window of the way up, and not below the highest in that of the way down. */
function stabilize({ current, wanted, history, now }: LimitInput, behavior: HorizontalPodAutoscalerBehavior): number {
  const upSince = now - (behavior.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
  const downSince = now - (behavior.scaleDown?.stabilizationWindowSeconds ?? DOWN_WINDOW_SECONDS) * 1000;
  let [low, high] = [wanted, wanted];
  for (const { replicas, at } of history.recommendations) {
    if (at > upSince) low = Math.min(low, replicas);
    if (at > downSince) high = Math.max(high, replicas);
  }
  return Math.min(Math.max(current, low), high);
}

interface Bounds {
  readonly least: number;
  readonly below: Reason;
  readonly most: number;
  readonly above: Reason;
}

function plainBounds({ current, min, max }: LimitInput): Bounds {
  const fastest = Math.max(UP_FACTOR * current, UP_LEAST);
  const above = max > fastest ? TOO_FAST_UP : TOO_MANY;
  return { least: min, below: TOO_FEW, most: Math.min(max, fastest), above };
}

function behaviorBounds(input: LimitInput, behavior: HorizontalPodAutoscalerBehavior, stable: number): Bounds {
  const { current, min, max } = input;
  const bounds = { least: min, below: TOO_FEW, most: max, above: TOO_MANY };
  if (stable > current) {
    const fastest = Math.max(current, upLimit(input, behavior.scaleUp));
    // The least is still kept: a target that is below it has been dealt with before any metric was asked.
    return max > fastest ? { ...bounds, least: 0, most: fastest, above: TOO_FAST_UP } : { ...bounds, least: 0 };
  }
  if (stable < current) {
    const fastest = Math.min(current, downLimit(input, behavior.scaleDown));
    return min < fastest
      ? { ...bounds, least: fastest, below: TOO_FAST_DOWN, most: Infinity }
      : { ...bounds, most: Infinity };
  }
  return { ...bounds, least: 0, most: Infinity };
}

/** The target's size at the beginning of a period: without what was done since. */
function sizeBefore({ current, history, now }: LimitInput, periodSeconds: number): number {
  const since = now - periodSeconds * 1000;
  const sum = (events: readonly ScaleEvent[]) =>
    events.filter(({ at }) => at > since).reduce((total, { change }) => total + change, 0);
  return current - sum(history.up) + sum(history.down);
}

/** Policies that a server has filled in; an object of elsewhere may have none. */
function policiesOf(rules: HPAScalingRules | undefined) {
  return rules?.policies ?? [];
}

function upLimit(input: LimitInput, rules: HPAScalingRules | undefined): number {
  if (rules?.selectPolicy === 'Disabled') return input.current;
  const proposed = policiesOf(rules).map(({ type, value, periodSeconds }) => {
    const before = sizeBefore(input, periodSeconds);
    return type === 'Pods' ? before + value : Math.ceil(before * (1 + value / 100));
  });
  if (proposed.length === 0) return input.max;
  return rules?.selectPolicy === 'Min' ? Math.min(...proposed) : Math.max(...proposed);
}

/** The least change leaves the most. */
function downLimit(input: LimitInput, rules: HPAScalingRules | undefined): number {
  if (rules?.selectPolicy === 'Disabled') return input.current;
  const proposed = policiesOf(rules).map(({ type, value, periodSeconds }) => {
    const before = sizeBefore(input, periodSeconds);
    return type === 'Pods' ? before - value : Math.trunc(before * (1 - value / 100));
  });
  if (proposed.length === 0) return input.min;
  return rules?.selectPolicy === 'Min' ? Math.max(...proposed) : Math.min(...proposed);
}
