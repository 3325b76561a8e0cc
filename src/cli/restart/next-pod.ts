/**
 * Which pod of a workload is restarted next. Pure. Of pods that serve, none is taken that would leave fewer serving than the
 * budget allows, and none that a disruption budget wants to keep; one that does not serve costs nothing, so it need not wait
 * for others to be well.
 */

export interface PlannedPod {
  readonly uid: string;
  readonly name: string;
  /** todo: not begun. going: asked for, and not well again. given-up: did not come back, and the others go on. */
  readonly state: 'todo' | 'going' | 'done' | 'given-up';
  /** Ready for as long as the workload asks for. */
  readonly available: boolean;
  /** Who wants to keep it as it is: "PodDisruptionBudget web allows no disruption now". */
  readonly keptBy?: string;
}

export interface RestartPlanInput {
  /** All pods that the workload has now, also those that need no restart (`done`), in the order of their restarts. */
  readonly pods: readonly PlannedPod[];
  /** How many the workload wants. */
  readonly desired: number;
  /** At least 1. */
  readonly maxUnavailable: number;
}

export interface RestartPlan {
  /** The UID of the pod to restart now. Then, with that one going, the plan is made anew. */
  readonly start?: string;
  /** What holds back the next pod. */
  readonly waitsFor?: string;
}

export function nextPod({ pods, desired, maxUnavailable }: RestartPlanInput): RestartPlan {
  const count = (state: PlannedPod['state']): number => pods.filter((pod) => pod.state === state).length;
  if (count('going') >= maxUnavailable) return {};
  // Missing pods are away, too. Those that were given up count no more: somebody said to go on without them.
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
