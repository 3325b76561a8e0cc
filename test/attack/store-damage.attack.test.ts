/**
 * Damage to the store's files, byte by byte: whatever a disk does to them, the store serves what was written, or refuses by name.
 * Never something else, never in silence, and never with content in what it says.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../src/store/log-open.node.ts';
import { AcknowledgedFile, readAcknowledged } from '../../src/store/acknowledged.node.ts';
import { SqliteLog } from '../../src/store/sqlite-log.node.ts';
import { StoreError, StoreOpenError } from '../../src/store/store.ts';
import { inShort } from './extent.ts';

const SECRET = 'hunter2-of-the-attack';
const PAGE = 4096;
// Thousands of small files are made and forgotten: in memory where there is such a place.
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
let folder: string;
/** What was acknowledged: key → value and revision. */
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
  const written = log.transaction(() => (text === undefined ? log.delete(key, expected) : log.put(key, encode(text), expected)));
  if (!written.ok) throw new Error(`${key} was refused`);
  newest = written.revision;
  if (text === undefined) truth.delete(key);
  else truth.set(key, { text, revision: newest });
}

/** A small store with everything in it: updates, tombstones, values over several pages, history swept and not. */
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

/** Opens what lies at `path` and asks everything. Throws for anything that is neither right nor said. */
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
    const listed = list.entries.map(({ key, value }) => [key, decode(value)]);
    const wanted = [...truth].filter(([key]) => !damaged.has(key)).map(([key, { text }]) => [key, text]);
    expect(listed.sort()).toEqual(wanted.sort());
    expect(log.revision).toBeGreaterThanOrEqual(newest);
    // Later moments: writes, the past, forgetting and sweeping.
    expect(log.transaction(() => log.put('/registry/pods/default/new', encode('{}'), 0)).ok).toBe(true);
    try {
      for (const event of log.events('', log.compacted, 1000).events) expect(event.revision).toBeGreaterThan(log.compacted);
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
      // What was mended stays mended, what was named stays named.
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
  it('serves what was written or refuses by name, wherever it is', () => {
    const pages = readFileSync(join(folder, 'store/store.db')).length / PAGE;
    const outcomes = { right: 0, named: 0, refused: 0 };
    for (let page = 0; page < pages; page++) {
      // The head of each page has its structure: every byte of it counts, of the rest a sample.
      const offsets = inShort(
        [0, 1, 3, 5, 6, 8, 9, 12, 16, 100 + page, 700 + 37 * page, 2000 + 53 * page, 3900 + 11 * page, 4095],
        Array.from({ length: PAGE }, (_, at) => at),
      );
      for (const offset of offsets) {
        const mask = 1 << ((offset + page) % 8);
        const { outcome } = trial(`page ${page + 1}, byte ${offset}, mask ${mask}`, (path) => flip(path, page * PAGE + offset, mask));
        outcomes[outcome] += 1;
      }
    }
    expect(outcomes.right).toBeGreaterThan(0);
    expect(outcomes.named).toBeGreaterThan(0);
  });
});
