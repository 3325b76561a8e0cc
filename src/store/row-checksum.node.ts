/** The checksum of a row: over its value and all that is said of it, so that no part can change without being noticed. */
import { crc32 } from 'node:zlib';

/** A row of the log as it is written; `checksum` is apart. */
export interface LogRow {
  readonly revision: number;
  readonly key: string;
  readonly createRevision: number;
  readonly previousRevision: number;
  /** One of `RowState`. */
  readonly deleted: number;
  readonly expiresAt: number | null;
  readonly ttlMs: number | null;
  readonly value: Uint8Array;
}

/**
 * CRC-32: it finds every change of up to three bits and every burst of up to 32 bits, and misses one in four thousand million
 * of all other changes. It protects against disks, not against people: whoever can write the file can also write a checksum.
 */
export function checksumOf(row: LogRow): number {
  const { revision, key, createRevision, previousRevision, deleted, expiresAt, ttlMs } = row;
  const head = `${revision} ${createRevision} ${previousRevision} ${deleted} ${expiresAt} ${ttlMs} ${key}\n`;
  return crc32(row.value, crc32(head));
}

/** The checksum of a short text. */
export function checksumOfText(text: string): number {
  return crc32(text);
}
