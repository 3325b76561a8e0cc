/** Why a pod goes nowhere, in upstream's words. Pure. */
import { countedReasons } from '../api/index.ts';

/** "0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods." */
export function fitMessage(all: number, reasons: readonly string[]): string {
  const what = reasons.length === 0 ? '' : `: ${countedReasons(reasons)}.`;
  return `0/${all} nodes are available${what}`;
}

/** No node came into question, for a reason of the pod's own. */
export function rejectionMessage(all: number, rejection: string): string {
  return `0/${all} nodes are available: ${rejection}.`;
}
