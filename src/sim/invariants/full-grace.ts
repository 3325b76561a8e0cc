import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/** The kubelet counts whole seconds. */
const SLACK_MS = 1000;
const DEFAULT_GRACE_SECONDS = 30;

/** No SIGKILL before the grace ends: the one that the deletion asked for, else the pod's own (or its probe's). */
export function givesFullGrace(facts: Facts): void {
  const pods = new Map<string, Pod>();
  /** UID → mono ms when the shortest grace that was ever asked for ends. */
  const deadlines = new Map<string, number>();
  /** Container id → mono ms when its first stop was sent: the grace counts from there, whatever became of the call. */
  const firstStops = new Map<string, number>();
  let wallIsSane = true;
  facts.on({
    'wall-stepped': () => {
      wallIsSane = false;
    },
    'pod-written': ({ pod }, mono) => {
      const { uid = '', deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {};
      const before = pods.get(uid)?.metadata;
      pods.set(uid, pod);
      const news =
        before?.deletionTimestamp === undefined || before.deletionGracePeriodSeconds !== deletionGracePeriodSeconds;
      if (deletionTimestamp === undefined || !news) return;
      const deadline = mono + deletionGracePeriodSeconds * 1000;
      deadlines.set(uid, Math.min(deadline, deadlines.get(uid) ?? deadline));
    },
    'pod-deleted': ({ pod }) => void pods.delete(pod.metadata?.uid ?? ''),
    'stop-sent': ({ id }, mono) => {
      if (!firstStops.has(id)) firstStops.set(id, mono);
    },
    exited: ({ uid, id, container, attempt, cause }, mono) => {
      const pod = pods.get(uid);
      if (cause !== 'kill' || pod === undefined || !wallIsSane) return;
      const stopped = firstStops.get(id);
      const own = stopped === undefined ? Number.POSITIVE_INFINITY : stopped + graceOf(pod, container) * 1000;
      const allowedAt = Math.min(own, deadlines.get(uid) ?? Number.POSITIVE_INFINITY);
      if (mono >= allowedAt - SLACK_MS) return;
      const early = ((allowedAt - mono) / 1000).toFixed(1);
      throw new InvariantViolation('full grace', `${uid} ${container}#${attempt} was killed ${early} s early`);
    },
  });
}

function graceOf(pod: Pod, container: string): number {
  const own = pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  const found = pod.spec?.containers.find(({ name }) => name === container);
  const probes = [found?.livenessProbe, found?.startupProbe].flatMap(
    (probe) => probe?.terminationGracePeriodSeconds ?? [],
  );
  return Math.min(own, ...probes);
}
