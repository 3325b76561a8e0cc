/** A sum over all rows of the log: two logs with the same tally have the same rows. Pure. */
export interface Tally {
  readonly rows: number;
  /** All checksums, combined so that the order does not matter. */
  readonly sum: number;
}

export const EMPTY_TALLY: Tally = { rows: 0, sum: 0 };

export function withRow({ rows, sum }: Tally, checksum: number): Tally {
  return { rows: rows + 1, sum: (sum ^ checksum) >>> 0 };
}

export function withoutRow({ rows, sum }: Tally, checksum: number): Tally {
  return { rows: rows - 1, sum: (sum ^ checksum) >>> 0 };
}
