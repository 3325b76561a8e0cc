/** The head of a pod's book: its names, and the controller that made it. Pure. */
import { controllerOf, type Pod } from '../../api/index.ts';
import type { PodNames } from './death-book.ts';

export function namesOf(pod: Pod): PodNames {
  const { namespace = '', name = '', uid = '' } = pod.metadata ?? {};
  const owner = controllerOf(pod);
  return {
    namespace,
    name,
    uid,
    ...(owner === undefined ? {} : { owner: { kind: owner.kind, name: owner.name, uid: owner.uid } }),
  };
}
