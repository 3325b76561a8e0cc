/** How it comes that a trouble is over: what is gone, or has failed for good, has not recovered. Pure. */
import type { Pod } from '../../api/index.ts';
import { isPodActive } from '../pods/pod-state.ts';

/** no-pods: a workload that has none left, as one that was scaled to nothing or deleted. */
export type TroubleEnd = 'recovered' | 'gone' | 'no-pods' | 'failed';

/** Of a pod that nothing controls. @param pod undefined: it does not exist */
export function endOfPod(pod: Pod | undefined): TroubleEnd {
  if (pod === undefined) return 'gone';
  return pod.status?.phase === 'Failed' ? 'failed' : 'recovered';
}

/** Of a workload. A Job that has succeeded has no active pods and has recovered. @param pods all of it that there are */
export function endOfWorkload(kind: string, pods: readonly Pod[]): TroubleEnd {
  if (pods.some((pod) => isPodActive(pod) || pod.status?.phase === 'Succeeded')) return 'recovered';
  return kind === 'Job' && pods.some(({ status }) => status?.phase === 'Failed') ? 'failed' : 'no-pods';
}
