/** Rows of the log's table, read with suspicion: a row counts only if every column has its type and the checksum fits. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { checksumOf, checksumOfText, type LogRow } from './row-checksum.node.ts';

export type RawRow = Record<string, SQLOutputValue>;

export interface VerifiedRow extends LogRow {
  readonly checksum: number;
}

export const COLUMNS =
  'revision, key, create_revision, previous_revision, deleted, expires_at, ttl_ms, value, checksum';

/** `undefined`: the row is not what was written. */
export function verifyRow(raw: RawRow): VerifiedRow | undefined {
  const { revision, key, deleted, value, checksum } = raw;
  const createRevision = raw['create_revision'];
  const previousRevision = raw['previous_revision'];
  const expiresAt = raw['expires_at'] ?? null;
  const ttlMs = raw['ttl_ms'] ?? null;
  if (
    typeof revision !== 'number' ||
    typeof key !== 'string' ||
    typeof createRevision !== 'number' ||
    typeof previousRevision !== 'number' ||
    typeof deleted !== 'number' ||
    (expiresAt !== null && typeof expiresAt !== 'number') ||
    (ttlMs !== null && typeof ttlMs !== 'number') ||
    !(value instanceof Uint8Array) ||
    typeof checksum !== 'number'
  )
    return undefined;
  const row = { revision, key, createRevision, previousRevision, deleted, expiresAt, ttlMs, value };
  return checksumOf(row) === checksum ? { ...row, checksum } : undefined;
}

/** Numbers and texts that the file keeps of itself. */
export interface Marks {
  /** History is forgotten up to here … */
  readonly compacted: number;
  /** … and swept out up to here. */
  readonly swept: number;
  /** Revisions up to here were given away, whatever rows exist. */
  readonly base: number;
  /** The identity of the store; "": none in particular. */
  readonly identity: string;
}

export function markChecksum(name: string, value: string): number {
  return checksumOfText(`${name}=${value}`);
}

/** `undefined`: they are damaged or missing. */
export function readMarks(db: DatabaseSync): Marks | undefined {
  const found = new Map<string, string>();
  for (const { name, value, checksum } of db.prepare('SELECT name, value, checksum FROM marks').all()) {
    if (typeof name !== 'string' || typeof value !== 'string' || checksum !== markChecksum(name, value))
      return undefined;
    found.set(name, value);
  }
  const numberOf = (name: string): number => Number(found.get(name));
  const marks = { compacted: numberOf('compacted'), swept: numberOf('swept'), base: numberOf('base') };
  const identity = found.get('identity');
  const sound = Object.values(marks).every((value) => Number.isSafeInteger(value));
  return sound && identity !== undefined ? { ...marks, identity } : undefined;
}

export function writeMark(db: DatabaseSync, name: keyof Marks, value: string | number): void {
  const text = String(value);
  db.prepare('INSERT OR REPLACE INTO marks (name, value, checksum) VALUES (?, ?, ?)').run(
    name,
    text,
    markChecksum(name, text),
  );
}
