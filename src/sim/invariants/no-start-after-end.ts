/** Invariant: no container of a pod starts once the pod's end has begun. */
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/**
 * No start is sent after termination began, nor after a terminal phase was written. Termination has begun once an agent that
 * knows of the deletion stops a part of the pod. A start that was on its way at that moment is no violation.
 */
export function noStartAfterEnd(facts: Facts): void {
  const told = new Set<string>();
  const ending = new Set<string>();
  const over = new Set<string>();
  const stopped = ({ uid }: { readonly uid: string }): void => {
    if (told.has(uid)) ending.add(uid);
  };
  facts.on({
    'deletion-delivered': ({ uid }) => void told.add(uid),
    'stop-called': stopped,
    'sandbox-stopped': stopped,
    'pod-written': ({ pod }) => {
      const phase = pod.status?.phase;
      if (phase === 'Succeeded' || phase === 'Failed') over.add(pod.metadata?.uid ?? '');
    },
    'start-sent': ({ uid, container, attempt }) => {
      const what = `${uid} ${container}#${attempt} started after`;
      if (ending.has(uid)) throw new InvariantViolation('no start after the end', `${what} its termination began`);
      if (over.has(uid)) throw new InvariantViolation('no start after the end', `${what} its phase was terminal`);
    },
  });
}
