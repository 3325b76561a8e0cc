/** The store on disk compared with the one in memory: random histories, the same answers and the same events. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertNever } from '../lib/index.ts';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { createMemoryStore, type Store, StoreError, type StoreEvent } from './index.ts';
import { openSqliteStore } from './sqlite.node.ts';

const KEYS = ['/a/1', '/a/2', '/a/\uff5e', '/a/\u{1f600}', '/ab', '/b/1'];
const PREFIXES = ['', '/a/', '/a', '/b/', '/c'];

type Step =
  | { readonly op: 'put' | 'delete'; readonly key: string; readonly guess: number; readonly value: string }
  | { readonly op: 'get'; readonly key: string }
  | {
      readonly op: 'list';
      readonly prefix: string;
      readonly back: number;
      readonly limit: number;
      readonly after: string;
    }
  | { readonly op: 'watch'; readonly prefix: string; readonly back: number }
  | {
      readonly op: 'history';
      readonly prefix: string;
      readonly back: number;
      readonly limit: number;
      readonly maxBytes: number;
      readonly previous: boolean;
    }
  | { readonly op: 'compact'; readonly back: number }
  | { readonly op: 'reopen' };

const key = fc.constantFrom(...KEYS);
const back = fc.nat({ max: 12 });
const prefix = fc.constantFrom(...PREFIXES);
const write = fc.record({
  op: fc.constantFrom('put', 'put', 'put', 'delete'),
  key,
  // 0: the right revision; else a wrong one.
  guess: fc.constantFrom(0, 0, 0, 0, 1),
  value: fc.string({ maxLength: 3 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: write },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('get'), key }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('list'),
      prefix,
      back,
      limit: fc.integer({ min: 1, max: 4 }),
      after: fc.constantFrom('', ...KEYS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('watch'), prefix, back }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('history'),
      prefix,
      back,
      limit: fc.integer({ min: 1, max: 6 }),
      maxBytes: fc.integer({ min: 1, max: 8 }),
      previous: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('compact'), back }) },
  { weight: 1, arbitrary: fc.constant({ op: 'reopen' as const }) },
);

/** All events under the prefix from `after` to `revision`. */
async function replay(store: Store, under: string, after: number, revision: number): Promise<readonly StoreEvent[]> {
  const abort = new AbortController();
  const events: StoreEvent[] = [];
  if (after >= revision) return events;
  for await (const batch of store.watch(under, after, abort.signal)) {
    events.push(...batch.events);
    if (batch.revision >= revision) break;
  }
  return events;
}

async function perform(store: Store, at: Step): Promise<unknown> {
  const { revision } = await store.get('/x');
  switch (at.op) {
    case 'put':
    case 'delete': {
      const expected = ((await store.get(at.key)).entry?.revision ?? 0) + at.guess;
      return at.op === 'put'
        ? store.put(at.key, new TextEncoder().encode(at.value), expected)
        : store.delete(at.key, expected);
    }
    case 'get':
      return store.get(at.key);
    case 'list':
      return store.list(at.prefix, { revision: revision - at.back, limit: at.limit, after: at.after });
    case 'watch':
      return replay(store, at.prefix, Math.max(0, revision - at.back), revision);
    case 'history':
      return store.history(at.prefix, Math.max(0, revision - at.back), at);
    case 'compact':
      await store.compact(revision - at.back);
      return 'compacted';
    case 'reopen':
      return 'reopened';
    default:
      return assertNever(at);
  }
}

async function outcome(store: Store, at: Step): Promise<unknown> {
  try {
    return normal(await perform(store, at));
  } catch (error) {
    if (error instanceof StoreError) return { refused: error.code };
    throw error;
  }
}

/** Bytes of the worker are Uint8Array or Buffer; only their content counts. */
function normal(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_, item: unknown) => (item instanceof Uint8Array ? [...item] : item)),
  );
}

it('answers like the model, whatever is asked, across reopenings', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mendlet-model-'));
  let files = 0;
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    const clock = createManualClock();
    const path = join(folder, `${files++}.db`);
    const open = (): Promise<Store> =>
      openSqliteStore({ path, clock, bounds: { ringMaxEvents: 5, sweepRevisions: 3 } });
    const model = createMemoryStore({ clock, ringMaxEvents: 5 });
    let store = await open();
    try {
      for (const at of steps) {
        if (at.op === 'reopen') {
          await store.close();
          store = await open();
          continue;
        }
        expect(await outcome(store, at)).toEqual(await outcome(model, at));
      }
    } finally {
      await store.close();
      await model.close();
    }
  });
  await fc.assert(property, { numRuns: 20 });
  await rm(folder, { recursive: true, force: true });
});
