/** Invariant: no two pods of one StatefulSet identity run at the same time on any nodes, whatever the store says. */
import { controllerOf } from '../../../api/index.ts';
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';

export function oneIdentity({ facts }: Fleet): void {
  facts.listen({
    started: ({ uid, key, node, pod }) => {
      if (controllerOf(pod)?.kind !== 'StatefulSet') return;
      for (const other of facts.running.values()) {
        if (other.key !== key || other.uid === uid) continue;
        throw new InvariantViolation(
          'one identity',
          `${key} starts on ${node} while another one runs on ${other.node}`,
        );
      }
    },
  });
}
