/**
 * NoExecute taints: pods that do not tolerate them leave at once, those that do for a while leave then, and a taint that goes
 * away in time lets them stay. The clock of a pod begins when this controller first sees it with the taint (as upstream).
 */
import { NODES, type Pod, PODS, setCondition } from '../../api/index.ts';
import { type EventRecorder, referenceTo } from '../../client/index.ts';
import { type Clock, formatTime } from '../../lib/index.ts';
import type { Informers } from '../informers.ts';
import type { Operation } from '../operation.ts';
import { type Controller, source } from '../run-controller.ts';
import { noExecuteTaints, planTaintEviction } from './plan-taint-eviction.ts';

const REASON = 'TaintManagerEviction';

/** Keys are pods. */
export function taintEvictionController(informers: Informers, clock: Clock, events: EventRecorder): Controller {
  const pods = informers.lister(PODS);
  const nodes = informers.lister(NODES);
  /** Pod → its UID, and mono ms since when it has been on a node that does not want it. */
  const waiting = new Map<string, { readonly uid: string; readonly since: number }>();
  /** Node → its NoExecute taints as last seen, as text: a heartbeat concerns no pod. */
  const taintsOf = new Map<string, string>();
  return {
    name: 'taint-eviction-controller',
    sources: [
      source(NODES, ({ type, key, object }) => {
        const taints = type === 'delete' ? '[]' : JSON.stringify(noExecuteTaints(object));
        const before = taintsOf.get(key) ?? '[]';
        if (type === 'delete') taintsOf.delete(key);
        else taintsOf.set(key, taints);
        if (taints === before) return [];
        return pods.list().flatMap((pod) => (pod.spec?.nodeName === key ? [keyOf(pod)] : []));
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
      const verdict = planTaintEviction(pod, noExecuteTaints(nodes.getByKey(pod.spec?.nodeName ?? '')));
      if (verdict === 'stay') {
        waiting.delete(key);
        if (known?.uid === uid) events.event(referenceTo(pod), 'Normal', REASON, `Cancelling deletion of Pod ${key}`);
        return undefined;
      }
      const now = clock.now();
      const since = known?.uid === uid ? known.since : now.mono;
      const waitMs = since + verdict.afterSeconds * 1000 - now.mono;
      if (waitMs > 0) {
        waiting.set(key, { uid, since });
        return { requeueAfterMs: waitMs };
      }
      waiting.delete(key);
      events.event(referenceTo(pod), 'Normal', REASON, `Marking for deletion Pod ${key}`);
      await context.perform(evict(pod, formatTime(now.wall)));
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
