/** Invariant: no container is started over and over without a pause. */
import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { healsByPolicy, wasAsked } from './healing-words.ts';
import { InvariantViolation } from './violation.ts';

const WINDOW_MS = 10_000;
/**
 * Starts within the window. The quickest curve here is 500 ms, tripled: a free first restart, four more, and the higher
 * rungs, which begin again.
 */
const MAX_STARTS = 8;

/** A container is never started over and over without a pause, whatever the pod's policy is. */
export function neverHot(facts: Facts): void {
  const pods = new Map<string, Pod>();
  const starts = new Map<string, number[]>();
  facts.on({
    'pod-written': ({ pod }) => void pods.set(pod.metadata?.uid ?? '', pod),
    // A lost machine loses its containers, whose starts count again from zero.
    'machine-lost': () => starts.clear(),
    started: ({ uid, container }, mono) => {
      const pod = pods.get(uid);
      if (!healsByPolicy(pod) || wasAsked(pod)) return;
      const key = `${uid} ${container}`;
      const recent = [...(starts.get(key) ?? []), mono].filter((at) => mono - at < WINDOW_MS);
      starts.set(key, recent);
      if (recent.length > MAX_STARTS) {
        throw new InvariantViolation('hot loop', `${key} started ${recent.length} times within ${WINDOW_MS} ms`);
      }
    },
  });
}
