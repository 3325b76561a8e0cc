/** Says why a pod fits nowhere, in upstream's words. Pure. */
import { countedReasons } from '../api/index.ts';

/** "0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods." */
export function fitMessage(all: number, reasons: readonly string[]): string {
  const what = reasons.length === 0 ? '' : `: ${countedReasons(reasons)}.`;
  return `0/${all} nodes are available${what}`;
}

/** The message when no node can fit, for a reason that lies in the pod. */
export function rejectionMessage(all: number, rejection: string): string {
  return `0/${all} nodes are available: ${rejection}.`;
}
