import { describe, expect, it } from 'vitest';
import { createInMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import { PODS } from '../../api/index.ts';
import { createKubeClient } from '../../client/index.ts';
import { silentLogger } from '../../lib/index.ts';
import { FEED_LINGER_MS, MAX_FEEDS, MAX_FEEDS_OF_ONE } from '../limits.ts';
import type { Viewer } from '../ports.ts';
import { Feeds } from './feeds.ts';

const POD = {
  metadata: { name: 'web', namespace: 'default' },
  spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'x' }] },
};

async function setUp() {
  const api = await createInMemoryApi();
  const counted = { requests: 0, watches: 0 };
  const viewer = (name: string, groups: readonly string[] = ['system:masters']): Viewer => {
    const inner = api.as({ name, groups });
    const connection = {
      ...inner,
      request: (request: Parameters<typeof inner.request>[0]) => {
        counted.requests += 1;
        if (request.url.includes('watch=')) {
          counted.watches += 1;
          request.signal?.addEventListener('abort', () => {
            counted.watches -= 1;
          });
        }
        return inner.request(request);
      },
    };
    return { name, key: name, connection, client: createKubeClient(connection, { clock: api.clock }) };
  };
  return { api, counted, viewer, feeds: new Feeds({ clock: api.clock, logger: silentLogger }) };
}

describe('a feed', () => {
  it('is one for all tabs of an identity, and ends a while after the last, with all that it holds', async () => {
    const { api, counted, viewer, feeds } = await setUp();
    const timersBefore = api.clock.pendingTimers;
    const alice = viewer('alice');
    const one = feeds.look(alice, undefined);
    const two = feeds.look(alice, undefined);
    expect(two?.feed).toBe(one?.feed);
    await one?.feed.ready();
    await until(() => counted.watches === 11, 'its watches');
    one?.release();
    one?.release();
    await api.clock.advance(FEED_LINGER_MS * 2);
    expect(feeds.size).toBe(1);
    two?.release();
    await api.clock.advance(FEED_LINGER_MS - 1);
    expect(feeds.size).toBe(1);
    await api.clock.advance(1);
    expect(feeds.size).toBe(0);
    await until(() => counted.watches === 0, 'the end of its watches');
    const { requests } = counted;
    await api.clock.advance(60_000);
    expect(counted.requests).toBe(requests);
    expect(api.clock.pendingTimers).toBeLessThanOrEqual(timersBefore);
  });

  it('of who may see nothing says so, ends well, and is another one', async () => {
    const { api, viewer, feeds } = await setUp();
    const bob = feeds.look(viewer('bob', []), 'default');
    await bob?.feed.ready();
    expect(bob?.feed.picture().verdict).toEqual({
      mood: 'troubled',
      text: 'You may not list pods in namespace default',
    });
    bob?.release();
    await api.clock.advance(FEED_LINGER_MS);
    expect(feeds.size).toBe(0);
  });

  it('tells of a new pod within a moment, and then of nothing', async () => {
    const { api, viewer, feeds } = await setUp();
    const look = feeds.look(viewer('alice'), undefined);
    const feed = look?.feed;
    await feed?.ready();
    const before = feed?.revision ?? 0;
    await api.client.create(PODS, POD);
    await api.clock.advance(300);
    const delta = feed?.since(before);
    expect(delta?.rows?.map(({ id }) => id)).toEqual(['pod/default/web']);
    // Of what happened before the feed began nobody knows, and nothing unknown is green.
    expect(delta?.rows?.[0]?.bar).toMatch(/^[.?]{95}[dx]$/);
    const after = feed?.revision;
    await api.clock.advance(60_000);
    expect(feed?.revision).toBe(after);
    expect(feed?.since(before - 10)).toBeUndefined();
    expect(feed?.since((after ?? 0) + 1)).toBeUndefined();
    feeds.close();
  });

  it('makes at most four deltas a second, however much happens', async () => {
    const { api, viewer, feeds } = await setUp();
    const look = feeds.look(viewer('alice'), undefined);
    await look?.feed.ready();
    await api.client.create(PODS, POD);
    await api.clock.advance(1000);
    const before = look?.feed.revision ?? 0;
    for (let index = 0; index < 100; index += 1) {
      const patch = { status: { message: `m${index}`, phase: index % 2 === 0 ? 'Pending' : 'Running' } };
      await api.client.patch(PODS, 'default', 'web', 'merge', patch, 'status');
      await api.clock.advance(20);
    }
    expect((look?.feed.revision ?? 0) - before).toBeLessThanOrEqual(9);
    feeds.close();
  });

  it('gives way to another one only when nobody looks at it', async () => {
    const { viewer, feeds } = await setUp();
    const looks = Array.from({ length: MAX_FEEDS }, (_, index) => feeds.look(viewer(`u${index}`), undefined));
    expect(feeds.look(viewer('late'), undefined)).toBeUndefined();
    looks[3]?.release();
    expect(feeds.look(viewer('late'), undefined)).toBeDefined();
    feeds.close();
    expect(feeds.size).toBe(0);
  });

  it('of one user takes no more than a part of all, whatever tokens and namespaces it has', async () => {
    const { viewer, feeds } = await setUp();
    const token = (number: number): Viewer => ({ ...viewer('system:serviceaccount:a:b'), key: `token ${number}` });
    for (let number = 0; number < MAX_FEEDS_OF_ONE; number += 1)
      expect(feeds.look(token(number), `n${number}`)).toBeDefined();
    expect(feeds.look(token(99), 'other')).toBeUndefined();
    expect(feeds.look(token(0), 'n0')).toBeDefined();
    expect(feeds.look(viewer('alice'), undefined)).toBeDefined();
    feeds.close();
  });
});
