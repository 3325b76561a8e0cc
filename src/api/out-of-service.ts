/** Nodes of which somebody has confirmed that nothing runs on them any more. Pure. */
import { findCondition } from './conditions.ts';
import type { Node } from './types.gen.ts';

/** Upstream: core/v1, TaintNodeOutOfService. */
const OUT_OF_SERVICE_TAINT = 'node.kubernetes.io/out-of-service';

/** The taint counts only while the node is not Ready, as for upstream's PodGCController. */
export function isOutOfService(node: Node): boolean {
  const tainted = node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE_TAINT) === true;
  return tainted && findCondition(node.status?.conditions, 'Ready')?.status !== 'True';
}
