/** Recognises pods that the node keeps under any pressure. Pure. */
import type { Pod } from '../../api/index.ts';
import { isStaticPod } from './static-pods.ts';

/** Upstream: scheduling.SystemCriticalPriority. */
const CRITICAL_PRIORITY = 2_000_000_000;

/** Never evicted for the node's sake: static and mirror pods, and those with a critical priority. */
export function isCriticalPod(pod: Pod): boolean {
  if (isStaticPod(pod) || pod.metadata?.annotations?.['kubernetes.io/config.mirror'] !== undefined) return true;
  return (pod.spec?.priority ?? 0) >= CRITICAL_PRIORITY;
}
