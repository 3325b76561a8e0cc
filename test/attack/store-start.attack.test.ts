/**
 * Tests stores that cannot be opened by an unprivileged user, and migrations that are killed at any moment, with real
 * processes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLog } from '../../src/store/log-open.node.ts';
import { SqliteLog } from '../../src/store/sqlite-log.node.ts';
import { inShort } from './extent.ts';

const NOBODY = 65534;
const FIXTURE = join(import.meta.dirname, '../../src/store/fixtures/format-1.db');
const moduleOf = (name: string): string => JSON.stringify(join(import.meta.dirname, '../../src/store', name));

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mendlet-store-start-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'store'), { mode: 0o700 });
  path = join(folder, 'store/store.db');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const asked = (): string => JSON.stringify({ path, identity: 'me', mayBegin: true, maxFileBytes: 1e8 });

describe.skipIf(process.getuid?.() !== 0)("a store whose files are not its user's to write", () => {
  // The imported files may be unreadable for that user, so they are loaded first.
  const openAsNobody = (): { readonly code: string; readonly message: string } => {
    const script = `import { openLog } from ${moduleOf('log-open.node.ts')};
      import { toOpenError } from ${moduleOf('sqlite-open.node.ts')};
      process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY});
      try { openLog(${asked()}).log.db.close(); console.log(JSON.stringify({ code: 'opened', message: '' })); }
      catch (error) { const { code, message } = toOpenError(error, ${JSON.stringify(path)}); console.log(JSON.stringify({ code, message })); }`;
    const run = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    return JSON.parse(run.stdout) as ReturnType<typeof openAsNobody>;
  };

  it.each<[string, string, () => void]>([
    ['nothing amiss', '', () => {}],
    ['a folder that nobody may search', 'store', () => chmodSync(join(folder, 'store'), 0)],
    ['a folder that may only be read', 'store', () => chmodSync(join(folder, 'store'), 0o500)],
    ['a folder of somebody else', 'store', () => chownSync(join(folder, 'store'), 0, 0)],
    ['a file that may not be read', 'store/store.db', () => chmodSync(path, 0)],
    ['a file that may only be read', 'store/store.db', () => chmodSync(path, 0o400)],
    ['a file of somebody else', 'store/store.db', () => chownSync(path, 0, 0)],
    ['a log of somebody else', 'store/store.db-wal', () => writeFileSync(`${path}-wal`, '', { mode: 0o600 })],
  ])('%s: it says which, and whose it is', (_, part, spoil) => {
    openLog({ path, identity: 'me', mayBegin: true, maxFileBytes: 1e8 }).log.db.close();
    chownSync(join(folder, 'store'), NOBODY, NOBODY);
    for (const name of readdirSync(join(folder, 'store'))) chownSync(join(folder, 'store', name), NOBODY, NOBODY);
    const before = readFileSync(path);
    spoil();
    const { code, message } = openAsNobody();
    expect(code).toBe(part === '' ? 'opened' : 'failed');
    if (part === '') return;
    expect(message).toContain(`: ${join(folder, part)} may not be read and written by user ${NOBODY}: it is of user `);
    expect(message).not.toMatch(/\n|node:| at /);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('a migration', () => {
  /** Writes a store of the old format whose migration takes some time. */
  function writeOld(rows: number): void {
    copyFileSync(FIXTURE, path);
    const db = new DatabaseSync(path);
    const columns = 'revision, key, create_revision, previous_revision, deleted, expires_at, ttl_ms, value';
    const insert = db.prepare(`INSERT INTO log (${columns}) VALUES (?, ?, ?, 0, 0, NULL, NULL, ?)`);
    db.exec('BEGIN');
    for (let n = 0; n < rows; n += 1) {
      const value = JSON.stringify({ kind: 'ConfigMap', data: { n, text: 'x'.repeat(1000) } });
      insert.run(1000 + n, `/registry/configmaps/many/m${n}`, 1000 + n, Buffer.from(value));
    }
    db.exec('COMMIT');
    db.close();
  }

  function migrated(): readonly string[] {
    const { log } = openLog({ path, identity: 'me', mayBegin: false, maxFileBytes: 1e9 });
    const sqlite = new SqliteLog(log);
    const { entries } = sqlite.list('', {});
    expect(sqlite.damaged).toEqual([]);
    sqlite.close();
    return entries.map(({ key, revision, value }) => `${key} ${revision} ${Buffer.from(value).toString('base64')}`);
  }

  it('that is killed at any moment loses nothing, and the next start ends it', { timeout: 900_000 }, async () => {
    const rows = inShort(2000, 20_000);
    writeOld(rows);
    const old = readFileSync(path);
    const expected = migrated();
    expect(expected.length).toBeGreaterThan(rows);
    const script = `import { openLog } from ${moduleOf('log-open.node.ts')};
      process.stdout.write('begun');
      openLog(${JSON.stringify({ path, identity: 'me', mayBegin: false, maxFileBytes: 1e9 })});
      process.stdout.write('done'); setInterval(() => {}, 1000);`;
    const begin = async (): Promise<{ readonly kill: () => Promise<string> }> => {
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script]);
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await once(child.stdout, 'data');
      const kill = async (): Promise<string> => {
        child.kill('SIGKILL');
        await once(child, 'close');
        return said;
      };
      return { kill };
    };
    let inTheMiddle = 0;
    let longestMs = inShort(60, 400);
    for (let round = 0; round < inShort(5, 40); round += 1) {
      for (const name of readdirSync(join(folder, 'store'))) rmSync(join(folder, 'store', name));
      writeFileSync(path, old, { mode: 0o600 });
      // Some migrations are killed twice.
      for (let kills = 0; kills <= round % 2; kills += 1) {
        const start = await begin();
        await sleep(Math.random() * longestMs);
        const said = await start.kill();
        if (said === 'begun') inTheMiddle += 1;
        longestMs = said === 'begun' ? longestMs * 1.1 : longestMs * 0.8;
      }
      expect(migrated()).toEqual(expected);
      const left = readdirSync(join(folder, 'store')).filter((name) => /\.(new|part|mending|sample)/.test(name));
      expect(left).toEqual([]);
    }
    // The test proves something only if migrations were killed half-way.
    expect(inTheMiddle).toBeGreaterThan(0);
  });
});
