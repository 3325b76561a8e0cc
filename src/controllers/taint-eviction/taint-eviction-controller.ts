/**
 * NoExecute taints: pods that do not tolerate them are deleted at once, pods that do for a while are deleted then, and a
 * taint that is removed in time lets them stay. The clock of a pod begins when it meets the taint. Evictions for the loss of
 * a node wait while we do not trust our own view; evictions for an administrator's taint do not.
 */
import { NODES, type Pod, PODS, setCondition, type Taint } from '../../api/index.ts';
import { type EventRecorder, referenceTo, type Informers } from '../../client/index.ts';
import { type Clock, formatTime, type MetricsRegistry } from '../../lib/index.ts';
import { BY_NODE } from '../indexes.ts';
import { isLostTaint } from '../node-lifecycle/node-taints.ts';
import type { Operation } from '../operation.ts';
import { type Controller, source } from '../controller.ts';
import { EVICTION_CONCURRENCY } from './limits.ts';
import { metBeforeMs, noExecuteTaints, planTaintEviction } from './plan-taint-eviction.ts';

const REASON = 'TaintManagerEviction';

export interface TaintEvictionOptions {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly events: EventRecorder;
  /** Mono ms from which pods may leave a node because it is lost. */
  readonly lostNodesFrom: () => number;
}

/** Keys are pods. */
export function taintEvictionController(options: TaintEvictionOptions): Controller {
  const { informers, clock, metrics, events, lostNodesFrom } = options;
  const pods = informers.lister(PODS);
  const nodes = informers.lister(NODES);
  const deletions = metrics.counter({
    name: 'taint_eviction_controller_pod_deletions_total',
    help: 'Total number of Pods deleted by TaintEvictionController since its start.',
  });
  const latency = metrics.histogram({
    name: 'taint_eviction_controller_pod_deletion_duration_seconds',
    help: 'Latency, in seconds, between the time when a taint effect has been activated for the Pod and its deletion via TaintEvictionController.',
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
  });
  /** Pod → its UID, and mono ms since when it has been on a node that does not want it. */
  const waiting = new Map<string, { readonly uid: string; readonly since: number }>();
  /** Node → its NoExecute taints as last seen, as text: a heartbeat concerns no pod. */
  const taintsOf = new Map<string, string>();

  /** Mono ms when the pod has to go; undefined: it may stay. */
  const dueAt = (pod: Pod, since: number, taints: readonly Taint[]): number | undefined => {
    const verdict = planTaintEviction(pod, taints);
    return verdict === 'stay' ? undefined : since + verdict.afterSeconds * 1000;
  };

  return {
    name: 'taint-eviction-controller',
    concurrency: EVICTION_CONCURRENCY,
    sources: [
      source(NODES, ({ type, key, object }) => {
        const taints = type === 'delete' ? '[]' : JSON.stringify(noExecuteTaints(object));
        const before = taintsOf.get(key) ?? '[]';
        if (type === 'delete') taintsOf.delete(key);
        else taintsOf.set(key, taints);
        return taints === before ? [] : pods.byIndex(BY_NODE, key).map(keyOf);
      }),
      source(PODS, ({ key, object }) => {
        const node = nodes.getByKey(object.spec?.nodeName ?? '');
        return waiting.has(key) || noExecuteTaints(node).length > 0 ? [key] : [];
      }),
    ],
    reconcile: async (key, context) => {
      const pod = pods.getByKey(key);
      const known = waiting.get(key);
      const uid = pod?.metadata?.uid ?? '';
      if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined) {
        waiting.delete(key);
        return undefined;
      }
      const taints = noExecuteTaints(nodes.getByKey(pod.spec?.nodeName ?? ''));
      const now = clock.now();
      const since = known?.uid === uid ? known.since : now.mono - metBeforeMs(pod, taints, now.wall);
      const due = dueAt(pod, since, taints);
      if (due === undefined) {
        waiting.delete(key);
        if (known?.uid === uid) events.event(referenceTo(pod), 'Normal', REASON, `Cancelling deletion of Pod ${key}`);
        return undefined;
      }
      const dueAnyway = dueAt(
        pod,
        since,
        taints.filter((taint) => !isLostTaint(taint)),
      );
      const goAt = Math.min(dueAnyway ?? Number.POSITIVE_INFINITY, Math.max(due, lostNodesFrom()));
      if (goAt > now.mono) {
        waiting.set(key, { uid, since });
        return { requeueAfterMs: goAt - now.mono };
      }
      waiting.delete(key);
      events.event(referenceTo(pod), 'Normal', REASON, `Marking for deletion Pod ${key}`);
      await context.perform(evict(pod, formatTime(now.wall)));
      deletions.inc();
      latency.observe((clock.now().mono - Math.min(now.mono, due)) / 1000);
      return undefined;
    },
  };
}

function keyOf(pod: Pod): string {
  return `${pod.metadata?.namespace ?? ''}/${pod.metadata?.name ?? ''}`;
}

/** Its end is no failure of its own: the condition says so first. */
function evict(pod: Pod, now: string): readonly Operation[] {
  const { namespace = '', name = '', uid } = pod.metadata ?? {};
  const [condition] = setCondition(
    [],
    {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    },
    now,
  );
  const patch = { metadata: { uid }, status: { conditions: [condition] } };
  return [
    { verb: 'patch', resource: PODS, namespace, name, type: 'strategic', patch, subresource: 'status' },
    { verb: 'delete', resource: PODS, namespace, name, options: uid === undefined ? {} : { uid } },
  ];
}
