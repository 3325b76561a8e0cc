/** The evidence about a node as plain data. An absent field was not read. */
import type { Node } from './kinds.ts';

export interface NodeEvidence {
  readonly name: string;
  /** Absent: the node does not exist (any more), or may not be read. */
  readonly node?: Node;
  readonly missing?: boolean;
  /** Wall ms of the lease's last renewal. */
  readonly renewedAt?: number;
  readonly leaseSeconds?: number;
}
