/** Names the workload that made a pod. Pure. */
import { controllerOf } from '../../../api/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import { TEMPLATE_HASH } from './rollout-overlap.ts';

/** The same for all pods of one controller, and another for each pod that has none. */
export function workloadUid(pod: Pod): string | undefined {
  return controllerOf(pod)?.uid ?? pod.metadata?.uid;
}

/** "deployment/web": a ReplicaSet of a Deployment has that one's name and a hash; undefined: nobody made it, or its node did. */
export function ownerOf(pod: Pod): string | undefined {
  const { kind, name = '' } = controllerOf(pod) ?? {};
  if (kind === undefined || kind === 'Node') return undefined;
  const hash = pod.metadata?.labels?.[TEMPLATE_HASH];
  const isOfDeployment = kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`);
  return isOfDeployment ? `deployment/${name.slice(0, -hash.length - 1)}` : `${kind.toLowerCase()}/${name}`;
}
