/** Removes pods that no other component removes: those of deleted nodes, and excess ended ones. */
import { type Node, NODES, type Pod, PODS, isNotFound, isOutOfService, namespaceOf } from '../../api/index.ts';
import { type Change, type KubeClient, objectKey, type Informers } from '../../client/index.ts';
import { type Clock, formatTime, mapLimit, type MetricsRegistry } from '../../lib/index.ts';
import { BY_NODE } from '../indexes.ts';
import { MAX_BATCH, ORPHAN_QUARANTINE_MS, TERMINATED_POD_THRESHOLD } from '../limits.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { endPod, isUnscheduledTerminating, type PodGcReason, surplusOf } from './plan-pod-gc.ts';

/** Keys are node names, and two that no node can have. */
const UNSCHEDULED = '';
const TERMINATED = '#terminated';

export interface PodGcOptions {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  /** Ended pods that are kept; 0: all of them. */
  readonly terminatedPodThreshold?: number;
}

export function podGcController(options: PodGcOptions): Controller {
  const { informers, client, clock, terminatedPodThreshold: threshold = TERMINATED_POD_THRESHOLD } = options;
  const pods = informers.lister(PODS);
  const nodes = informers.lister(NODES);
  const end = podEnder(options);
  /** Node → mono ms since when its object has been missing. */
  const missingSince = new Map<string, number>();
  /** Keys of pods that have ended: counted as they come, so that all pods need not be counted. */
  const terminated = new Set<string>();
  const count = (change: Change<Pod>): void => {
    const key = objectKey(change.object);
    if (change.type === 'apply' && isPodTerminal(change.object)) terminated.add(key);
    else terminated.delete(key);
  };

  const ofNode = async (nodeName: string, context: ReconcileContext): Promise<ReconcileResult | void> => {
    const node = nodes.getByKey(nodeName);
    const own = pods.byIndex(BY_NODE, nodeName);
    if (node !== undefined || own.length === 0) missingSince.delete(nodeName);
    if (node !== undefined && isOutOfService(node)) {
      const going = own.filter((pod) => pod.metadata?.deletionTimestamp !== undefined);
      await end(going, 'out-of-service', context);
    }
    if (node !== undefined || own.length === 0) return undefined;
    const now = clock.now();
    const since = missingSince.get(nodeName) ?? now.mono;
    missingSince.set(nodeName, since);
    const waitMs = since + ORPHAN_QUARANTINE_MS - now.mono;
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    if (await nodeExists(client, nodeName, context.signal)) return { requeueAfterMs: ORPHAN_QUARANTINE_MS };
    await end(own, 'orphaned', context);
    return undefined;
  };

  return {
    name: 'pod-garbage-collector',
    sources: [
      source(NODES, (change) => {
        const previous = 'previous' in change ? change.previous : undefined;
        // Most changes of a node are heartbeats.
        const same = previous !== undefined && isOutOfService(previous) === isOutOfService(change.object);
        return change.type === 'apply' && same ? [] : [change.object.metadata?.name ?? ''];
      }),
      source(PODS, (change) => {
        count(change);
        const full = threshold > 0 && terminated.size > threshold ? [TERMINATED] : [];
        return change.type === 'delete'
          ? full
          : [...full, ...nodeKeys(change.object, nodes.getByKey(nodeOf(change.object)))];
      }),
    ],
    reconcile: async (key, context) => {
      if (key === TERMINATED) {
        const surplus = surplusOf(pods.list().filter(isPodTerminal), threshold);
        await end(surplus.filter(isNotForced), 'terminated', context);
        return undefined;
      }
      if (key !== UNSCHEDULED) return ofNode(key, context);
      await end(pods.byIndex(BY_NODE, '').filter(isUnscheduledTerminating), 'unscheduled', context);
      return undefined;
    },
  };
}

/** One that was force deleted and is there still waits for its finalizers alone. */
function isNotForced({ metadata }: Pod): boolean {
  return metadata?.deletionTimestamp === undefined || metadata.deletionGracePeriodSeconds !== 0;
}

function nodeOf(pod: Pod): string {
  return pod.spec?.nodeName ?? '';
}

function nodeKeys(pod: Pod, node: Node | undefined): readonly string[] {
  const name = nodeOf(pod);
  if (name === '') return isUnscheduledTerminating(pod) ? [UNSCHEDULED] : [];
  if (node === undefined) return [name];
  return pod.metadata?.deletionTimestamp !== undefined && isOutOfService(node) ? [name] : [];
}

/** Ends pods side by side, and counts. Rejects, when all were tried, with the first that failed. */
function podEnder({ clock, metrics }: PodGcOptions) {
  const labels = ['namespace', 'reason'];
  const ended = metrics.counter({
    name: 'pod_gc_collector_force_delete_pods_total',
    help: 'Pods that were force deleted since the start of the pod garbage collector.',
    labels,
  });
  const failed = metrics.counter({
    name: 'pod_gc_collector_force_delete_pod_errors_total',
    help: 'Failures to force delete a pod since the start of the pod garbage collector.',
    labels,
  });
  return async (pods: readonly Pod[], reason: PodGcReason, context: ReconcileContext): Promise<void> => {
    const now = formatTime(clock.now().wall);
    const errors: unknown[] = [];
    await mapLimit(pods, MAX_BATCH, async (pod) => {
      const about = { namespace: namespaceOf(pod), reason };
      ended.inc(about);
      try {
        await context.perform(endPod(pod, reason, now));
      } catch (error) {
        failed.inc(about);
        errors.push(error);
      }
    });
    if (errors.length > 0) throw errors[0];
  };
}

/** Asks the server itself: no pod dies for a stale cache. */
async function nodeExists(client: KubeClient, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(NODES, undefined, name, signal, { metadataOnly: true });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
