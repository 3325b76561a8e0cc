/** Whether one more volume fits on the node's disk. Pure. */

export interface SpaceFacts {
  /** Bytes that all volumes may have together. */
  readonly capacityBytes: number;
  /** Capacities of the volumes that are there. */
  readonly taken: readonly number[];
  readonly wanted: number;
}

/** `undefined`: it fits; otherwise the reason in words. */
export function spaceProblem({ capacityBytes, taken, wanted }: SpaceFacts): string | undefined {
  const sum = taken.reduce((total, each) => total + each, 0);
  if (sum + wanted <= capacityBytes) return undefined;
  return `a volume of ${wanted} bytes does not fit: volumes of this node may have ${capacityBytes} bytes together, and ${sum} are taken`;
}
