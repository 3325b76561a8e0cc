/** Tests the verb against the real API server; the tests play the controller. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import {
  EVENTS,
  GIVE_UP_ANNOTATION,
  LOCAL_PROVISIONER,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  PROVISIONED_BY,
} from '../../api/index.ts';
import { createKubeClient } from '../../client/index.ts';
import { formatTime } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type GiveUpOptions, runGiveUp } from './run-give-up.ts';

let api: InMemoryApi;
beforeEach(async () => {
  api = await createInMemoryApi();
});

const HOSTNAME = 'kubernetes.io/hostname';

/** Claim "data" with a volume on node a, and pod "db-0" there. */
async function cluster({ ready = 'Unknown', local = true, retain = false } = {}): Promise<void> {
  const { client, clock } = api;
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', labels: { [HOSTNAME]: 'a' } } });
  const condition = { type: 'Ready', status: ready, lastTransitionTime: formatTime(clock.now().wall) };
  await client.patch(NODES, undefined, 'a', 'strategic', { status: { conditions: [condition] } }, 'status');
  await client.create(PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v', ...(local && { annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER } }) },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: retain ? 'Retain' : 'Delete',
      local: { path: '/v/data' },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values: ['a'] }] }] },
      },
    },
  });
  await claim('v');
  await client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'db-0' },
    spec: {
      nodeName: 'a',
      containers: [{ name: 'main', image: 'x' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
}

async function claim(volumeName?: string): Promise<void> {
  await api.client.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(volumeName !== undefined && { volumeName }),
    },
  });
}

async function giveUp(options: Partial<GiveUpOptions> = {}, meanwhile: () => Promise<void> = async () => {}) {
  const said = { out: '', err: '' };
  const session: ClusterSession = {
    client: createKubeClient(api.connection, { clock: api.clock }),
    connection: api.connection,
    namespace: 'default',
    clock: api.clock,
    signal: new AbortController().signal,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    outRaw: () => {},
    isTerminal: false,
    columns: undefined,
  };
  const state = { isDone: false };
  const run = runGiveUp(session, { claim: 'data', yes: false, timeoutMs: 5000, ...options }).finally(() => {
    state.isDone = true;
  });
  run.catch(() => {});
  for (let turn = 0; turn < 200 && !state.isDone; turn += 1) {
    await api.clock.advance(100);
    if (turn === 5) await meanwhile();
  }
  return { code: await run, ...said };
}

const asked = async (): Promise<string | undefined> => {
  const { metadata } = await api.client.get(PERSISTENT_VOLUME_CLAIMS, 'default', 'data');
  return metadata?.annotations?.[GIVE_UP_ANNOTATION];
};

describe('giving a volume up', () => {
  it('is told first, and not done', async () => {
    await cluster();
    const { code, out, err } = await giveUp();
    expect(code).toBe(1);
    expect(out).toContain('pvc/data (default) has volume v: node a has not been heard of for');
    expect(out).toContain('its data stays on the disk of a (/v/data)');
    expect(out).toContain('deleted from a: db-0; if the node still runs and is only cut off, they go on there');
    expect(out).toContain('the claim is made anew, and gets a new, empty volume');
    expect(err).toBe('nothing was done; to do it: mendlet volumes give-up data -n default --yes\n');
    expect(await asked()).toBeUndefined();
  });

  it('is done when the claim is another one', async () => {
    await cluster({ retain: true });
    const { code, out } = await giveUp({ yes: true }, async () => {
      expect(await asked()).toBe('v');
      const options = { gracePeriodSeconds: 0 };
      await api.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default', 'data', 'merge', { metadata: { finalizers: null } });
      await api.client.delete(PERSISTENT_VOLUME_CLAIMS, 'default', 'data', options);
      await claim();
    });
    expect(out).toContain('the volume is kept, Released, because its reclaim policy is Retain');
    expect(out).toContain('pvc/data: the volume was given up; the claim was made anew');
    expect(code).toBe(0);
  });

  it('has the word of a server that refuses', async () => {
    await cluster();
    const { code, err } = await giveUp({ yes: true }, async () => {
      const { metadata = {} } = await api.client.get(PERSISTENT_VOLUME_CLAIMS, 'default', 'data');
      await api.client.create(EVENTS, {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: 'default', name: 'data.1' },
        involvedObject: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data', uid: metadata.uid ?? '' },
        reason: 'GiveUpRefused',
        message: 'the volume is not given up: node "a" is heard',
      });
      const annotations = { [GIVE_UP_ANNOTATION]: null };
      await api.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default', 'data', 'merge', { metadata: { annotations } });
    });
    expect({ code, err }).toEqual({
      code: 1,
      err: 'pvc/data keeps its volume: the volume is not given up: node "a" is heard\n',
    });
  });

  it('says when nobody carries it out', async () => {
    await cluster();
    const { code, err } = await giveUp({ yes: true });
    expect(code).toBe(1);
    expect(err).toContain('pvc/data: not done within 5s');
  });

  it.each<[string, Parameters<typeof cluster>[0], string]>([
    [
      'is heard',
      { ready: 'True' },
      'node a is heard and has the data, and db-0 uses it. To begin with an empty volume',
    ],
    ['is heard, and not ready', { ready: 'False' }, 'node a is heard and has the data'],
    ['has another kind of volume', { local: false }, 'the volume is not a folder that mendlet made on a node'],
  ])('is refused while the node %s', async (_, given, why) => {
    await cluster(given);
    const { code, out, err } = await giveUp({ yes: true });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`pvc/data keeps its volume: ${why}`);
    expect(await asked()).toBeUndefined();
  });

  it('is refused for a claim without a volume, and for none', async () => {
    await claim();
    expect((await giveUp({ yes: true })).err).toBe('pvc/data keeps its volume: it has none\n');
    await expect(giveUp({ claim: 'other' })).rejects.toThrow('persistentvolumeclaims "other" not found');
  });
});
