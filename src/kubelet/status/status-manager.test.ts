import { describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import { isNotFound, type Pod, type PodStatus, PODS } from '../../api/index.ts';
import { createKubeClient, type KubeClient } from '../../client/index.ts';
import { type Connection, ConnectionError, createMetrics, type HttpRequest, silentLogger } from '../../lib/index.ts';
import type { StatusManager } from '../types.ts';
import { createStatusManager } from './status-manager.ts';

interface World {
  readonly api: InMemoryApi;
  readonly manager: StatusManager;
  /** "METHOD path" of every request that reached the wire. */
  readonly sent: string[];
  /** What happens to the next request; taken once. */
  fault: ((request: HttpRequest) => 'before' | 'after' | undefined) | undefined;
  readonly stop: () => Promise<void>;
}

async function world(): Promise<World> {
  const api = await createInMemoryApi();
  const sent: string[] = [];
  const controller = new AbortController();
  const connection: Connection = {
    upgrade: (request) => api.connection.upgrade(request),
    request: async (request) => {
      sent.push(`${request.method} ${request.url.split('?')[0]}`);
      const fault = result.fault?.(request);
      if (fault === 'before') throw new ConnectionError('never arrived');
      const answer = await api.connection.request(request);
      if (fault === 'after') throw new ConnectionError('the answer was lost');
      return answer;
    },
  };
  const client: KubeClient = createKubeClient(connection, { clock: api.clock });
  const manager = createStatusManager({ clock: api.clock, logger: silentLogger, metrics: createMetrics(), client });
  const running = manager.run(controller.signal);
  const result: World = {
    api,
    manager,
    sent,
    fault: undefined,
    stop: async () => {
      controller.abort();
      await running;
    },
  };
  return result;
}

async function createPod(api: InMemoryApi, name = 'p'): Promise<Pod> {
  return api.client.create<Pod>(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'n', containers: [{ name: 'app', image: 'i' }] },
  });
}

function running(restartCount: number, conditions: PodStatus['conditions'] = []): PodStatus {
  return {
    phase: 'Running',
    conditions,
    containerStatuses: [{ name: 'app', ready: true, restartCount, image: 'i', imageID: '', state: { running: {} } }],
  };
}

const READY = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
const get = (w: World): Promise<Pod> => w.api.client.get<Pod>(PODS, 'default', 'p');
const settled = (w: World): Promise<void> => until(() => w.manager.settled(), 'settled');
const writes = (w: World): string[] => w.sent.filter((line) => !line.startsWith('GET'));

describe('status manager', () => {
  it('sends a status once, and an identical one never', async () => {
    const w = await world();
    const pod = await createPod(w.api);
    w.manager.report(pod, running(0, [READY]));
    await settled(w);
    w.manager.report(pod, running(0, [{ ...READY, lastTransitionTime: '2026-06-01T00:00:00Z' }]));
    w.manager.report(await get(w), running(0, [READY]));
    await settled(w);
    expect(writes(w)).toEqual(['PATCH /api/v1/namespaces/default/pods/p/status']);
    const { status } = await get(w);
    expect(status?.phase).toBe('Running');
    expect(status?.conditions).toContainEqual({ ...READY, lastProbeTime: null });
    await w.stop();
  });

  it('sends the latest of many', async () => {
    const w = await world();
    const pod = await createPod(w.api);
    for (let count = 0; count < 10; count++) w.manager.report(pod, running(count));
    await settled(w);
    expect((await get(w)).status?.containerStatuses?.[0]?.restartCount).toBe(9);
    expect(writes(w).length).toBeLessThan(3);
    await w.stop();
  });

  it('takes back what somebody said of the pod while nobody could tell us', async () => {
    const w = await world();
    const pod = await createPod(w.api);
    w.manager.report(pod, running(0, [READY]));
    await settled(w);
    // The node was cut off: the node lifecycle controller marks its pods.
    const marked = { type: 'Ready', status: 'False' };
    await w.api.client.patch(PODS, 'default', 'p', 'strategic', { status: { conditions: [marked] } }, 'status');
    w.manager.report(pod, running(1, [READY]));
    await settled(w);
    const { status } = await get(w);
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(status?.containerStatuses?.[0]?.restartCount).toBe(1);
    expect(writes(w).length).toBe(3);
    await w.stop();
  });

  it('leaves the conditions of others alone', async () => {
    const w = await world();
    const pod = await createPod(w.api);
    w.manager.report(pod, running(0, [READY]));
    await settled(w);
    const gate = { type: 'example.com/gate', status: 'True' };
    await w.api.client.patch(PODS, 'default', 'p', 'strategic', { status: { conditions: [gate] } }, 'status');
    w.manager.report(
      await get(w),
      running(1, [
        { ...READY, status: 'False' },
        { ...gate, status: 'False' },
      ]),
    );
    await settled(w);
    const conditions = (await get(w)).status?.conditions ?? [];
    expect(conditions.map(({ type, status }) => `${type} ${status}`).toSorted()).toEqual([
      'Ready False',
      'example.com/gate True',
    ]);
    await w.stop();
  });

  it('sends again what somebody else undid', async () => {
    const w = await world();
    const pod = await createPod(w.api);
    w.manager.report(pod, running(0));
    await settled(w);
    await w.api.client.patch(PODS, 'default', 'p', 'strategic', { status: { message: 'graffiti' } }, 'status');
    w.manager.report(await get(w), running(0));
    await settled(w);
    expect((await get(w)).status?.message).toBeUndefined();
    await w.stop();
  });

  it.each(['before', 'after'] as const)('tries again until the server acknowledged (lost %s)', async (fault) => {
    const w = await world();
    const pod = await createPod(w.api);
    let left = 4;
    w.fault = () => (left-- > 0 ? fault : undefined);
    w.manager.report(pod, running(3));
    await until(() => w.sent.length === 1, 'the first try');
    expect(w.manager.settled()).toBe(false);
    await w.api.clock.advance(10_000);
    expect(w.manager.settled()).toBe(true);
    expect(w.sent.length).toBe(5);
    expect((await get(w)).status?.containerStatuses?.[0]?.restartCount).toBe(3);
    await w.stop();
  });

  it('never touches another pod of the same name', async () => {
    const w = await world();
    const pod = await createPod(w.api);
    await w.api.client.delete(PODS, 'default', 'p', { gracePeriodSeconds: 0 });
    await createPod(w.api);
    w.manager.report(pod, running(7));
    w.manager.finish({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, running(7));
    await settled(w);
    await w.api.clock.advance(60_000);
    const other = await get(w);
    expect(other.status?.containerStatuses).toBeUndefined();
    expect(other.metadata?.uid).not.toBe(pod.metadata?.uid);
    expect(w.sent.length).toBeLessThan(4);
    await w.stop();
  });

  it('drops the status of a pod that is gone', async () => {
    const w = await world();
    const pod = await createPod(w.api);
    await w.api.client.delete(PODS, 'default', 'p', { gracePeriodSeconds: 0 });
    w.manager.report(pod, running(0));
    await settled(w);
    w.manager.report(pod, running(1));
    await settled(w);
    expect(w.sent.length).toBe(1);
    await w.stop();
  });

  it('finishes a deleted pod with its last status, then deletes it for good', async () => {
    const w = await world();
    const pod = await createPod(w.api);
    await w.api.client.delete(PODS, 'default', 'p', { gracePeriodSeconds: 30 });
    w.manager.finish(pod, { ...running(0), phase: 'Failed' });
    await settled(w);
    await expect(get(w)).rejects.toSatisfy(isNotFound);
    expect(writes(w)).toEqual([
      'PATCH /api/v1/namespaces/default/pods/p/status',
      'DELETE /api/v1/namespaces/default/pods/p',
    ]);
    await w.stop();
  });

  it('leaves a finished pod that nobody deleted, until somebody does', async () => {
    const w = await world();
    const pod = await createPod(w.api);
    const status = { ...running(0), phase: 'Succeeded' };
    w.manager.finish(pod, status);
    await settled(w);
    expect((await get(w)).status?.phase).toBe('Succeeded');
    await w.api.client.delete(PODS, 'default', 'p', { gracePeriodSeconds: 30 });
    const deleted = await get(w).catch(() => undefined);
    if (deleted !== undefined) w.manager.finish(deleted, status);
    await settled(w);
    await expect(get(w)).rejects.toSatisfy(isNotFound);
    await w.stop();
  });

  it('never lets a terminal phase leave', async () => {
    const w = await world();
    const pod = await createPod(w.api);
    w.manager.report(pod, { ...running(2), phase: 'Failed' });
    await settled(w);
    w.manager.report(await get(w), running(0));
    await settled(w);
    const { status } = await get(w);
    expect([status?.phase, status?.containerStatuses?.[0]?.restartCount]).toEqual(['Failed', 2]);
    await w.stop();
  });
});
