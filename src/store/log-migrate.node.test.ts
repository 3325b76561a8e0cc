/** Stores of the older format, which had no checksums: they come over whole, with a copy kept, also after a start that was killed. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLog } from './log-open.node.ts';
import { SqliteLog } from './sqlite-log.node.ts';

const fixture = join(import.meta.dirname, 'fixtures/format-1.db');
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mendlet-migrate-'));
  path = join(folder, 'store.db');
  copyFileSync(fixture, path);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(): { readonly log: SqliteLog; readonly notes: readonly string[] } {
  const { log, notes } = openLog({ path, identity: 'me', mayBegin: false, maxFileBytes: 1e8 });
  return { log: new SqliteLog(log), notes };
}

function contents(log: SqliteLog): readonly unknown[] {
  return log.list('', {}).entries.map(({ key, value, revision, createRevision }) => [
    key,
    JSON.parse(new TextDecoder().decode(value)),
    revision,
    createRevision,
  ]);
}

const expected = [
  ['/registry/configmaps/default/a', { kind: 'ConfigMap', data: { n: 3 } }, 3, 1],
  ['/registry/configmaps/default/b', { kind: 'ConfigMap', data: { n: 2 } }, 2, 2],
  ['/registry/events/default/late', { kind: 'Event' }, 5, 5],
];

describe('a store of format 1', () => {
  it('has checksums after its first opening, goes on counting, and is kept as it was', () => {
    const { log, notes } = open();
    expect(notes).toEqual([expect.stringContaining(`${path}.format-1`)]);
    expect(contents(log)).toEqual(expected);
    expect(log.expiring().map(({ key }) => key)).toEqual(['/registry/events/default/late']);
    const written = log.transaction(() => log.put('/registry/configmaps/default/gone', new Uint8Array([123, 125]), 0));
    expect(written).toMatchObject({ ok: true, revision: 7 });
    log.close();
    const kept = new DatabaseSync(`${path}.format-1`);
    expect(kept.prepare('SELECT count(*) AS rows FROM log').get()).toEqual({ rows: 6 });
    kept.close();
    const again = open();
    expect([again.notes, again.log.revision]).toEqual([[], 7]);
    again.log.close();
  });

  it('is migrated all the same after a migration that was killed at any step', () => {
    // A half-written copy, a half-written new file; the old one is in its place until the new one is whole.
    writeFileSync(`${path}.format-1.part`, 'half');
    writeFileSync(`${path}.new`, readFileSync(path).subarray(0, 5000));
    const { log } = open();
    expect(contents(log)).toEqual(expected);
    log.close();
    expect(existsSync(`${path}.new`)).toBe(false);
  });

  it('names a value that is no object any more, and does not show it', () => {
    const db = new DatabaseSync(path);
    db.prepare('UPDATE log SET value = zeroblob(20) WHERE revision = 3').run();
    db.close();
    const { log } = open();
    expect(log.damaged).toEqual([{ key: '/registry/configmaps/default/a', revision: 3 }]);
    expect(contents(log)).toEqual(expected.slice(1));
    log.close();
  });
});
