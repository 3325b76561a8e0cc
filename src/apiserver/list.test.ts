import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from './test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

interface List {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly namespace: string } }[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

async function fill(names: readonly string[], namespace = 'default'): Promise<void> {
  for (const name of names)
    await api.call('POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name } });
}

async function list(url: string): Promise<List> {
  const { status, body } = await api.call('GET', url);
  expect(body.message).toBeUndefined();
  expect(status).toBe(200);
  return body;
}

function names(page: List): string[] {
  return page.items.map((item) => item.metadata.name);
}

describe('list', () => {
  it('is sorted, of one namespace or all', async () => {
    await fill(['b', 'a']);
    await fill(['c'], 'kube-system');
    const page = await list(maps);
    expect(names(page)).toEqual(['a', 'b']);
    expect(page).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(names(await list('/api/v1/configmaps'))).toEqual(['a', 'b', 'c']);
  });

  it('keeps namespaces apart whose names begin alike', async () => {
    await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'default-2' } });
    await fill(['a']);
    await fill(['b'], 'default-2');
    expect(names(await list(maps))).toEqual(['a']);
  });

  it('selects by fields', async () => {
    await api.call('POST', pods, podManifest('a', { spec: { nodeName: 'n1' } }));
    await api.call('POST', pods, podManifest('b'));
    expect(names(await list(`${pods}?fieldSelector=spec.nodeName%3Dn1`))).toEqual(['a']);
    expect(names(await list(`${pods}?fieldSelector=spec.nodeName%21%3Dn1,status.phase%3DPending`))).toEqual(['b']);
    expect(names(await list(`${pods}?fieldSelector=metadata.name%3Db`))).toEqual(['b']);
  });

  it.each([
    ['fieldSelector=spec.nope%3Dx', 400, 'field label not supported: spec.nope'],
    ['labelSelector=a%3D%3D%3Db', 400, /unable to parse requirement/],
    ['resourceVersion=x', 400, /invalid resource version "x"/],
    ['limit=1.5', 400, /invalid value of limit/],
    ['continue=xyz', 400, /^invalid continue token: continue key is not valid/],
    [`continue=${btoa('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}')}`, 400, /incorrect encoded start resourceVersion/],
    [`continue=${btoa('{"v":"meta.k8s.io/v1","rv":1,"start":""}')}`, 400, /encoded start key empty/],
    [`continue=${btoa('{"v":"meta.k8s.io/v1","rv":1,"start":"../b"}')}`, 400, /its key leaves the list/],
    [`continue=${btoa('{"v":"v0","rv":1,"start":"a"}')}`, 400, /does not recognize this encoded version/],
    ['continue=xyz&resourceVersion=1', 400, /^specifying resource version is not allowed when using continue$/],
    ['continue=xyz&resourceVersion=1&resourceVersionMatch=Exact', 422, /forbidden when continue is provided/],
    ['resourceVersion=0&resourceVersionMatch=Exact', 422, /"exact\\?" is forbidden for resourceVersion/],
    ['sendInitialEvents=false', 422, /sendInitialEvents is forbidden for list/],
    ['watch=1&sendInitialEvents=false', 422, /requires setting resourceVersionMatch to NotOlderThan/],
    ['watch=1&resourceVersionMatch=NotOlderThan', 422, /forbidden for watch unless sendInitialEvents is provided/],
    [
      'watch=1&sendInitialEvents=1&resourceVersionMatch=Exact',
      422,
      /Unsupported value: "Exact": supported values: "NotOlderThan"/,
    ],
    [
      'watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&continue=x',
      422,
      /forbidden when continue is provided/,
    ],
    ['resourceVersionMatch=Exact', 422, /resourceVersionMatch is forbidden unless resourceVersion is provided/],
    ['resourceVersionMatch=Maybe&resourceVersion=1', 422, /Unsupported value: "Maybe"/],
    ['resourceVersion=1000000', 504, /Too large resource version: 1000000, current: \d+/],
  ])('refuses ?%s', async (query, status, message) => {
    const pending = api.call('GET', `${pods}?${query}`);
    if (status === 504) await api.clock.advance(5000);
    const answer = await pending;
    expect(answer.body.message).toMatch(message);
    expect(answer.status).toBe(status);
  });
});

describe('pages', () => {
  it('show one moment, whatever happens between them', async () => {
    await fill(['a', 'b', 'c', 'd', 'e']);
    const first = await list(`${maps}?limit=2`);
    expect(names(first)).toEqual(['a', 'b']);
    expect(first.metadata.remainingItemCount).toBe(3);
    await fill(['aa', 'cc']);
    await api.call('DELETE', `${maps}/d`);
    const second = await list(`${maps}?limit=2&continue=${first.metadata.continue}`);
    expect(names(second)).toEqual(['c', 'd']);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const third = await list(`${maps}?limit=2&continue=${second.metadata.continue}`);
    expect(names(third)).toEqual(['e']);
    expect(third.metadata.continue).toBeUndefined();
  });

  it('end with 410 when the past is gone, and tell how to go on', async () => {
    await fill(['a', 'b', 'c']);
    const first = await list(`${maps}?limit=1`);
    await fill(['d']);
    await api.store.compact((await api.store.get('/x')).revision);
    const { status, body } = await api.call('GET', `${maps}?limit=1&continue=${first.metadata.continue}`);
    expect(status).toBe(410);
    expect(body.reason).toBe('Expired');
    const rest = await list(`${maps}?continue=${body.metadata.continue}`);
    expect(names(rest)).toEqual(['b', 'c', 'd']);
  });

  it('of a past revision count what is left, with a selector only tell that there is more, and take no more than they need', async () => {
    await fill(Array.from({ length: 12 }, (_, i) => `m${10 + i}`));
    for (const even of ['m12', 'm14', 'm16'])
      await api.call(
        'PATCH',
        `${maps}/${even}`,
        { metadata: { labels: { on: '1' } } },
        {
          'content-type': 'application/merge-patch+json',
        },
      );
    const then = (await list(maps)).metadata.resourceVersion;
    const asked: (number | undefined)[] = [];
    const inner = api.store.list.bind(api.store);
    api.store.list = (prefix, options) => {
      if (options?.revision === Number(then)) asked.push(options.limit);
      return inner(prefix, options);
    };
    await api.call('DELETE', `${maps}/m10`);
    await api.call('DELETE', `${maps}/m14`);
    const first = await list(`${maps}?limit=5&resourceVersion=${then}`);
    expect(names(first)).toEqual(['m10', 'm11', 'm12', 'm13', 'm14']);
    expect(first.metadata).toMatchObject({ resourceVersion: then, remainingItemCount: 7 });
    expect(asked).toEqual([5]);
    const selected = `${maps}?labelSelector=on&resourceVersion=${then}`;
    const some = await list(`${selected}&limit=2`);
    expect(names(some)).toEqual(['m12', 'm14']);
    expect(some.metadata.remainingItemCount).toBeUndefined();
    const rest = await list(`${maps}?labelSelector=on&limit=2&continue=${some.metadata.continue}`);
    expect([names(rest), rest.metadata.continue]).toEqual([['m16'], undefined]);
    const all = await list(`${selected}&resourceVersionMatch=Exact`);
    expect([names(all), all.metadata.continue]).toEqual([['m12', 'm14', 'm16'], undefined]);
    const exactly = await list(`${selected}&limit=3`);
    expect([names(exactly), exactly.metadata.continue]).toEqual([['m12', 'm14', 'm16'], undefined]);
  });

  it('an exact revision that is gone is 410 without a way on', async () => {
    await fill(['a']);
    const then = (await list(maps)).metadata.resourceVersion;
    await fill(['b']);
    await api.store.compact((await api.store.get('/x')).revision);
    const { body } = await api.call('GET', `${maps}?resourceVersion=${then}&limit=1`);
    const message = 'The resourceVersion for the provided list is too old.';
    expect(body).toMatchObject({ code: 410, reason: 'Expired', message });
    expect(body.metadata.continue).toBeUndefined();
  });

  it('an exact revision is that revision', async () => {
    await fill(['a']);
    const then = (await list(maps)).metadata.resourceVersion;
    await fill(['b']);
    expect(names(await list(`${maps}?resourceVersion=${then}&resourceVersionMatch=Exact`))).toEqual(['a']);
    expect(names(await list(`${maps}?resourceVersion=${then}&resourceVersionMatch=NotOlderThan`))).toEqual(['a', 'b']);
  });
});

it('reads at a revision that another resource made', async () => {
  const { body } = await api.call('POST', pods, podManifest('p'));
  const page = await list(`${maps}?resourceVersion=${body.metadata.resourceVersion}`);
  expect(Number(page.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(body.metadata.resourceVersion));
});

it('shows events in both of their forms', async () => {
  const event = {
    metadata: { name: 'e.1' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    reason: 'BackOff',
    message: 'waits',
    type: 'Warning',
    count: 2,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
  };
  expect((await api.call('POST', '/api/v1/namespaces/default/events', event)).status).toBe(201);
  const { body } = await api.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events/e.1');
  expect(body).toMatchObject({
    apiVersion: 'events.k8s.io/v1',
    regarding: { name: 'p' },
    note: 'waits',
    deprecatedCount: 2,
    reason: 'BackOff',
  });
  expect(body.involvedObject).toBeUndefined();
  const selected = await list('/api/v1/events?fieldSelector=involvedObject.name%3Dp,type%3DWarning');
  expect(names(selected)).toEqual(['e.1']);
  const other = await list('/apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Dp');
  expect(names(other)).toEqual(['e.1']);
});

it('forgets events after an hour', async () => {
  const event = {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    reason: 'X',
    type: 'Normal',
  };
  await api.call('POST', '/api/v1/namespaces/default/events', event);
  await api.clock.advance(3_599_000);
  expect(names(await list('/api/v1/events'))).toEqual(['e']);
  await api.clock.advance(2_000);
  expect(names(await list('/api/v1/events'))).toEqual([]);
});

it('gives a list of nothing a revision to watch from: what comes then is told as it came', async () => {
  const fresh = await startTestServer({ clock: createManualClock() });
  try {
    const { body } = await fresh.call('GET', '/api/v1/namespaces/default/pods');
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(0);
  } finally {
    await fresh.close();
  }
});
