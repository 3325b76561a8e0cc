/**
 * Tests damage to the store's files, byte by byte: the store serves exactly what was written, or names what it refuses. It never
 * serves anything else, never stays silent, and never prints contents.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../src/store/log-open.node.ts';
import { systemClock as clock } from '../../src/lib/clock.node.ts';
import { AcknowledgedFile } from '../../src/store/acknowledged.node.ts';
import { SqliteLog } from '../../src/store/sqlite-log.node.ts';
import { openSqliteStore } from '../../src/store/sqlite.node.ts';
import { StoreError, StoreOpenError } from '../../src/store/store.ts';
import { inShort } from './extent.ts';

const SECRET = 'hunter2-of-the-attack';
const PAGE = 4096;
/** Time for tens of thousands of openings; this is no speed limit. */
const PATIENCE_MS = 4 * 3600 * 1000;
// The tests make thousands of small files, so memory is preferred.
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
let folder: string;
/** Acknowledged writes: key → value and revision. */
const truth = new Map<string, { readonly text: string; readonly revision: number }>();
let newest = 0;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (value: Uint8Array): string => new TextDecoder().decode(value);
const ask = (path: string) => ({ path, maxFileBytes: 1e8, identity: 'attack', mayBegin: false });

function object(name: string, size: number): string {
  return JSON.stringify({ kind: 'Secret', metadata: { name }, data: { token: SECRET.padEnd(size, `-${SECRET}`) } });
}

function acknowledge(log: SqliteLog, path: string): void {
  const record = new AcknowledgedFile(path);
  const { identity, revision, compacted, swept, tally } = log;
  record.write({ identity, revision, compacted, swept, ...tally });
  record.close();
}

function write(log: SqliteLog, key: string, text: string | undefined): void {
  const expected = truth.get(key)?.revision ?? 0;
  const written = log.transaction(() =>
    text === undefined ? log.delete(key, expected) : log.put(key, encode(text), expected),
  );
  if (!written.ok) throw new Error(`${key} was refused`);
  newest = written.revision;
  if (text === undefined) truth.delete(key);
  else truth.set(key, { text, revision: newest });
}

/** A small store with all features: updates, tombstones, values over several pages, swept and unswept history. */
function makeStore(path: string): void {
  const log = new SqliteLog(openLog({ ...ask(path), mayBegin: true }).log);
  for (let n = 0; n < 24; n++) write(log, `/registry/secrets/default/s${n}`, object(`s${n}`, n % 8 === 0 ? 9000 : 200));
  for (let n = 0; n < 24; n += 3) write(log, `/registry/secrets/default/s${n}`, object(`s${n}`, 300));
  for (let n = 0; n < 24; n += 5) write(log, `/registry/secrets/default/s${n}`, undefined);
  log.transaction(() => log.compact(20));
  while (log.transaction(() => log.sweep(10)));
  for (let n = 0; n < 6; n++) write(log, `/registry/pods/default/p${n}`, object(`p${n}`, 100));
  acknowledge(log, path);
  log.close();
}

interface Verdict {
  readonly outcome: 'right' | 'named' | 'refused';
  readonly said: string;
}

/** Opens the store at `path` and reads everything. Throws for a wrong result that the store does not report. */
function judge(path: string): Verdict {
  let opened: ReturnType<typeof openLog>;
  try {
    opened = openLog(ask(path));
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    expect(error.message).toContain('store.db');
    return { outcome: 'refused', said: error.message };
  }
  const log = new SqliteLog(opened.log);
  try {
    const damaged = new Set<string>();
    for (const [key, { text, revision }] of truth) {
      try {
        const entry = log.get(key);
        expect([key, entry?.revision, entry && decode(entry.value)]).toEqual([key, revision, text]);
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'damaged') throw error;
        expect(error.message).toContain(key);
        damaged.add(key);
        expect(() => log.transaction(() => log.put(key, encode('{}'), 0))).toThrow(/damaged/);
      }
    }
    const list = log.list('', {});
    const named = new Set((list.damaged ?? []).map(({ key }) => key));
    expect([...named].sort()).toEqual([...damaged].sort());
    const listed = list.entries.map(({ key, value }) => [key, decode(value)] as const);
    const wanted = [...truth].filter(([key]) => !damaged.has(key)).map(([key, { text }]) => [key, text] as const);
    expect(new Map(listed)).toEqual(new Map(wanted));
    expect(log.revision).toBeGreaterThanOrEqual(newest);
    // Later operations: writes, reads of the past, compaction and sweeping.
    expect(log.transaction(() => log.put('/registry/pods/default/new', encode('{}'), 0)).ok).toBe(true);
    try {
      for (const event of log.events('', log.compacted, 1000).events)
        expect(event.revision).toBeGreaterThan(log.compacted);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'compacted') throw error;
    }
    log.transaction(() => log.compact(log.revision));
    while (log.transaction(() => log.sweep(100)));
    const said = [...opened.notes, ...log.damaged.map(({ key }) => key)].join('\n');
    return { outcome: damaged.size > 0 ? 'named' : 'right', said };
  } finally {
    acknowledge(log, path);
    log.close();
  }
}

function trial(name: string, spoil: (path: string) => void): Verdict {
  const copy = mkdtempSync(join(folder, 'trial-'));
  try {
    cpSync(join(folder, 'store'), copy, { recursive: true });
    const path = join(copy, 'store.db');
    spoil(path);
    const verdict = judge(path);
    expect(`${name}: ${verdict.said}`).not.toContain('hunter2');
    if (verdict.outcome !== 'refused') {
      // After another opening, repaired objects stay repaired, and named ones stay named.
      const again = openLog(ask(path));
      new SqliteLog(again.log).close();
    }
    return verdict;
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function flip(path: string, at: number, mask: number): void {
  const data = readFileSync(path);
  data[at] = (data[at] ?? 0) ^ mask;
  writeFileSync(path, data);
}

beforeAll(() => {
  folder = mkdtempSync(join(place, 'mendlet-damage-'));
  const store = join(folder, 'store');
  rmSync(store, { recursive: true, force: true });
  cpSync(mkdtempSync(join(folder, 'empty-')), store, { recursive: true });
  makeStore(join(store, 'store.db'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a store with one flipped bit', () => {
  it(
    'serves what was written or refuses by name, wherever it is',
    () => {
      const pages = readFileSync(join(folder, 'store/store.db')).length / PAGE;
      const outcomes = { right: 0, named: 0, refused: 0 };
      for (let page = 0; page < pages; page++) {
        // The head of each page contains its structure, so each of its bytes is damaged; of the rest only a sample.
        const offsets = inShort(
          [0, 1, 3, 5, 6, 8, 9, 12, 16, 100 + page, 700 + 37 * page, 2000 + 53 * page, 3900 + 11 * page, 4095],
          Array.from({ length: PAGE }, (_, at) => at).filter((at) => at < 160 || at % 5 === page % 5),
        );
        for (const offset of offsets) {
          const mask = 1 << ((offset + page) % 8);
          const { outcome } = trial(`page ${page + 1}, byte ${offset}, mask ${mask}`, (path) =>
            flip(path, page * PAGE + offset, mask),
          );
          outcomes[outcome] += 1;
        }
      }
      expect(outcomes.right).toBeGreaterThan(0);
      expect(outcomes.named).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
});

describe('a write-ahead log', () => {
  /** A copy of a store in use, as a killed process leaves it. */
  function killed(): string {
    const copy = mkdtempSync(join(folder, 'killed-'));
    cpSync(join(folder, 'store'), copy, { recursive: true });
    const path = join(copy, 'store.db');
    const log = new SqliteLog(openLog(ask(path)).log);
    for (let n = 0; n < 6; n++) {
      log.transaction(() => log.put(`/registry/pods/late/p${n}`, encode(object(`late${n}`, 100)), 0));
      acknowledge(log, path);
    }
    const left = mkdtempSync(join(folder, 'left-'));
    cpSync(copy, left, { recursive: true });
    log.close();
    rmSync(copy, { recursive: true });
    return left;
  }

  function openAfter(left: string, spoil: (wal: string) => void): string {
    const copy = mkdtempSync(join(folder, 'wal-'));
    try {
      cpSync(left, copy, { recursive: true });
      const path = join(copy, 'store.db');
      spoil(`${path}-wal`);
      const before = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : undefined;
      try {
        const log = new SqliteLog(openLog(ask(path)).log);
        const late = log.list('/registry/pods/late/', {}).entries.length;
        log.close();
        return `served ${late}`;
      } catch (error) {
        if (!(error instanceof StoreOpenError)) throw error;
        expect(error.message).not.toContain('hunter2');
        // The next start finds and reports the same.
        expect(existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : undefined).toEqual(before);
        expect(() => openLog(ask(path))).toThrow(error.message);
        return `${error.code}: ${error.message}`;
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }

  it('that a killed process left is read without alarm', () => {
    expect(openAfter(killed(), () => {})).toBe('served 6');
  });

  it('that is cut or changed in any frame is said, with the revision up to which all is there', () => {
    const left = killed();
    const size = readFileSync(join(left, 'store.db-wal')).length;
    const frame = PAGE + 24;
    const frames = Math.floor((size - 32) / frame);
    expect(frames).toBeGreaterThan(10);
    for (let number = 0; number < frames; number++) {
      const at = 32 + number * frame;
      expect(openAfter(left, (wal) => truncateSync(wal, at))).toMatch(/^lost: .*acknowledged/);
      for (const offset of inShort([24 + ((number * 977) % PAGE)], [0, 4, 9, 17, 24, 24 + ((number * 977) % PAGE)])) {
        const said = openAfter(left, (wal) => flip(wal, at + offset, 1 << (number % 8)));
        expect(said).toMatch(/^lost: .*acknowledged.*can be read up to frame \d+ of \d+/);
      }
    }
    expect(openAfter(left, (wal) => flip(wal, 17, 4))).toMatch(/^lost/);
    expect(openAfter(left, (wal) => rmSync(wal))).toMatch(/^lost: .*-wal is missing or empty/);
    expect(openAfter(left, (wal) => writeFileSync(wal, ''))).toMatch(/^lost/);
  });

  it('with the beginning of a write that was never acknowledged is no alarm', () => {
    const left = killed();
    const torn = openAfter(left, (wal) => {
      const data = readFileSync(wal);
      // The last frame again, with checksums that do not continue, like a half-written frame after a crash of the machine.
      writeFileSync(wal, Buffer.concat([data, data.subarray(data.length - PAGE - 24, data.length - 100)]));
    });
    expect(torn).toBe('served 6');
  });
});

describe('a store that is gone', () => {
  const opened = (spoil: (path: string) => void, identity = 'attack'): string => {
    const copy = mkdtempSync(join(folder, 'gone-'));
    try {
      cpSync(join(folder, 'store'), copy, { recursive: true });
      const path = join(copy, 'store.db');
      spoil(path);
      const names = readdirSync(copy).sort();
      try {
        openLog({ ...ask(path), identity });
        return 'served';
      } catch (error) {
        if (!(error instanceof StoreOpenError)) throw error;
        expect(error.message).toContain(path);
        // No new file was made in its place.
        expect(readdirSync(copy).sort()).toEqual(names);
        return error.code;
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  };

  it('is refused, however it went', () => {
    const older = readFileSync(join(folder, 'store/store.db'));
    expect(opened((path) => rmSync(path))).toBe('missing');
    expect(opened((path) => truncateSync(path, 0))).toBe('missing');
    expect(opened((path) => [rmSync(path), rmSync(`${path}.acknowledged`)])).toBe('missing');
    expect(opened((path) => [rmSync(path), writeFileSync(`${path}-wal`, older)])).toBe('missing');
    expect(opened((path) => truncateSync(path, PAGE))).not.toBe('served');
    expect(opened((path) => truncateSync(path, 3 * PAGE))).not.toBe('served');
    expect(opened((path) => [rmSync(path), mkdirSync(path)])).toBe('failed');
    expect(opened((path) => [renameSync(path, `${path}.else`), symlinkSync(`${path}.else`, path)])).toBe('failed');
    expect(opened((path) => [rmSync(path), symlinkSync('/nowhere/store.db', path)])).toBe('failed');
    expect(opened(() => {}, 'another')).toBe('foreign');
    expect(opened((path) => rmSync(`${path}.acknowledged`), 'another')).toBe('foreign');
    expect(opened((path) => flip(`${path}.acknowledged`, 30, 1))).toBe('served');
  });

  it('is refused where it is an older copy, or an empty one of its own', () => {
    expect(
      opened((path) => {
        const before = readFileSync(path);
        const log = new SqliteLog(openLog(ask(path)).log);
        log.transaction(() => log.put('/registry/pods/default/later', encode('{}'), 0));
        acknowledge(log, path);
        log.close();
        writeFileSync(path, before);
      }),
    ).toBe('lost');
    expect(
      opened((path) => {
        rmSync(path);
        const other = `${path}.other`;
        new SqliteLog(openLog({ ...ask(other), mayBegin: true }).log).close();
        renameSync(other, path);
        for (const name of readdirSync(join(path, '..'))) if (name.includes('.other')) rmSync(join(path, '..', name));
      }),
    ).toBe('lost');
  });

  it.each([
    ['removed', (path: string): void => rmSync(path)],
    ['replaced', (path: string): void => [cpSync(path, `${path}.2`), renameSync(`${path}.2`, path)].forEach(() => {})],
    ['cut', (path: string): void => truncateSync(path, PAGE)],
    ['robbed of its log', (path: string): void => rmSync(`${path}-wal`)],
    ['robbed of its folder', (path: string): void => rmSync(join(path, '..'), { recursive: true })],
  ])('while it is in use, because it was %s, acknowledges nothing more and saves what it can', async (how, spoil) => {
    const copy = mkdtempSync(join(folder, 'running-'));
    const path = join(copy, 'inner/store.db');
    mkdirSync(join(copy, 'inner'));
    const failures: string[] = [];
    const store = await openSqliteStore({
      path,
      clock,
      identity: 'attack',
      listener: { onFailure: (error) => failures.push(error.message) },
    });
    for (let n = 0; n < 5; n++) await store.put(`k${n}`, encode(object(`k${n}`, 100)), 0);
    spoil(path);
    await expect(store.put('late', encode('{}'), 0)).rejects.toMatchObject({ code: 'unknown' });
    await store.close();
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(/was (removed|replaced|cut) while the store was in use; what it held/);
    expect(failures[0]).not.toContain('hunter2');
    if (how === 'cut') return;
    const file = /saved in (\S+)/.exec(failures[0] ?? '')?.[1] ?? '';
    const rescued = new SqliteLog(openLog({ ...ask(file) }).log);
    const keys = rescued.list('', {}).entries.map(({ key }) => key);
    expect(keys.filter((key) => key !== 'late')).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']);
    rescued.close();
  });
});
