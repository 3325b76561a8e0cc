/** Invariant: a pod keeps its node for life, has one owner at a time, and runs on one node. */
import { controllerOf, uidOf } from '../../../api/index.ts';
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';

export function onePlace({ stored, facts }: Fleet): void {
  stored.pods.onChange((key, pod, before) => {
    if (pod === undefined) return;
    const owners = pod.metadata?.ownerReferences?.filter(({ controller }) => controller === true) ?? [];
    if (owners.length > 1) throw new InvariantViolation('one owner', `${key} has ${owners.length}`);
    if (before === undefined || uidOf(before) !== uidOf(pod)) return;
    const was = before.spec?.nodeName ?? '';
    const is = pod.spec?.nodeName ?? '';
    if (was !== '' && was !== is) throw new InvariantViolation('one node', `${key} moved from ${was} to ${is}`);
    const owner = controllerOf(before)?.uid;
    const now = controllerOf(pod)?.uid;
    if (owner !== undefined && now !== undefined && owner !== now)
      throw new InvariantViolation('one owner', `${key} went from one to another without being released`);
  });
  facts.listen({
    started: ({ uid, key, node }) => {
      for (const other of facts.running.values()) {
        if (other.uid !== uid || other.node === node) continue;
        throw new InvariantViolation('one place', `${key} starts on ${node} while it runs on ${other.node}`);
      }
    },
  });
}
