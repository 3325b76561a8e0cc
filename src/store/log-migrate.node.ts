/** The log of format 1, which had no checksums, as rows of today. */
import type { DatabaseSync } from 'node:sqlite';
import { RowState } from './directory.ts';
import { markerRow, type RowSource } from './log-rebuild.node.ts';

// The newest row of each key; history is not carried over, because no reader needs it across a restart.
const NEWEST = `SELECT log.* FROM (SELECT max(revision) AS revision FROM log GROUP BY key) AS newest
  JOIN log ON log.revision = newest.revision WHERE log.deleted = 0 ORDER BY log.revision`;

/** Values that are visibly no objects are marked as damaged; readable ones are trusted. */
export function* rowsFromFormat1(db: DatabaseSync): RowSource {
  for (const raw of db.prepare(NEWEST).iterate()) {
    const { revision, key, value } = raw;
    if (typeof revision !== 'number' || typeof key !== 'string') continue;
    if (!(value instanceof Uint8Array) || !isObject(value)) {
      yield markerRow(key, revision);
      continue;
    }
    const expiresAt = raw['expires_at'];
    const ttlMs = raw['ttl_ms'];
    yield {
      revision,
      key,
      createRevision: Number(raw['create_revision']),
      previousRevision: 0,
      deleted: RowState.live,
      expiresAt: typeof expiresAt === 'number' ? expiresAt : null,
      ttlMs: typeof ttlMs === 'number' ? ttlMs : null,
      value,
    };
  }
}

function isObject(value: Uint8Array): boolean {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}
