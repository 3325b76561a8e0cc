/**
 * Chooses the pod of a workload that is restarted next. Pure. A serving pod is taken only if enough others keep serving and no
 * disruption budget forbids it; a pod that does not serve need not wait until enough others are available.
 */

export interface PlannedPod {
  readonly uid: string;
  readonly name: string;
  /** todo: not begun. going: requested, and not available again yet. given-up: it did not come back, and the others go on. */
  readonly state: 'todo' | 'going' | 'done' | 'given-up';
  /** Ready for as long as the workload asks for. */
  readonly available: boolean;
  /** The reason why it must not be restarted now: "PodDisruptionBudget web allows no disruption now". */
  readonly keptBy?: string;
}

export interface RestartPlanInput {
  /** All pods that the workload has now, also those that need no restart (`done`), in the order of their restarts. */
  readonly pods: readonly PlannedPod[];
  /** The number of pods that the workload wants. */
  readonly desired: number;
  /** At least 1. */
  readonly maxUnavailable: number;
}

export interface RestartPlan {
  /** The UID of the pod to restart now. The caller marks it as going and asks for the next plan. */
  readonly start?: string;
  /** The obstacle of the next pod. */
  readonly waitsFor?: string;
}

export function nextPod({ pods, desired, maxUnavailable }: RestartPlanInput): RestartPlan {
  const count = (state: PlannedPod['state']): number => pods.filter((pod) => pod.state === state).length;
  if (count('going') >= maxUnavailable) return {};
  // Missing pods count as away, too. Pods that were given up are not expected any more, because --keep-going accepts their loss.
  const expected = Math.max(0, desired - count('given-up'));
  const serving = pods.filter(serves).length;
  let waitsFor: string | undefined;
  for (const pod of pods.filter(({ state }) => state === 'todo')) {
    const obstacle = obstacleOf(pod, serving, expected, maxUnavailable);
    if (obstacle === undefined) return { start: pod.uid };
    waitsFor ??= `pod/${pod.name}: ${obstacle}`;
  }
  return waitsFor === undefined ? {} : { waitsFor };
}

function serves({ state, available }: PlannedPod): boolean {
  return available && (state === 'todo' || state === 'done');
}

function obstacleOf(pod: PlannedPod, serving: number, expected: number, maxUnavailable: number): string | undefined {
  if (serves(pod) && serving - 1 < expected - maxUnavailable) {
    return `${serving} of ${expected} pods are available, and at most ${maxUnavailable} may be away`;
  }
  return pod.keptBy;
}
