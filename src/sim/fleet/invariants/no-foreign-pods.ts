/** Invariant: a node runs only pods that the store has bound to it, and starts none from old data after its end was confirmed. */
import { uidOf } from '../../../api/index.ts';
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';

export function noForeignPods({ stored, facts }: Fleet): void {
  facts.listen({
    started: ({ uid, key, node, pod }) => {
      const { nodeName } = pod.spec ?? {};
      if (nodeName !== node) throw new InvariantViolation('foreign pod', `${key} of ${nodeName} starts on ${node}`);
      const current = stored.pods.objects.get(key);
      if (current !== undefined && uidOf(current) === uid && current.spec?.nodeName !== node)
        throw new InvariantViolation(
          'foreign pod',
          `${key} starts on ${node}, the store has ${current.spec?.nodeName}`,
        );
    },
  });
}
