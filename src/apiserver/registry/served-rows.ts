/** The rows of the kinds that are served, for whoever needs no more of a kind than its row. */
import type { ResourceRow } from '../../api/index.ts';

/** The part of a row that tells kinds apart. */
export type ResourceName = Pick<ResourceRow, 'group' | 'version' | 'resource'>;

export interface ServedRows {
  /** The row of a path; undefined: none is served there. */
  rowOf(name: ResourceName): ResourceRow | undefined;
  /** Every row that clients are told of, in the order in which discovery lists them. */
  rows(): readonly ResourceRow[];
}
