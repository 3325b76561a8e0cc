import { expect, test } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { type Connection, ConnectionError, encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { createKubeClient } from '../../client/index.ts';
import { HISTORY_AGAIN_MS } from '../limits.ts';
import { KnownDeaths } from './known-deaths.ts';

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
