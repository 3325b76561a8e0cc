/**
 * Tests attacks on the one event loop: objects with many watchers, long lists, bodies that cost more to read than to send. The
 * tests check how the work is divided, not its time, which `npm run bench:hostile` measures.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LIST_PIECE_BYTES, MAX_LIST_ENTRIES } from '../../src/apiserver/limits.ts';
import { podManifest, startTestServer, type TestServer } from '../../src/apiserver/test-server.ts';
import { createBreather, decodeText, type Breather } from '../../src/lib/index.ts';
import { createManualClock, settle } from '../../src/lib/manual-clock.node.ts';
import { entries, listField, magic, message, nested } from '../bench/hostile/hostile-bodies.ts';
import { inShort } from './extent.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const METADATA = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' };
const YAML = { accept: 'application/yaml' };
const MIB = 1024 * 1024;

let api: TestServer;
afterEach(async () => {
  vi.restoreAllMocks();
  await api.close();
});

interface CountedTurns {
  readonly breather: Breather;
  /**
   * The work in each turn of the loop. Each reading of the clock counts as one unit, because each piece of work begins with
   * one.
   */
  readonly perTurn: () => readonly number[];
}

const BUDGET = 10;

/** A real loop in which each call of `pause` takes one unit of time, so that a turn's budget is a number of pieces. */
function countedTurns(): CountedTurns {
  let units = 0;
  const began: number[] = [];
  const breather = createBreather(
    {
      now: () => units++,
      nextTurn: (fire) =>
        void setImmediate(() => {
          began.push(units);
          fire();
        }),
    },
    BUDGET,
  );
  return { breather, perTurn: () => began.slice(1).map((at, i) => at - (began[i] ?? 0)) };
}

async function fill(count: number, bytes: number): Promise<void> {
  for (let i = 0; i < count; i++)
    await api.call('POST', maps, { metadata: { name: `m${i}` }, data: { text: 'x'.repeat(bytes) } });
}

/** Reads a watch continuously. */
async function watch(url: string, headers = {}): Promise<{ readonly text: () => string }> {
  const { body } = await api.raw('GET', url, undefined, headers);
  if (body instanceof Uint8Array) throw new Error('not a stream');
  let text = '';
  void (async () => {
    for await (const chunk of body) text += decodeText(chunk);
  })();
  return { text: () => text };
}

describe('what many watch', () => {
  it('is encoded once for each form, however many there are', async () => {
    api = await startTestServer({ clock: createManualClock() });
    await fill(1, 10);
    const many = inShort(500, 2000);
    const watchers: { readonly text: () => string }[] = [];
    for (let i = 0; i < many; i++) watchers.push(await watch(`${maps}?watch=1`, i % 2 === 0 ? {} : METADATA));
    await settle();
    const encoded = vi.spyOn(JSON, 'stringify');
    const changes = 5;
    for (let i = 0; i < changes; i++) await api.call('PATCH', `${maps}/m0`, { data: { mark: `mark${i}` } }, MERGE);
    await settle();
    // Three encodings are those of the request, the stored bytes and the answer; each form of the event adds one.
    const own = encoded.mock.calls.filter(([value]) => JSON.stringify(value).includes('"name":"m0"')).length;
    expect(own).toBeLessThanOrEqual(changes * 5);
    encoded.mockRestore();
    for (const watcher of watchers) expect(watcher.text().match(/MODIFIED/g)).toHaveLength(changes);
  });

  it('is told to some of them in each turn of the loop', async () => {
    const { breather, perTurn } = countedTurns();
    api = await startTestServer({ clock: createManualClock(), breather });
    await fill(1, 10);
    const many = inShort(300, 2000);
    const watchers: { readonly text: () => string }[] = [];
    for (let i = 0; i < many; i++) watchers.push(await watch(`${maps}?watch=1`));
    const before = perTurn().length;
    await api.call('PATCH', `${maps}/m0`, { data: { a: 'b' } }, MERGE);
    while (!watchers.every((each) => each.text().includes('MODIFIED'))) await settle();
    const turns = perTurn().slice(before);
    expect(turns.length).toBeGreaterThan(many / (3 * BUDGET));
    // All watchers that wake at once ask once for a pause; their work in one turn is bounded by the budget.
    expect(turns.toSorted((a, b) => b - a).slice(2)[0]).toBeLessThanOrEqual(3 * BUDGET);
  });

  it('begins for each with the same list, in turns', async () => {
    const { breather, perTurn } = countedTurns();
    api = await startTestServer({ clock: createManualClock(), breather });
    await fill(50, 10_000);
    const before = perTurn().length;
    const encoded = vi.spyOn(JSON, 'stringify');
    const watchers = await Promise.all(Array.from({ length: 40 }, () => watch(`${maps}?watch=1`)));
    while (!watchers.every((each) => each.text().match(/ADDED/g)?.length === 50)) await settle();
    expect(encoded.mock.calls.length).toBeLessThanOrEqual(2 * 50);
    // A piece contains six of the items.
    expect(perTurn().length - before).toBeGreaterThan((40 * 50) / 6 / (3 * BUDGET));
  });
});

describe('a long list', () => {
  it.each([
    ['as it is', {}, ''],
    ['as metadata', { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }, ''],
    ['as a table', TABLE, ''],
    ['as a table with the objects', TABLE, '?includeObject=Object'],
    ['as YAML', YAML, ''],
    ['by a selector', {}, '?labelSelector=!none'],
  ])('%s is made in pieces, with a turn of the loop between them', async (_, headers, query) => {
    const { breather, perTurn } = countedTurns();
    api = await startTestServer({ clock: createManualClock(), breather });
    const [count, bytes] = [300, 10_000];
    await fill(count, bytes);
    const before = perTurn().length;
    const { status, body } = await api.raw('GET', maps + query, undefined, headers);
    expect([status, body instanceof Uint8Array]).toEqual([200, false]);
    let largest = 0;
    let text = '';
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      largest = Math.max(largest, chunk.length);
      text += decodeText(chunk);
    }
    for (const at of [0, 150, 299]) expect(text).toMatch(new RegExp(`name"?: ?"?m${at}\\b`));
    expect(largest).toBeLessThan(LIST_PIECE_BYTES + 2 * bytes);
    const turns = perTurn().slice(before);
    expect(turns.length).toBeGreaterThanOrEqual(Math.floor((count * bytes) / LIST_PIECE_BYTES / BUDGET) - 1);
    expect(Math.max(...turns)).toBeLessThanOrEqual(2 * BUDGET);
  });

  it('is whole, with its length, while it is short', async () => {
    api = await startTestServer({ clock: createManualClock() });
    await fill(3, 10);
    const { headers, body } = await api.raw('GET', maps);
    expect(headers['content-length']).toBe(String((body as Uint8Array).length));
  });
});

describe('a crowd of requests', () => {
  it('is let in by turns, and health passes it by', async () => {
    const { breather, perTurn } = countedTurns();
    api = await startTestServer({ clock: createManualClock(), breather });
    const before = perTurn().length;
    const order: string[] = [];
    const crowd = Array.from({ length: 200 }, () =>
      api.call('GET', '/api/v1/namespaces').then(() => order.push('crowd')),
    );
    const health = api.call('GET', '/livez/ping').then(() => order.push('health'));
    await Promise.all([...crowd, health]);
    expect(perTurn().length - before).toBeGreaterThan(5);
    expect(order.indexOf('health')).toBeLessThan(50);
  });
});

const json = { 'content-type': 'application/json' };
const yaml = { 'content-type': 'application/yaml' };
const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' };

describe('a body that costs more to read than to send', () => {
  it.each([
    ['brackets', maps, '['.repeat(2e6), json, 400],
    ['braces', maps, '{"a":'.repeat(4e5), json, 400],
    ['brackets that end', maps, '['.repeat(600) + ']'.repeat(600), json, 400],
    ['brackets behind a long text', maps, `{"a":"${'x'.repeat(MIB)}","b":${'['.repeat(1e6)}`, json, 400],
    ['brackets in a patch', `${maps}/m`, '['.repeat(2e6), { 'content-type': 'application/json-patch+json' }, 400],
    ['braces in a merge', `${maps}/m`, '{"a":'.repeat(4e5), MERGE, 400],
    ['empty objects', maps, `{"a":[${'{},'.repeat(9e5)}{}]}`, json, 413],
    ['empty objects in blanks', maps, `{"a":[${'{ }, '.repeat(5e5)}{}]}`, json, 413],
    ['short members', maps, entries(300_000), json, 413],
    ['members side by side', maps, `[${`${entries(MAX_LIST_ENTRIES - 1000)},`.repeat(6)}1]`, json, 413],
    ['many deep ones', maps, nested(400, 2 * MIB), json, 413],
    ['quotes', maps, `{"a":"${String.raw`\"`.repeat(1e6)}`, json, 400],
    ['brackets in YAML', maps, '['.repeat(1e6), yaml, 400],
    ['braces in YAML', maps, '{a: '.repeat(2.5e5), yaml, 400],
    ['a long list in YAML', maps, `[${'a,'.repeat(4e5)}]`, yaml, 413],
    ['many lines of YAML', maps, `data:\n${'  - a\n'.repeat(60_000)}`, yaml, 413],
    ['JSON as YAML', maps, entries(300_000), yaml, 413],
    ['packed numbers in Protobuf', pods, magic('v1', 'Pod', listField(3 * MIB - 100)), protobuf, 413],
    ['empty entries in Protobuf', pods, magic('v1', 'Pod', message(3 * MIB - 100)), protobuf, 413],
    [
      'no message at all in Protobuf',
      pods,
      Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(2 * MIB, 8)]),
      protobuf,
      400,
    ],
  ])('%s: is refused before it is parsed', async (_, url, body, headers, code) => {
    api = await startTestServer({ clock: createManualClock() });
    const parsed = vi.spyOn(JSON, 'parse');
    const method = url.endsWith('/m') ? 'PATCH' : 'POST';
    if (method === 'PATCH') await api.call('POST', maps, { metadata: { name: 'm' } });
    parsed.mockClear();
    const { server } = api;
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const user = { name: 'admin', groups: ['system:masters'] };
    const response = await server.as(user).request({ method, url, headers, body: bytes });
    // Only a parser detects a string without an end.
    if (!_.startsWith('quotes')) for (const [text] of parsed.mock.calls) expect(text.length).toBeLessThan(10_000);
    parsed.mockRestore();
    expect(response.status).toBe(code);
    expect(JSON.parse(decodeText(response.body as Uint8Array))).toMatchObject({ kind: 'Status', code });
  });

  it('is answered with what is wrong with it, never with 500', async () => {
    api = await startTestServer({ clock: createManualClock() });
    const quantity = (cpu: unknown) => ({ containers: [{ name: 'c', image: 'i', resources: { limits: { cpu } } }] });
    const bodies: readonly unknown[] = [
      podManifest('p', { spec: quantity('9'.repeat(2 * MIB)) }),
      podManifest('p', { spec: quantity(`1e${'9'.repeat(MIB)}`) }),
      podManifest('p', { spec: quantity('1e999999999') }),
      podManifest('p', { spec: quantity(`0.${'0'.repeat(MIB)}1`) }),
      podManifest('a'.repeat(2 * MIB)),
      podManifest(`${'a.'.repeat(MIB / 2)}-`),
      podManifest('p', { metadata: { labels: { [`${'a.'.repeat(MIB / 2)}/x`]: 'y' } } }),
      podManifest('p', { metadata: { labels: { ['-'.repeat(MIB)]: 'y' } } }),
      podManifest('p', { metadata: { generateName: 'a'.repeat(2 * MIB) } }),
      podManifest('p', { metadata: { finalizers: ['a/'.repeat(MIB / 2)] } }),
      podManifest('p', { spec: { containers: [{ name: 'c', image: 'a/'.repeat(MIB), command: [1] }] } }),
      podManifest('p', { spec: { nodeSelector: { a: '\u0344'.repeat(MIB / 2) } } }),
      podManifest('p', { spec: { hostAliases: [{ ip: '1'.repeat(MIB), hostnames: ['-'.repeat(MIB)] }] } }),
      `{"metadata":{"name":"n"},"spec":{"terminationGracePeriodSeconds":${'9'.repeat(2 * MIB)}}}`,
      '{"metadata":{"name":"n"},"spec":{"priority":1e309,"containers":[{"name":"c","image":"i"}]}}',
      '{"metadata":{"name":"n"},"spec":{"activeDeadlineSeconds":-1e309,"containers":[{"name":"c","image":"i"}]}}',
    ];
    for (const body of bodies) {
      const { status, body: answer } = await api.call('POST', pods, body);
      expect([400, 413, 422]).toContain(status);
      expect(answer).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
    }
  });
});
