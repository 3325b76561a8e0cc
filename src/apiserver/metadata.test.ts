/** Metadata alone (`PartialObjectMetadata`), as clients that keep no more ask for it: lists, pages, objects, watches, bookmarks. */
import { describe, expect, it } from 'vitest';
import { RESOURCES } from '../api/index.ts';
import { decodeText } from '../lib/index.ts';
import { createManualClock, settle } from '../lib/manual-clock.node.ts';
import { BOOKMARK_INTERVAL_MS } from './limits.ts';
import { type Loose, podManifest, startTestServer, type TestServer } from './test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const merge = { 'content-type': 'application/merge-patch+json' };

/** What client-go's metadata client sends. */
const accept = (kind: string, version = 'v1') => {
  const form = `as=${kind};g=meta.k8s.io;v=${version}`;
  return { accept: `application/vnd.kubernetes.protobuf;${form},application/json;${form},application/json` };
};
const ONE = accept('PartialObjectMetadata');
const LIST = accept('PartialObjectMetadataList');

async function withServer(run: (api: TestServer) => Promise<void>): Promise<void> {
  const api = await startTestServer({ clock: createManualClock() });
  try {
    await run(api);
  } finally {
    await api.close();
  }
}

/** The events of a watch as they come, until `stop`. */
async function watch(api: TestServer, url: string, headers: Record<string, string>) {
  const controller = new AbortController();
  const response = await api.raw('GET', url, undefined, headers, controller.signal);
  expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json']);
  const events: { readonly type: string; readonly object: Loose }[] = [];
  const read = async (): Promise<void> => {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      for (const line of decodeText(chunk).trim().split('\n')) events.push(JSON.parse(line));
    }
  };
  const ended = read();
  await settle();
  return {
    events,
    stop: async () => {
      controller.abort();
      await ended;
    },
  };
}

const fieldsOf = (object: Loose): readonly string[] => Object.keys(object).toSorted();

describe.each(['v1', 'v1beta1'])('metadata alone, meta.k8s.io/%s', (version) => {
  const apiVersion = `meta.k8s.io/${version}`;
  const one = accept('PartialObjectMetadata', version);
  const list = accept('PartialObjectMetadataList', version);

  it('of lists and their pages: kind, version and place of the whole list', () =>
    withServer(async (api) => {
      for (const name of ['a', 'b', 'c']) {
        await api.call('POST', maps, { metadata: { name, labels: { l: '1' } }, data: { x: 'y' } });
      }
      const whole = (await api.call('GET', maps)).body;
      const { status, body } = await api.call('GET', `${maps}?limit=2`, undefined, list);
      expect([status, body.kind, body.apiVersion]).toEqual([200, 'PartialObjectMetadataList', apiVersion]);
      expect(body.metadata).toMatchObject({ resourceVersion: whole.metadata.resourceVersion, remainingItemCount: 1 });
      const second = await api.call('GET', `${maps}?limit=2&continue=${body.metadata.continue}`, undefined, list);
      const items = [...body.items, ...second.body.items];
      expect(items).toEqual(
        whole.items.map(({ metadata }: Loose) => ({ kind: 'PartialObjectMetadata', apiVersion, metadata })),
      );
      expect(second.body.metadata.continue).toBeUndefined();
      const selected = await api.call('GET', `${maps}?fieldSelector=metadata.name%3Db`, undefined, list);
      expect(selected.body.items.map(({ metadata }: Loose) => metadata.name)).toEqual(['b']);
      const none = await api.call('GET', `${maps}?labelSelector=l%3D2`, undefined, list);
      expect(none.body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion, items: [] });
    }));

  it('of watches: what is there, changes, ends and bookmarks', () =>
    withServer(async (api) => {
      await api.call('POST', maps, { metadata: { name: 'a' }, data: { x: 'y' } });
      const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
      const stream = await watch(api, `${maps}?watch=1&allowWatchBookmarks=true&${initial}`, one);
      await api.call('PATCH', `${maps}/a`, { data: { x: 'z' } }, merge);
      await api.call('DELETE', `${maps}/a`);
      const last = (await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } })).body;
      await api.clock.advance(BOOKMARK_INTERVAL_MS);
      await settle();
      expect(stream.events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK', 'MODIFIED', 'DELETED', 'BOOKMARK']);
      for (const { object } of stream.events) {
        expect([object.kind, object.apiVersion]).toEqual(['PartialObjectMetadata', apiVersion]);
        expect(fieldsOf(object)).toEqual(['apiVersion', 'kind', 'metadata']);
      }
      expect(stream.events[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
      const { resourceVersion } = stream.events[4]?.object.metadata ?? {};
      expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(last.metadata.resourceVersion));
      await stream.stop();
    }));

  it('of objects: what is read, made, changed and deleted', () =>
    withServer(async (api) => {
      const made = await api.call(
        'POST',
        maps,
        { metadata: { name: 'a', finalizers: ['a.b/c'] }, data: { x: 'y' } },
        one,
      );
      const changed = await api.call('PATCH', `${maps}/a`, { data: { x: 'z' } }, { ...merge, ...one });
      const read = await api.call('GET', `${maps}/a`, undefined, one);
      const deleted = await api.call('DELETE', `${maps}/a`, undefined, one);
      for (const { body } of [made, changed, read, deleted]) {
        expect([body.kind, body.apiVersion]).toEqual(['PartialObjectMetadata', apiVersion]);
        expect([fieldsOf(body), body.metadata.name]).toEqual([['apiVersion', 'kind', 'metadata'], 'a']);
      }
      expect(deleted.body.metadata.deletionTimestamp).toBeDefined();
    }));
});

it('a watch whose past is gone gets a Status all the same', async () => {
  const clock = createManualClock();
  const first = await startTestServer({ clock });
  const { resourceVersion } = (await first.call('POST', maps, { metadata: { name: 'a' } })).body.metadata;
  const last = (await first.call('PATCH', `${maps}/a`, { data: { x: 'y' } }, merge)).body.metadata.resourceVersion;
  await first.store.compact(Number(last));
  const api = await startTestServer({ clock, store: first.store });
  const stream = await watch(api, `${maps}?watch=1&resourceVersion=${resourceVersion}`, ONE);
  expect(stream.events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }]);
  await stream.stop();
  await Promise.all([api.close(), first.close()]);
});

it('is given of every kind that can be listed and watched', () =>
  withServer(async (api) => {
    await api.call('POST', '/api/v1/namespaces/default/pods', podManifest('p'));
    const listed = RESOURCES.filter(({ verbs }) => verbs.includes('list') && verbs.includes('watch'));
    expect(listed.length).toBeGreaterThan(30);
    for (const { group, version, resource } of listed) {
      const url = `${group === '' ? `/api/${version}` : `/apis/${group}/${version}`}/${resource}`;
      const { status, body } = await api.call('GET', url, undefined, LIST);
      expect([url, status, body.kind, body.apiVersion]).toEqual([
        url,
        200,
        'PartialObjectMetadataList',
        'meta.k8s.io/v1',
      ]);
      for (const item of body.items) {
        expect([item.kind, fieldsOf(item)]).toEqual(['PartialObjectMetadata', ['apiVersion', 'kind', 'metadata']]);
      }
    }
  }));

it('is refused as a list of one object, and as one object of a list, before anything is done', () =>
  withServer(async (api) => {
    const made = await api.call('POST', maps, { metadata: { name: 'a' } }, LIST);
    const wrong = [
      made,
      await api.call('GET', maps, undefined, ONE),
      await api.call('GET', `${maps}/a`, undefined, LIST),
      await api.call('GET', `${maps}?watch=1`, undefined, LIST),
      await api.call('DELETE', maps, undefined, ONE),
    ];
    expect(wrong.map(({ status, body }) => [status, body.kind, body.reason])).toEqual(
      wrong.map(() => [406, 'Status', 'NotAcceptable']),
    );
    expect((await api.call('GET', maps)).body.items).toEqual([]);
  }));
