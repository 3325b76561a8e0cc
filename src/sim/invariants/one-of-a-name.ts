/** Invariant: of the pods that have had one name, only one runs at a time on a node. */
import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { InvariantViolation } from './violation.ts';

/** A container starts on a node only after all containers of an earlier pod with the same namespace and name have ended there. */
export function oneOfAName(facts: Facts): void {
  /** "namespace/name on node" by UID. */
  const places = new Map<string, string>();
  /** UID by the id of each running container. */
  const running = new Map<string, string>();
  facts.on({
    'pod-written': ({ pod }) => places.set(pod.metadata?.uid ?? '', placeOf(pod)),
    started: ({ uid, id }) => {
      const place = places.get(uid);
      for (const other of running.values()) {
        if (other === uid || place === undefined || places.get(other) !== place) continue;
        throw new InvariantViolation('one of a name', `${place}: ${uid} started while ${other} runs`);
      }
      running.set(id, uid);
    },
    exited: ({ id }) => running.delete(id),
  });
}

function placeOf({ metadata, spec }: Pod): string {
  return `${metadata?.namespace}/${metadata?.name} on ${spec?.nodeName}`;
}
