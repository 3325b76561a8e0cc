/** What every filter answers. Pure. */
import type { Pod } from '../../api/index.ts';
import type { NodeInfo } from '../node-info.ts';

/** Why a node does not fit, in upstream's words. */
export interface Misfit {
  readonly reasons: readonly string[];
  /** Whether fewer pods on the node could help. */
  readonly resolvable: boolean;
}

/** `undefined`: it fits. */
export type Filter = (pod: Pod, info: NodeInfo) => Misfit | undefined;

export function unresolvable(reason: string): Misfit {
  return { reasons: [reason], resolvable: false };
}
