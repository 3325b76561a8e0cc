/** Invariant: no container is started over and over without a pause. */
import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { healsByPolicy, wasAsked } from './healing-words.ts';
import { InvariantViolation } from './violation.ts';

const WINDOW_MS = 10_000;
/** The quickest curve here is 500 ms, tripled: the free first restart, four more, and rungs above that begin anew. */
const MAX_STARTS = 8;

/** Whatever a policy says, a container of it is never started over and over without a pause. */
export function neverHot(facts: Facts): void {
  const pods = new Map<string, Pod>();
  const starts = new Map<string, number[]>();
  facts.on({
    'pod-written': ({ pod }) => void pods.set(pod.metadata?.uid ?? '', pod),
    // Its containers are gone, and begin anew.
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
