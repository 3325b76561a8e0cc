import { NODES, PODS, isNotFound } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Clock, formatTime } from '../../lib/index.ts';
import type { Informers } from '../informers.ts';
import { ORPHAN_QUARANTINE_MS } from '../limits.ts';
import { type Controller, source } from '../run-controller.ts';
import { planPodGc } from './plan-pod-gc.ts';

/** Keys are node names; '' stands for pods without a node. */
export function podGcController(informers: Informers, client: KubeClient, clock: Clock): Controller {
  const pods = informers.lister(PODS);
  const nodes = informers.lister(NODES);
  /** Node → mono ms since when its object has been missing. */
  const missingSince = new Map<string, number>();
  const podsOf = (nodeName: string) => pods.list().filter((pod) => (pod.spec?.nodeName ?? '') === nodeName);
  return {
    name: 'pod-garbage-collector',
    sources: [
      source(NODES, ({ key }) => [key]),
      source(PODS, ({ type, object }) => {
        const nodeName = object.spec?.nodeName ?? '';
        if (type === 'delete') return [];
        const concerned =
          nodeName === '' ? object.metadata?.deletionTimestamp !== undefined : !nodes.getByKey(nodeName);
        return concerned ? [nodeName] : [];
      }),
    ],
    reconcile: async (nodeName, context) => {
      const now = clock.now();
      if (nodeName === '') {
        await context.perform(planPodGc(podsOf(''), 'unscheduled', formatTime(now.wall)));
        return undefined;
      }
      const orphans = podsOf(nodeName);
      if (nodes.getByKey(nodeName) !== undefined || orphans.length === 0) {
        missingSince.delete(nodeName);
        return undefined;
      }
      const since = missingSince.get(nodeName) ?? now.mono;
      missingSince.set(nodeName, since);
      const waitMs = since + ORPHAN_QUARANTINE_MS - now.mono;
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      if (await nodeExists(client, nodeName, context.signal)) return { requeueAfterMs: ORPHAN_QUARANTINE_MS };
      await context.perform(planPodGc(orphans, 'orphaned', formatTime(now.wall)));
      return undefined;
    },
  };
}

/** Asks the server itself: no pod dies for a stale cache. */
async function nodeExists(client: KubeClient, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(NODES, undefined, name, signal);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
