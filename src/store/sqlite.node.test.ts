/** What only the store on disk must stand: crashes, a full disk, a broken disk, files of others. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock as clock } from '../lib/clock.node.ts';
import { openSqliteStore } from './sqlite.node.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mendlet-sqlite-'));
  path = join(folder, 'store.db');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const STORE = new URL('./sqlite.node.ts', import.meta.url).pathname;
const CLOCK = new URL('../lib/clock.node.ts', import.meta.url).pathname;

/** A process of its own that writes for ever, several at once, and prints each key when its write was acknowledged. */
function startWriter(shell = ''): ReturnType<typeof spawn> {
  const script = `
    import { openSqliteStore } from ${JSON.stringify(STORE)};
    import { systemClock as clock } from ${JSON.stringify(CLOCK)};
    const store = await openSqliteStore({ path: ${JSON.stringify(path)}, clock });
    const write = async (writer) => {
      for (let n = 0; ; n++) {
        const key = writer + '/' + n;
        try {
          const result = await store.put(key, new Uint8Array(2000), 0);
          process.stdout.write((result.ok ? 'ok ' : 'refused ') + key + '\\n');
        } catch (error) {
          process.stdout.write(error.code + ' ' + key + '\\n');
          return;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write('w' + writer)));
    await store.close();`;
  const args = ['--input-type=module-typescript', '-e', script];
  const node = [process.execPath, ...args.map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`)].join(' ');
  return spawn('sh', ['-c', `${shell} exec ${node}`], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function keysOf(): Promise<string[]> {
  const store = await openSqliteStore({ path, clock });
  const { entries, revision } = await store.list('');
  expect(revision).toBe(entries.length);
  await store.close();
  return entries.map((entry) => entry.key);
}

/** Each commit appends whole pages to the write-ahead log: its size tells how many there were. */
async function logSize(
  name: string,
  write: (put: (n: number) => Promise<unknown>) => Promise<unknown>,
): Promise<number> {
  const file = join(folder, name);
  const store = await openSqliteStore({ path: file, clock });
  await write((n) => store.put(`k${n}`, bytes('x'), 0));
  const { size } = await stat(`${file}-wal`);
  await store.close();
  return size;
}

describe('durability', () => {
  it.each([50, 400, 1500])('has every acknowledged write after a SIGKILL at the %i. answer', async (count) => {
    const child = startWriter();
    const acknowledged: string[] = [];
    const exited = once(child, 'exit');
    for await (const line of createInterface({ input: child.stdout! })) {
      if (!line.startsWith('ok ')) throw new Error(line);
      acknowledged.push(line.slice(3));
      if (acknowledged.length === count) child.kill('SIGKILL');
    }
    await exited;
    const keys = new Set(await keysOf());
    expect(acknowledged.filter((key) => !keys.has(key))).toEqual([]);
    // At most the writes that were under way are there beyond what was acknowledged.
    expect(keys.size - acknowledged.length).toBeLessThanOrEqual(8);
  });

  it('acknowledges nothing that a broken disk did not keep, and loses nothing it acknowledged', async () => {
    // Past this file size the kernel refuses writes with EFBIG, which SQLite takes for an I/O error.
    const child = startWriter('ulimit -f 600;');
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout! })) lines.push(line);
    const acknowledged = lines.filter((line) => line.startsWith('ok ')).map((line) => line.slice(3));
    const failed = lines.filter((line) => !line.startsWith('ok '));
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(failed.length).toBeGreaterThan(0);
    for (const line of failed) expect(line).toMatch(/^(unknown|full|closed) /);
    const keys = new Set(await keysOf());
    expect(acknowledged.filter((key) => !keys.has(key))).toEqual([]);
  });

  it('says "full", goes on reading, and writes again when there is room', async () => {
    const store = await openSqliteStore({ path, clock, bounds: { maxFileBytes: 200_000 } });
    const outcomes: string[] = [];
    for (let n = 0; n < 100; n++) {
      await store.put(`k${n}`, new Uint8Array(10_000), 0).then(
        () => outcomes.push('ok'),
        (error: { code: string }) => outcomes.push(error.code),
      );
    }
    expect(new Set(outcomes)).toEqual(new Set(['ok', 'full']));
    const kept = outcomes.filter((outcome) => outcome === 'ok').length;
    const { entries, revision } = await store.list('');
    expect(entries).toHaveLength(kept);
    expect(revision).toBe(kept);
    // A small write shares a transaction with one that is too much: only the latter fails.
    const [small, big] = await Promise.allSettled([
      store.put('small', bytes('x'), 0),
      store.put('big', new Uint8Array(500_000), 0),
    ]);
    expect(small.status).toBe('fulfilled');
    expect(big).toMatchObject({ status: 'rejected', reason: { code: 'full' } });
    for (const entry of entries) await store.delete(entry.key, entry.revision);
    await store.compact((await store.get('x')).revision);
    await expect
      .poll(() =>
        store.put('again', new Uint8Array(10_000), 0).then(
          () => 'ok',
          () => 'full',
        ),
      )
      .toBe('ok');
    await store.close();
  });

  it('keeps its counter and its ends across a reopening, also when the newest write was a delete', async () => {
    const first = await openSqliteStore({ path, clock });
    await first.put('soon', bytes('x'), 0, { ttlMs: 300 });
    await first.put('later', bytes('x'), 0, { ttlMs: 1e9 });
    await first.put('a', bytes('x'), 0);
    await first.delete('a', 3);
    await first.compact(4);
    await first.close();
    const second = await openSqliteStore({ path, clock });
    expect((await second.get('a')).revision).toBeGreaterThanOrEqual(4);
    await expect.poll(async () => (await second.get('soon')).entry).toBeUndefined();
    expect((await second.get('later')).entry).toBeDefined();
    expect(await second.put('b', bytes('x'), 0)).toMatchObject({ ok: true, entry: { revision: 6 } });
    await second.close();
  });

  it('commits together what came together', async () => {
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    const together = await logSize('together.db', (put) => Promise.all(numbers.map(put)));
    const oneByOne = await logSize('one.db', async (put) => {
      for (const n of numbers) await put(n);
    });
    expect(together).toBeLessThan(oneByOne / 4);
  });

  it('tells the calls under way that nobody knows, when its worker dies', async () => {
    const workerUrl = new URL(
      `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.postMessage({ type: 'opened', revision: 0, compacted: 0, expiring: [], damaged: [], notes: [] });
      parentPort.on('message', () => { throw new Error('worker bug'); });`)}`,
    );
    const failures: string[] = [];
    const listener = { onFailure: (error: Error) => failures.push(error.message) };
    const store = await openSqliteStore({ path, clock, workerUrl, listener });
    const watch = store.watch('', 0, new AbortController().signal)[Symbol.asyncIterator]().next();
    const watchEnd = watch.catch((error: unknown) => error);
    await expect(store.put('a', bytes('x'), 0)).rejects.toMatchObject({ code: 'unknown' });
    await expect(store.get('a')).rejects.toMatchObject({ code: 'closed' });
    expect(await watchEnd).toMatchObject({ code: 'closed' });
    expect(failures).toEqual([expect.stringContaining('worker bug')]);
    await store.close();
  });
});

describe('opening', () => {
  it('makes a private file and refuses a second opener', async () => {
    const store = await openSqliteStore({ path, clock });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await expect(openSqliteStore({ path, clock })).rejects.toMatchObject({ name: 'StoreOpenError', code: 'in-use' });
    await store.put('a', bytes('x'), 0);
    await store.close();
    await (await openSqliteStore({ path, clock })).close();
  });

  it('refuses a newer format, and leaves the file alone', async () => {
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE future (x); PRAGMA user_version = 9');
    db.close();
    const before = await readFile(path);
    await expect(openSqliteStore({ path, clock })).rejects.toMatchObject({
      code: 'newer',
      message: expect.stringMatching(/store\.db: written by a newer mendlet \(format 9/),
    });
    expect(await readFile(path)).toEqual(before);
  });

  it.each([
    ['text', async () => writeFile(path, 'this is no database, but long enough to be read as one'.repeat(100))],
    [
      "another program's database",
      async () => {
        const db = new DatabaseSync(path);
        db.exec('CREATE TABLE theirs (x)');
        db.close();
      },
    ],
    [
      'a damaged file',
      async () => {
        const store = await openSqliteStore({ path, clock });
        await Promise.all(Array.from({ length: 300 }, (_, n) => store.put(`k${n}`, new Uint8Array(1000), 0)));
        await store.close();
        const data = await readFile(path);
        data.fill(0x5a, 8192, 65_536);
        await writeFile(path, data);
      },
    ],
  ])('refuses %s as corrupt and names the file', async (_, make) => {
    await make();
    await expect(openSqliteStore({ path, clock })).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('store.db'),
    });
  });

  it('says what is wrong with the place', async () => {
    const missing = join(folder, 'none', 'store.db');
    await expect(openSqliteStore({ path: missing, clock })).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining(missing),
    });
  });
});
