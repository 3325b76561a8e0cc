/** What upstream calls equal is no change: no generation, nothing refused, and nothing written for what was stored before. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectionOf, type Json, NAMESPACE } from '../../../tools/golden/call.ts';
import { readBases } from '../../../tools/golden/own-server.ts';
import { equalVariant } from '../../api/schema/equal-variant.testing.ts';
import { decodeText, encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import type { StoreEntry } from '../../store/index.ts';
import { decodeStored } from '../cache/cached-object.ts';
import { startTestServer, type Loose, type TestServer } from '../test-server.ts';
import type { ApiObject } from './object.ts';
import { asClientsSeeIt } from './owners.ts';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
  await api.call('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  for (const name of ['robot', 'default'])
    await api.call('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name } });
});
afterAll(() => api.close());

/** Those with fields that may not change, and those that others act on. */
const NAMES = [
  'Pod',
  'Pod#host',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'Job#manual',
  'CronJob',
  'Service',
];
const VOLUMES = ['PersistentVolume', 'PersistentVolume#nfs', 'PersistentVolume#csi', 'PersistentVolumeClaim'];
const ACCESS = [
  'StorageClass',
  'Secret',
  'ConfigMap',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'EndpointSlice',
  'LimitRange',
  'Node',
];
const bases = readBases('rich').filter(({ name }) => [...NAMES, ...VOLUMES, ...ACCESS].includes(name));
const RUNS = 4;

/** A base without what a PUT cannot repeat: the words of a random kind, and finalizers that would keep it. */
function plain({ object }: (typeof bases)[number], name: string): Json {
  const { finalizers: _, ownerReferences: __, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, name } };
}

const chances = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));

describe('PUT of an object in other words', () => {
  it.each(bases.map((base) => [base.name, base] as const))('is no change: %s', async (_, base) => {
    const url = collectionOf(base);
    const { apiVersion, kind } = base.object;
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(chances, async (stream) => {
        serial += 1;
        const name = `${base.name.toLowerCase().replace('#', '-')}-${serial}`;
        const next = stream[Symbol.iterator]();
        const vary = () =>
          equalVariant(apiVersion, kind, plain(base, name), { chance: () => next.next().value as number });
        const made = await api.call('POST', `${url}?fieldValidation=Strict`, vary());
        expect([made.status, made.body.message]).toEqual([201, undefined]);
        // What the server gave, a job's labels and selector, belongs to it.
        const own = kind === 'Job' ? (made.body as Json) : plain(base, name);
        const other = equalVariant(apiVersion, kind, own, { chance: () => next.next().value as number });
        const put = await api.call('PUT', `${url}/${name}?fieldValidation=Strict`, other);
        expect([put.status, put.body.message]).toEqual([200, undefined]);
        expect(put.body.metadata.generation).toBe(made.body.metadata.generation);
        await api.call('DELETE', `${url}/${name}`, { gracePeriodSeconds: 0 });
      }),
      { numRuns: RUNS },
    );
  });
});

describe('an object that was stored in other words', () => {
  interface Old {
    readonly url: string;
    /** As it was answered when it was made. */
    readonly made: Loose;
    readonly bytes: Uint8Array;
  }
  const objects = new Map<string, Old>();
  let next: TestServer;

  // An older version has written them all, and ended: the next one begins with them.
  beforeAll(async () => {
    for (const base of bases) objects.set(base.name, await storeInOtherWords(base));
    next = await startTestServer({ clock: createManualClock(), store: api.store });
  });
  afterAll(() => next.close());

  it.each(bases.map(({ name }) => name))('reads as today’s, and stays as it is: %s', async (base) => {
    const { url, made, bytes } = objects.get(base) as Old;
    const read = await next.call('GET', url);
    const { resourceVersion: _r, ...metadata } = read.body.metadata;
    const { resourceVersion: _m, ...expected } = made.metadata;
    expect({ ...read.body, metadata }).toEqual({ ...made, metadata: expected });
    // The same again: nothing to write.
    const put = await next.call('PUT', url, { ...made, metadata: expected });
    expect([put.status, put.body.metadata.resourceVersion]).toEqual([200, read.body.metadata.resourceVersion]);
    expect((await stored(nameOf(base)))[0]?.value).toEqual(bytes);
    const labelled = { ...expected, labels: { ...expected.labels, changed: 'yes' } };
    expect((await next.call('PUT', url, { ...made, metadata: labelled })).status).toBe(200);
    const [entry] = await stored(nameOf(base));
    expect(storedForm(entry)).toEqual(writtenForm(entry));
  });

  async function storeInOtherWords(base: (typeof bases)[number]): Promise<Old> {
    const url = collectionOf(base);
    const { apiVersion, kind } = base.object;
    const name = nameOf(base.name);
    const made = await api.call('POST', url, plain(base, name));
    expect(made.status).toBe(201);
    const [entry] = await stored(name);
    // What is written has the form that reading would give it: this process does not make it canonical again.
    expect(storedForm(entry)).toEqual(writtenForm(entry));
    const text = JSON.parse(decodeText(entry?.value ?? new Uint8Array())) as Json;
    let state = 7;
    const chance = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const bytes = encodeText(JSON.stringify(equalVariant(apiVersion, kind, text, { chance, sameSpelling: true })));
    await api.store.put(entry?.key ?? '', bytes, entry?.revision ?? 0);
    return { url: `${url}/${name}`, made: made.body, bytes };
  }

  function storedForm(entry: StoreEntry | undefined): ApiObject {
    // A copy: bytes of another process.
    return asClientsSeeIt(decodeStored(new Uint8Array(entry?.value ?? []), 1));
  }

  function writtenForm(entry: StoreEntry | undefined): ApiObject {
    const { metadata, ...object } = JSON.parse(decodeText(entry?.value ?? new Uint8Array())) as ApiObject;
    return { ...object, metadata: { ...metadata, resourceVersion: '1' } };
  }

  function nameOf(base: string): string {
    return `old-${base.toLowerCase().replace('#', '-')}`;
  }

  async function stored(name: string) {
    const { entries } = await api.store.list('/registry/', {});
    return entries.filter(({ key }) => key.endsWith(`/${name}`));
  }
});
