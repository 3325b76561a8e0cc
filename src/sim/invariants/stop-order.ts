/** Invariant: sidecars stop after the containers that they serve. */
import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/**
 * When a pod is deleted, no sidecar is stopped while an app container or a later sidecar still runs, unless the grace period is
 * over. A sidecar whose stop began before the deletion (its probe failed, its sandbox changed) does not count.
 */
export function keepsStopOrder(facts: Facts): void {
  const pods = new Map<string, Pod>();
  /** UID → mono ms at the end of the shortest requested grace period. */
  const deadlines = new Map<string, number>();
  /** Nodes that may have evicted pods, which get one second, after which there is no order. */
  const short = new Set<string>();
  const told = new Set<string>();
  /** UID → names of running containers. */
  const running = new Map<string, Set<string>>();
  const stoppedBefore = new Set<string>();
  facts.on({
    'pod-written': ({ pod }, mono) => {
      const { uid = '', deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {};
      pods.set(uid, pod);
      if (deletionTimestamp === undefined) return;
      const deadline = mono + deletionGracePeriodSeconds * 1000;
      deadlines.set(uid, Math.min(deadline, deadlines.get(uid) ?? deadline));
    },
    'disk-filled': ({ node }) => void short.add(node),
    'deletion-delivered': ({ uid }) => void told.add(uid),
    started: ({ uid, container }) => void running.set(uid, (running.get(uid) ?? new Set()).add(container)),
    exited: ({ uid, container }) => void running.get(uid)?.delete(container),
    'stop-sent': ({ uid, id, container, attempt }, mono) => {
      if (!told.has(uid)) {
        stoppedBefore.add(id);
        return;
      }
      const deadline = deadlines.get(uid) ?? 0;
      if (stoppedBefore.has(id) || mono >= deadline || isOver(pods.get(uid))) return;
      if (short.has(pods.get(uid)?.spec?.nodeName ?? '')) return;
      const served = servedBy(pods.get(uid), container).find((name) => running.get(uid)?.has(name) === true);
      if (served === undefined) return;
      throw new InvariantViolation(
        'stop order',
        `${uid} sidecar ${container}#${attempt} was stopped while ${served} ran`,
      );
    },
  });
}

/** The containers that a sidecar waits for: the app containers and later sidecars. None for other containers. */
function servedBy(pod: Pod | undefined, name: string): readonly string[] {
  const inits = pod?.spec?.initContainers ?? [];
  const index = inits.findIndex((init) => init.name === name && init.restartPolicy === 'Always');
  if (index < 0) return [];
  const later = inits.slice(index + 1).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(pod?.spec?.containers ?? []), ...later].map((container) => container.name);
}

function isOver(pod: Pod | undefined): boolean {
  return pod?.status?.phase === 'Succeeded' || pod?.status?.phase === 'Failed';
}
