/** Invariant: no container is killed before its grace period is over. */
import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { graceOfRestart } from './healing-words.ts';
import { mayRestartAll } from './restarts-all.ts';
import { InvariantViolation } from './violation.ts';

/** The kubelet counts whole seconds. */
const SLACK_MS = 1000;
const DEFAULT_GRACE_SECONDS = 30;
const LEAST_GRACE_SECONDS = 2;
const EVICTION_GRACE_SECONDS = 1;

/** No SIGKILL before the grace ends: the one that the deletion asked for, else the pod's own (or its probe's). */
export function givesFullGrace(facts: Facts): void {
  const pods = new Map<string, Pod>();
  /** UID → mono ms at the end of the shortest grace period that a deletion asked for. */
  const deadlines = new Map<string, number>();
  /** UID → the shortest grace period that a restart of the pod asked for, seconds. */
  const restartGraces = new Map<string, number>();
  /** Container id → mono ms when its first stop was sent; the grace period counts from there, even if the call failed. */
  const firstStops = new Map<string, number>();
  /** UID → mono ms of the first stop of any of its containers; all stops of a pod's end share that grace period. */
  const podStops = new Map<string, number>();
  /** Container id → mono ms when a stop first reached the runtime, so that the process got its stop signal. */
  const firstHeard = new Map<string, number>();
  /** Nodes that may have evicted pods, which get one second. */
  const short = new Set<string>();
  let wallIsSane = true;
  facts.on({
    'wall-stepped': () => {
      wallIsSane = false;
    },
    'disk-filled': ({ node }) => void short.add(node),
    'pod-written': ({ pod }, mono) => {
      const { uid = '', deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {};
      const before = pods.get(uid)?.metadata;
      pods.set(uid, pod);
      const restart = graceOfRestart(pod);
      if (restart !== undefined) restartGraces.set(uid, Math.min(restart, restartGraces.get(uid) ?? restart));
      const news =
        before?.deletionTimestamp === undefined || before.deletionGracePeriodSeconds !== deletionGracePeriodSeconds;
      if (deletionTimestamp === undefined || !news) return;
      const deadline = mono + deletionGracePeriodSeconds * 1000;
      deadlines.set(uid, Math.min(deadline, deadlines.get(uid) ?? deadline));
    },
    'pod-deleted': ({ pod }) => void pods.delete(pod.metadata?.uid ?? ''),
    'stop-sent': ({ id, uid }, mono) => {
      if (!podStops.has(uid)) podStops.set(uid, mono);
      if (!firstStops.has(id)) firstStops.set(id, mono);
    },
    'stop-called': ({ id }, mono) => {
      if (!firstHeard.has(id)) firstHeard.set(id, mono);
    },
    exited: ({ uid, id, container, attempt, cause }, mono) => {
      const pod = pods.get(uid);
      if (cause !== 'kill' || pod === undefined || !wallIsSane) return;
      const stopped = firstStops.get(id);
      const quick = short.has(pod.spec?.nodeName ?? '') ? EVICTION_GRACE_SECONDS : LEAST_GRACE_SECONDS;
      const mayBeQuick = short.has(pod.spec?.nodeName ?? '') || mayRestartAll(pod);
      const own = Math.min(graceOf(pod, container), restartGraces.get(uid) ?? Number.POSITIVE_INFINITY);
      const due = mayBeQuick ? Math.min(quick, own) : own;
      const counted = stopped !== undefined && isSidecar(pod, container) ? (podStops.get(uid) ?? stopped) : stopped;
      const ownEnds = counted === undefined ? Number.POSITIVE_INFINITY : counted + due * 1000;
      const asked = pod.metadata?.deletionGracePeriodSeconds ?? Number.POSITIVE_INFINITY;
      const graceEnds = Math.min(ownEnds, deadlines.get(uid) ?? Number.POSITIVE_INFINITY);
      const allowedAt = Math.max(graceEnds, heardLongEnough(firstHeard.get(id), Math.min(due, asked)));
      if (mono >= allowedAt - SLACK_MS) return;
      const early = ((allowedAt - mono) / 1000).toFixed(1);
      throw new InvariantViolation('full grace', `${uid} ${container}#${attempt} was killed ${early} s early`);
    },
  });
}

/** Mono ms until which the process must have had time to end by itself, however late the stop arrived. */
function heardLongEnough(heardAt: number | undefined, graceSeconds: number): number {
  return (heardAt ?? Number.NEGATIVE_INFINITY) + Math.min(graceSeconds, LEAST_GRACE_SECONDS) * 1000;
}

function graceOf(pod: Pod, container: string): number {
  const own = pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  const found = pod.spec?.containers.find(({ name }) => name === container);
  const probes = [found?.livenessProbe, found?.startupProbe].flatMap(
    (probe) => probe?.terminationGracePeriodSeconds ?? [],
  );
  return Math.min(own, ...probes);
}

/** Whether the container is a sidecar, which ends after the others with the rest of the grace period. */
function isSidecar(pod: Pod, container: string): boolean {
  return (
    pod.spec?.initContainers?.some(({ name, restartPolicy }) => name === container && restartPolicy === 'Always') ===
    true
  );
}
