/** Invariant: a pod's status never goes backwards. */
import type { Pod } from '../../api/index.ts';
import type { ContainerName, Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/**
 * A pod's status never goes backwards: restart counts never fall, a terminal phase stays and is never reported while a container
 * runs, and a pod is bound once.
 */
export function keepsStatusHistory(facts: Facts, running: () => readonly ContainerName[]): void {
  const last = new Map<string, Pod>();
  facts.on({
    'pod-deleted': ({ pod }) => void last.delete(pod.metadata?.uid ?? ''),
    'pod-written': ({ pod }) => {
      const uid = pod.metadata?.uid ?? '';
      const before = last.get(uid);
      last.set(uid, pod);
      if (before !== undefined) compare(uid, before, pod);
      if (!isTerminal(pod) || (before !== undefined && isTerminal(before)) || endedByPodGc(pod)) return;
      const alive = running().find((each) => each.uid === uid);
      if (alive === undefined) return;
      throw new InvariantViolation('terminal phase', `${uid} is ${pod.status?.phase} while ${alive.container} runs`);
    },
  });
}

function compare(uid: string, before: Pod, after: Pod): void {
  if (isTerminal(before) && before.status?.phase !== after.status?.phase) {
    throw new InvariantViolation(
      'terminal phase',
      `${uid} went from ${before.status?.phase} to ${after.status?.phase}`,
    );
  }
  const node = before.spec?.nodeName ?? '';
  if (node !== '' && after.spec?.nodeName !== node) {
    throw new InvariantViolation('bound once', `${uid} moved from ${node} to ${after.spec?.nodeName}`);
  }
  const counts = countsOf(after);
  for (const [name, count] of countsOf(before)) {
    const now = counts.get(name) ?? 0;
    if (now < count) throw new InvariantViolation('restart counts', `${uid} ${name} fell from ${count} to ${now}`);
  }
}

function countsOf({ status }: Pod): ReadonlyMap<string, number> {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return new Map(all.map(({ name, restartCount }) => [name, restartCount]));
}

function isTerminal({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function endedByPodGc({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(({ reason }) => reason === 'DeletionByPodGC');
}
