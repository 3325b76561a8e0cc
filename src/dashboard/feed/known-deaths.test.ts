import { describe, expect, it } from 'vitest';
import type { DeathRecord, Pod } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { ConnectionError, encodeText } from '../../lib/index.ts';
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
  const clock = createManualClock();
  const session = {
    client: {} as KubeClient,
    clock,
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
  return { asked, clock, known, look };
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

  it('whose node does not answer is asked for again later', async () => {
    let isGone = true;
    const { asked, clock, known, look } = setUp(() => {
      if (isGone) throw new ConnectionError('connection refused');
      return [record()];
    });
    await look(pod('c1', BACK));
    await look(pod('c1', BACK));
    expect([asked.length, known.of('u')]).toEqual([1, undefined]);
    isGone = false;
    await clock.advance(HISTORY_AGAIN_MS);
    await look(pod('c1', BACK));
    expect(known.of('u')?.deaths).toHaveLength(1);
    await clock.advance(HISTORY_AGAIN_MS);
    await look(pod('c1', BACK));
    expect(asked).toHaveLength(2);
  });
});
