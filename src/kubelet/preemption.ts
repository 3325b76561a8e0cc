/** Makes room for critical pods that the node has too little for (upstream: CriticalPodAdmissionHandler). */
import type { Pod } from '../api/index.ts';
import type { Clock, Logger, MetricsRegistry } from '../lib/index.ts';
import type { Shortage } from './admission/admit-pod.ts';
import { choosePreempted } from './admission/choose-preempted.ts';
import { isCriticalPod } from './pods/critical-pod.ts';
import { DEFAULT_GRACE_PERIOD_SECONDS } from './plan/limits.ts';
import type { PodNote, TerminationRequest } from './plan/pod-memory.ts';

import type { PodEvents } from './types.ts';

const REASON = 'Preempting' as const;
const MESSAGE = 'Preempted in order to admit critical pod';

export interface PreemptionOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: PodEvents;
  readonly terminate: (pod: Pod, request: TerminationRequest, end: PodNote['end']) => void;
}

/**
 * Asks enough of `others` to end, each with its own grace period.
 * @param others pods that run and have not been asked to end
 * @returns false: `pod` is not critical, or they could not make room for it.
 */
export type Preempt = (pod: Pod, others: readonly Pod[], shortages: readonly Shortage[]) => boolean;

export function createPreemption({ clock, logger, metrics, events, terminate }: PreemptionOptions): Preempt {
  const preemptions = metrics.counter({
    name: 'kubelet_preemptions',
    help: 'Pods that had to make room for critical pods, by the resource that was short.',
    labels: ['preemption_signal'],
  });
  return (pod, others, shortages) => {
    if (!isCriticalPod(pod)) return false;
    const chosen = choosePreempted(pod, others, shortages);
    if (chosen === undefined) return false;
    for (const each of chosen) {
      const { name, namespace } = each.metadata ?? {};
      logger.warn('pod preempted', { pod: `${namespace}/${name}`, for: pod.metadata?.name ?? '', shortages });
      events.pod(each, 'Warning', REASON, MESSAGE);
      preemptions.inc({ preemption_signal: shortages[0]?.resource ?? '' });
      const request = {
        reason: REASON,
        message: MESSAGE,
        gracePeriodSeconds: each.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD_SECONDS,
        requestedAt: clock.now().wall,
        condition: {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'TerminationByKubelet',
          message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
        },
      };
      terminate(each, request, { phase: 'Failed', reason: REASON, message: MESSAGE });
    }
    return chosen.length > 0;
  };
}
