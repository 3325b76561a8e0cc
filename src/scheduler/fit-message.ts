/** Why a pod goes nowhere, in upstream's words. Pure. */

/** "0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods." */
export function fitMessage(all: number, reasons: readonly string[]): string {
  const what = reasons.length === 0 ? '' : `: ${histogram(reasons)}.`;
  return `0/${all} nodes are available${what}`;
}

/** No node came into question, for a reason of the pod's own. */
export function rejectionMessage(all: number, rejection: string): string {
  return `0/${all} nodes are available: ${rejection}.`;
}

/** "1 Insufficient cpu, 2 Too many pods", sorted as text. */
function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted()
    .join(', ');
}
