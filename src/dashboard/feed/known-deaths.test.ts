import { describe, expect, it, test } from 'vitest';
import type { DeathRecord, Pod } from '../../api/index.ts';
import { createKubeClient, type KubeClient } from '../../client/index.ts';
import { type Connection, ConnectionError, encodeText } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { HISTORY_AGAIN_MS } from '../limits.ts';
import { KnownDeaths } from './known-deaths.ts';

const DIED = '2030-01-01T12:00:00Z';
const BACK = '2030-01-01T12:00:03Z';

const record = (more: Partial<DeathRecord> = {}): DeathRecord => ({
  number: 1,
  containerId: 'c1',
  restartCount: 0,
  finishedAt: DIED,
  exitCode: 1,
  reason: 'Error',
  backOffSeconds: 3,
  log: { tail: 'no database', truncated: false, says: 'no database' },
  ...more,
});

/** A pod whose container `id` has ended, and runs again since `startedAt`. */
function pod(id: string, startedAt?: string): Pod {
  const terminated = { exitCode: 1, reason: 'Error', finishedAt: DIED, containerID: `containerd://${id}` };
  const state = startedAt === undefined ? { waiting: { reason: 'CrashLoopBackOff' } } : { running: { startedAt } };
  const main = { name: 'main', state, lastState: { terminated }, restartCount: 1, ready: false };
  return {
    metadata: { uid: 'u', namespace: 'shop', name: 'api' },
    status: { containerStatuses: [main] },
  } as unknown as Pod;
}

/** A node that says `deaths`. */
function setUp(deaths: () => readonly DeathRecord[]) {
  const asked: string[] = [];
  const session = {
    client: {} as KubeClient,
    clock: createManualClock(),
    signal: new AbortController().signal,
    connection: {
      upgrade: () => Promise.reject(new Error('no')),
      request: ({ url }: { readonly url: string }) => {
        asked.push(url);
        const all = deaths();
        const containers = [{ name: 'main', total: all.length, deaths: all }];
        const items = [{ metadata: { namespace: 'shop', name: 'api', uid: 'u' }, nodeName: 'n1', containers }];
        return Promise.resolve({ status: 200, headers: {}, body: encodeText(JSON.stringify({ items })) });
      },
    },
  };
  const known = new KnownDeaths(session, () => {});
  const look = async (now: Pod): Promise<void> => {
    known.look([now]);
    await settle();
  };
  return { asked, known, look };
}

describe('a death', () => {
  it('has its node asked once; that it was healed is in the pod’s status', async () => {
    const { asked, known, look } = setUp(() => [record()]);
    await look(pod('c1'));
    expect(known.of('u')?.deaths).toMatchObject([{ container: 'main', at: Date.parse(DIED) }]);
    expect(known.of('u')?.deaths[0]?.healedMs).toBeUndefined();
    expect(known.said('containerd://c1')).toContain('no database');
    await look(pod('c1', BACK));
    expect(known.of('u')?.deaths[0]?.healedMs).toBe(3000);
    expect(known.said('c1')).toContain('no database');
    await look(pod('c1', BACK));
    expect(asked).toEqual(['/api/v1/namespaces/shop/pods/api/history']);
  });

  it('that comes after it is asked for', async () => {
    const second = record({ number: 2, containerId: 'c2', startedAt: BACK });
    const all = [record()];
    const { asked, known, look } = setUp(() => all);
    await look(pod('c1', BACK));
    all.push(second);
    await look(pod('c2'));
    expect(asked).toHaveLength(2);
    expect(known.of('u')?.deaths).toHaveLength(2);
  });

  it.each([
    ['that its node had not noted yet', []],
    ['whose back-off was not decided', [record({ backOffSeconds: undefined })]],
    ['that somebody asked for', [record({ requested: { scope: 'pod' } })]],
  ])('%s is asked for again when it was healed', async (_, first) => {
    let deaths: readonly DeathRecord[] = first;
    const { asked, known, look } = setUp(() => deaths);
    await look(pod('c1'));
    deaths = [record()];
    await look(pod('c1', BACK));
    expect(asked).toHaveLength(2);
    expect(known.of('u')?.deaths).toMatchObject([{ healedMs: 3000, isWished: false }]);
  });
});

const POD = {
  metadata: { name: 'api', namespace: 'shop', uid: 'u' },
  status: {
    containerStatuses: [{ name: 'main', lastState: { terminated: { exitCode: 1, containerID: 'containerd://c1' } } }],
  },
} as unknown as Pod;
const DEATH = { number: 1, containerId: 'c1', finishedAt: '2026-01-02T03:04:05Z', exitCode: 1, reason: 'Error' };
const HISTORY = {
  kind: 'PodHistoryList',
  items: [{ metadata: { name: 'api', uid: 'u' }, containers: [{ name: 'main', total: 1, deaths: [DEATH] }] }],
};

test('a node that did not answer is asked again later, and one that has answered is not', async () => {
  const clock = createManualClock();
  let [asked, isGone] = [0, true];
  const connection: Connection = {
    request: async () => {
      asked += 1;
      if (isGone) throw new ConnectionError('connection refused');
      return { status: 200, headers: {}, body: encodeText(JSON.stringify(HISTORY)) };
    },
    upgrade: () => Promise.reject(new Error('no')),
  };
  const { signal } = new AbortController();
  const client = createKubeClient(connection, { clock });
  const known = new KnownDeaths({ client, connection, clock, signal }, () => {});
  const look = async (): Promise<void> => {
    known.look([POD]);
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  };
  await look();
  const first = asked;
  await look();
  expect([asked, known.of('u')]).toEqual([first, undefined]);
  isGone = false;
  await clock.advance(HISTORY_AGAIN_MS);
  await look();
  await expect.poll(() => known.of('u')?.deaths).toHaveLength(1);
  const then = asked;
  await clock.advance(HISTORY_AGAIN_MS);
  await look();
  expect(asked).toBe(then);
});
