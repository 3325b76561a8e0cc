import { describe, expect, it } from 'vitest';
import type { PodHistory } from '../../api/index.ts';
import { decodeText, type HttpResponse, readAll } from '../../lib/index.ts';
import { emptyBook, type PodBook, withDeath, withGoneAt } from '../deaths/death-book.ts';
import { createDeathHistory } from '../deaths/death-history.ts';
import { testDeath } from '../deaths/deaths.fixtures.ts';
import { historyRoutes } from './history-routes.ts';
import { RequestError } from './responses.ts';
import { parseCall } from './routes.ts';

function book(uid: string, name: string, goneAt?: string): PodBook {
  const empty = emptyBook({ namespace: 'default', name, uid });
  const dead = withDeath(withDeath(empty, 'main', testDeath(1)), 'main', testDeath(2));
  return withGoneAt(withDeath(dead, 'side', testDeath(3)), goneAt);
}

const books = [
  book('u1', 'web', '2026-01-01T00:00:00Z'),
  book('u2', 'web'),
  book('u3', 'web', '2026-01-02T00:00:00Z'),
  book('u4', 'db'),
];
const refused = [{ type: 'readiness' as const, outputs: [], listening: [{ port: 8080, own: true }] }];
const refusing: readonly PodBook[] = [
  {
    ...emptyBook({ namespace: 'default', name: 'web', uid: 'u2' }),
    containers: ['main', 'late'].map((name) => ({ name, total: 0, deaths: [], refused })),
  },
  {
    ...emptyBook({ namespace: 'default', name: 'well', uid: 'u5' }),
    containers: [{ name: 'main', total: 0, deaths: [], refused }],
  },
];
const history = createDeathHistory({
  nodeName: 'n1',
  store: {
    list: async () =>
      books.map(({ namespace, name, uid, goneAt }) => ({ namespace, name, uid, total: 3, ...(goneAt && { goneAt }) })),
    read: async (uid) => books.find((each) => each.uid === uid),
  },
  recorder: { settled: async () => {} },
  refusing: () => new Map(refusing.map((each) => [each.uid, each])),
});

interface Body {
  readonly kind: string;
  readonly nodeName: string;
  readonly items: readonly PodHistory[];
}

const uidsOf = ({ items }: Body) => items.map(({ metadata }) => metadata.uid);

async function get(query: string) {
  const [route] = historyRoutes(history);
  const call = parseCall({ method: 'GET', url: `/mendlet/v1/history${query}`, headers: {} });
  const { status, body } = (await Promise.resolve(route?.answer?.(call))) as HttpResponse;
  const text = decodeText(await readAll(body, 1 << 20));
  return { status, body: JSON.parse(text) as Body };
}

describe('the history of a pod', () => {
  it('has all lives of the name, the one that is here first, then those gone last', async () => {
    const { status, body } = await get('?namespace=default&pod=web');
    expect([status, body.kind, uidsOf(body)]).toEqual([200, 'PodHistoryList', ['u2', 'u3', 'u1']]);
    expect(body.items[1]).toMatchObject({ nodeName: 'n1', goneAt: '2026-01-02T00:00:00Z' });
  });

  it.each([
    ['&uid=u1', ['u1'], { main: [1, 2], side: [1] }],
    ['&uid=u2', ['u2'], { main: [1, 2], side: [1], late: [] }],
    ['&uid=u2&container=main', ['u2'], { main: [1, 2] }],
    ['&uid=u2&container=main&death=2', ['u2'], { main: [2] }],
    ['&uid=u2&death=-1', ['u2'], { main: [2], side: [1] }],
  ])('%s', async (query, uids, deaths) => {
    const { body } = await get(`?namespace=default&pod=web${query}`);
    expect(uidsOf(body)).toEqual(uids);
    const found = body.items[0]?.containers.map((each) => [each.name, each.deaths.map(({ number }) => number)]) ?? [];
    expect(Object.fromEntries(found)).toEqual(deaths);
  });

  it('has the probes that the living refuse, also of who never died', async () => {
    const { body } = await get('?namespace=default&pod=web&uid=u2');
    const told = body.items[0]?.containers.map((each) => [each.name, each.total, each.refused]);
    expect(told).toEqual([
      ['main', 2, refused],
      ['side', 1, undefined],
      ['late', 0, refused],
    ]);
    const well = await get('?namespace=default&pod=well');
    expect([uidsOf(well.body), well.body.items[0]?.containers]).toEqual([['u5'], refusing[1]?.containers]);
    expect((await get('?namespace=default&pod=well&death=1')).status).toBe(404);
  });

  it.each(['?namespace=default&pod=nope', '?namespace=other&pod=web', '?namespace=default&pod=web&uid=u4'])(
    '%s is not found, as a Status',
    async (query) => {
      expect(await get(query)).toMatchObject({
        status: 404,
        body: { kind: 'Status', reason: 'NotFound', details: { kind: 'podhistories' } },
      });
    },
  );

  it.each(['?pod=web', '?namespace=default&pod=web&death=0', '?namespace=default&pod=web&death=x'])(
    '%s is refused',
    async (query) => {
      await expect(get(query)).rejects.toBeInstanceOf(RequestError);
    },
  );
});

it('lists all pods that it knows', async () => {
  const { body } = await get('');
  expect([body.kind, body.nodeName, uidsOf(body)]).toEqual(['PodHistoryIndex', 'n1', ['u4', 'u2', 'u3', 'u1']]);
  expect((await get('?namespace=other')).body.items).toEqual([]);
});
