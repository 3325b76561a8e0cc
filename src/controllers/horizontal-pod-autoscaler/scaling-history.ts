/** What an autoscaler remembers of its target between two looks. Pure values; the controller keeps them by key. */

export interface Recommendation {
  readonly replicas: number;
  /** Wall ms. */
  readonly at: number;
}

export interface ScaleEvent {
  /** Pods added, or taken away; positive. */
  readonly change: number;
  /** Wall ms. */
  readonly at: number;
}

export interface ScalingHistory {
  readonly recommendations: readonly Recommendation[];
  readonly up: readonly ScaleEvent[];
  readonly down: readonly ScaleEvent[];
}

export const NO_HISTORY: ScalingHistory = { recommendations: [], up: [], down: [] };

/** The longest window of stabilization, and the longest period of a policy, that a manifest can ask for. */
const LONGEST_WINDOW_MS = 3600_000;
const LONGEST_PERIOD_MS = 1800_000;

/** With what was recommended now; what no window reaches is forgotten. */
export function withRecommendation(history: ScalingHistory, replicas: number, now: number): ScalingHistory {
  const kept = history.recommendations.filter(({ at }) => at > now - LONGEST_WINDOW_MS);
  return { ...history, recommendations: [...kept, { replicas, at: now }] };
}

/** With what was done now. */
export function withScaleEvent(history: ScalingHistory, from: number, to: number, now: number): ScalingHistory {
  const recent = (events: readonly ScaleEvent[]) => events.filter(({ at }) => at > now - LONGEST_PERIOD_MS);
  const event = { change: Math.abs(to - from), at: now };
  const [up, down] = [recent(history.up), recent(history.down)];
  return to > from ? { ...history, up: [...up, event], down } : { ...history, up, down: [...down, event] };
}
