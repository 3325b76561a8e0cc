import { describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import {
  CONFIG_MAPS,
  DEPENDS_ON,
  HEALING_POLICY,
  PERSISTENT_VOLUME_CLAIMS,
  type Pod,
  type PodSpec,
  type PodStatus,
} from '../../api/index.ts';
import { seededRandom, silentLogger } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { createConfigCache } from '../env/config-cache.ts';
import type { PressureVerdict } from '../types.ts';
import type { Circumstances } from '../plan/recovery/circumstances.ts';
import type { ProbeAttempt } from '../ports.ts';
import { RecoveryWatch } from './recovery-watch.ts';

interface World {
  readonly api: InMemoryApi;
  readonly watch: RecoveryWatch;
  readonly dirty: string[];
  readonly dials: string[];
  readonly images: Map<string, string>;
  dial: ProbeAttempt['result'];
  pressure: PressureVerdict | undefined;
  now(): Circumstances | undefined;
}

async function world(): Promise<World> {
  const api = await createInMemoryApi();
  const { clock, client } = api;
  const given = { clock, client, random: seededRandom(1), logger: silentLogger };
  const w: World = {
    api,
    dirty: [],
    dials: [],
    images: new Map(),
    dial: 'failure',
    pressure: undefined,
    now: () => w.watch.circumstances('u'),
    watch: new RecoveryWatch(
      {
        ...given,
        images: {
          status: async (image) => {
            const id = w.images.get(image);
            return id === undefined ? undefined : ({ id } as never);
          },
        },
        probeTransport: {
          tcp: async ({ host, port }) => {
            w.dials.push(`${host} ${port}`);
            return { result: w.dial, output: '' };
          },
        },
      },
      {
        config: createConfigCache(given),
        pressure: () => w.pressure,
        markDirty: (uid, cause) => w.dirty.push(`${uid} ${cause}`),
      },
    ),
  };
  return w;
}

function pod(annotations: Record<string, string> = { [HEALING_POLICY]: '{}' }, spec: Partial<PodSpec> = {}): Pod {
  const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'app', key: 'a' } } }];
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'u', annotations },
    spec: { containers: [{ name: 'main', image: 'r.io/app:1', env }], ...spec },
  };
}

const state = (reason: string | undefined) => {
  const status: PodStatus = {
    containerStatuses: [
      {
        name: 'main',
        image: '',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: reason === undefined ? { running: {} } : { waiting: { reason } },
      },
    ],
  };
  return { syncing: true, status, volumes: undefined };
};
const WAITS = state('CrashLoopBackOff');
const RUNS = state(undefined);

const makeApp = (w: World, a: string): Promise<unknown> =>
  w.api.client.create(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'app', namespace: 'default' },
    data: { a },
  });

describe('what surrounds a pod', () => {
  it('is nobody’s business who did not ask', async () => {
    const w = await world();
    const { pendingTimers } = w.api.clock;
    w.watch.sync(pod({}), WAITS);
    w.watch.sync(pod({ [HEALING_POLICY]: 'lateRecovery: Never' }), WAITS);
    await settle();
    expect([w.now(), w.dirty, w.api.clock.pendingTimers]).toEqual([undefined, [], pendingTimers]);
  });

  it('is known of ConfigMaps while its containers run, used by environments alone', async () => {
    const w = await world();
    w.watch.sync(pod(), RUNS);
    await until(() => w.now()?.['configmap/app'] === 'absent', 'its absence');
    await makeApp(w, '1');
    await until(() => w.now()?.['configmap/app'] !== 'absent', 'it');
    expect(w.dirty).toEqual(['u recovery', 'u recovery']);
    const before = w.now()?.['configmap/app'];
    await w.api.client.patch(CONFIG_MAPS, 'default', 'app', 'merge', { metadata: { labels: { x: 'y' } } });
    await w.api.client.patch(CONFIG_MAPS, 'default', 'app', 'merge', { data: { a: '2' } });
    await until(() => w.now()?.['configmap/app'] !== before, 'its change');
    expect(w.dirty).toHaveLength(3);
    expect(Object.keys(w.now() ?? {})).toEqual(['configmap/app']);
    w.watch.close();
  });

  it('an immutable one that was made anew is found while a container waits', async () => {
    const w = await world();
    const immutable = (a: string): Promise<unknown> =>
      w.api.client.create(CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'app', namespace: 'default' },
        data: { a },
        immutable: true,
      });
    await immutable('1');
    w.watch.sync(pod(), WAITS);
    await until(() => w.now()?.['configmap/app'] !== undefined, 'it');
    const before = w.now()?.['configmap/app'];
    await w.api.client.delete(CONFIG_MAPS, 'default', 'app');
    await immutable('2');
    await w.api.clock.advance(40_000);
    await until(() => w.now()?.['configmap/app'] !== before, 'the other');
    w.watch.close();
  });

  it('addresses are dialled while a container waits, and not otherwise', async () => {
    const w = await world();
    const depends = pod({ [DEPENDS_ON]: '10.0.0.7:80, [fd00::7]:81, service/db' });
    w.watch.sync(depends, RUNS);
    await w.api.clock.advance(5000);
    expect(w.dials).toEqual([]);
    w.watch.sync(depends, WAITS);
    await settle();
    expect(w.dials).toEqual(['10.0.0.7 80', 'fd00::7 81']);
    expect(w.now()).toMatchObject({ 'address/10.0.0.7:80': 'unreachable', 'address/[fd00::7]:81': 'unreachable' });
    w.dial = 'success';
    await w.api.clock.advance(1250);
    expect(w.now()).toMatchObject({ 'address/10.0.0.7:80': 'reachable' });
    expect(w.dirty.length).toBeGreaterThanOrEqual(4);
    w.watch.sync(depends, RUNS);
    const { length } = w.dials;
    await w.api.clock.advance(20_000);
    expect(w.dials).toHaveLength(length);
    expect(w.now()).not.toHaveProperty('address/10.0.0.7:80');
    w.watch.close();
  });

  it('what could not be dialled is not known', async () => {
    const w = await world();
    w.dial = 'error';
    w.watch.sync(pod({ [DEPENDS_ON]: '10.0.0.7:80' }), WAITS);
    await settle();
    expect(w.dials).toHaveLength(1);
    expect(w.now()).not.toHaveProperty('address/10.0.0.7:80');
    w.watch.close();
  });

  it('images that appear', async () => {
    const w = await world();
    w.watch.sync(pod(), state('ImagePullBackOff'));
    await until(() => w.now()?.['image/r.io/app:1'] === 'absent', 'its absence');
    w.images.set('r.io/app:1', 'sha256:1');
    await w.api.clock.advance(2500);
    expect(w.now()?.['image/r.io/app:1']).toBe('sha256:1');
    w.watch.close();
  });

  it('claims, while volumes fail or a container waits', async () => {
    const w = await world();
    const claimed = pod(undefined, { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] });
    const failed = { state: 'failed', message: 'PVC is not bound', retryAt: 0 } as const;
    w.watch.sync(claimed, { ...state('ContainerCreating'), volumes: failed });
    await until(() => w.now()?.['persistentvolumeclaim/data'] === 'absent', 'its absence');
    await w.api.client.create(PERSISTENT_VOLUME_CLAIMS, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await w.api.clock.advance(2500);
    await until(() => w.now()?.['persistentvolumeclaim/data']?.startsWith('Pending ') === true, 'it');
    w.watch.close();
  });

  it('the node’s pressure, once it is known', async () => {
    const w = await world();
    w.watch.sync(pod(), WAITS);
    await settle();
    w.dirty.length = 0;
    expect(w.now()).not.toHaveProperty('pressure/node');
    w.pressure = { memory: true, disk: false, pid: false };
    w.watch.pressureChanged();
    expect(w.now()).toHaveProperty('pressure/node', 'memory');
    expect(w.dirty).toEqual(['u recovery']);
    w.watch.sync(pod(), RUNS);
    w.watch.pressureChanged();
    expect(w.dirty).toHaveLength(1);
    w.watch.close();
  });

  it('is forgotten with the pod', async () => {
    const w = await world();
    const { pendingTimers } = w.api.clock;
    w.watch.sync(pod({ [DEPENDS_ON]: '10.0.0.7:80' }), WAITS);
    await settle();
    w.watch.sync(pod({ [DEPENDS_ON]: '10.0.0.7:80' }), { ...WAITS, syncing: false });
    await until(() => w.api.clock.pendingTimers <= pendingTimers, 'the end of all timers');
    expect(w.now()).toBeUndefined();
    w.watch.forget('u');
  });
});
