/** Tests that each invariant of the fleet detects its violation, on a fleet without controllers or agents. */
import { describe, expect, it } from 'vitest';
import type { KubeObject, Pod } from '../../../api/index.ts';
import { encodeText, silentLogger } from '../../../lib/index.ts';
import { realEventLoop } from '../../event-loop.node.ts';
import { Sim } from '../../sim.ts';
import { Fleet } from '../fleet.ts';
import { checkFleet } from './all.ts';

type Step = (fleet: Fleet) => void | Promise<unknown>;

/** Plays one step each second. @returns the message of the first violation, if there is one */
async function play(...steps: readonly Step[]): Promise<string | undefined> {
  const sim = new Sim({ seed: 1, loop: realEventLoop });
  const fleet = new Fleet({ sim, nodes: 40, zones: 1, logger: silentLogger });
  try {
    checkFleet(fleet);
    await sim.run(0);
    let at = 0;
    for (const step of steps) {
      await step(fleet);
      at += 1000;
      sim.after(1000, 'tick', () => {});
      await sim.run(at);
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function put(prefix: string, key: string, object: KubeObject): Step {
  return async ({ controlPlane: { store } }) => {
    const path = `/registry/${prefix}/${key}`;
    const { entry } = await store.get(path);
    await store.put(path, encodeText(JSON.stringify(object)), entry?.revision ?? 0);
  };
}

function owned(uid: string, kind = 'ReplicaSet') {
  return { apiVersion: 'apps/v1', kind, name: `of-${uid}`, uid, controller: true };
}

function pod(name: string, uid: string, more: { node?: string; owners?: object[]; labels?: object } = {}): Pod {
  const metadata = { namespace: 'n', name, uid, ownerReferences: more.owners ?? [] };
  return { kind: 'Pod', metadata, spec: { containers: [], nodeName: more.node ?? '' } } as unknown as Pod;
}

const starts =
  (node: string, given: Pod): Step =>
  ({ facts }) =>
    facts.started(node, given);

const evicted = (name: string, isEvicted: boolean) => ({
  kind: 'Node',
  metadata: { name, uid: name },
  spec: { taints: isEvicted ? [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] : [] },
});

const deployment = (replicas: number) => ({
  kind: 'Deployment',
  metadata: { namespace: 'n', name: 'web', uid: 'd' },
  spec: { replicas, strategy: { rollingUpdate: { maxSurge: 1 } } },
});
const replicaSet = {
  kind: 'ReplicaSet',
  metadata: { namespace: 'n', name: 'web-1', uid: 'r', ownerReferences: [owned('d', 'Deployment')] },
};
const replicas = (from: number, to: number): Step[] =>
  Array.from({ length: to - from + 1 }, (_, i) =>
    put('pods', `n/web-${from + i}`, pod(`web-${from + i}`, `u${from + i}`, { owners: [owned('r')] })),
  );

describe('invariants of a fleet', () => {
  it('a pod keeps its node', async () => {
    const moved = await play(
      put('pods', 'n/a', pod('a', 'u', { node: 'node1' })),
      put('pods', 'n/a', pod('a', 'u', { node: 'node2' })),
    );
    expect(moved).toBe('one node: n/a moved from node1 to node2');
    const other = await play(
      put('pods', 'n/a', pod('a', 'u', { node: 'node1' })),
      put('pods', 'n/a', pod('a', 'v', { node: 'node2' })),
    );
    expect(other).toBeUndefined();
  });

  it('a pod has one owner', async () => {
    expect(await play(put('pods', 'n/a', pod('a', 'u', { owners: [owned('r'), owned('s')] })))).toMatch(/^one owner/);
    const taken = await play(
      put('pods', 'n/a', pod('a', 'u', { owners: [owned('r')] })),
      put('pods', 'n/a', pod('a', 'u', { owners: [owned('s')] })),
    );
    expect(taken).toMatch(/^one owner/);
    const released = await play(
      put('pods', 'n/a', pod('a', 'u', { owners: [owned('r')] })),
      put('pods', 'n/a', pod('a', 'u')),
      put('pods', 'n/a', pod('a', 'u', { owners: [owned('s')] })),
    );
    expect(released).toBeUndefined();
  });

  it('a pod runs in one place, and where it is bound to', async () => {
    const a = pod('a', 'u', { node: 'node1' });
    expect(await play(starts('node1', a), starts('node2', pod('a', 'u', { node: 'node2' })))).toMatch(/^one place/);
    expect(await play(starts('node2', a))).toMatch(/^foreign pod/);
    expect(
      await play(starts('node1', a), ({ facts }) => facts.stopped('node1', 'u'), starts('node1', a)),
    ).toBeUndefined();
  });

  it('an identity runs once', async () => {
    const db = (uid: string, node: string) => pod('db-0', uid, { node, owners: [owned('s', 'StatefulSet')] });
    expect(await play(starts('node1', db('u', 'node1')), starts('node2', db('v', 'node2')))).toMatch(/^one identity/);
    const web = (uid: string, node: string) => pod('web', uid, { node, owners: [owned('r')] });
    expect(await play(starts('node1', web('u', 'node1')), starts('node2', web('v', 'node2')))).toBeUndefined();
  });

  it('a pods’ network has one node', async () => {
    const node = (name: string, podCIDR?: string) =>
      put('minions', name, { kind: 'Node', metadata: { name, uid: name }, spec: { podCIDR } } as KubeObject);
    const route = (name: string, dst: string): Step => {
      return ({ nodes }) => {
        const change = { verb: 'replace', dst, via: '192.0.2.9', metric: 1 } as const;
        nodes.find((each) => each.name === name)?.network.change(change);
      };
    };
    const two = [node('node1', '10.244.0.0/24'), node('node2', '10.244.1.0/24'), node('node3')];
    expect(await play(...two, route('node1', '10.244.1.0/24'))).toBeUndefined();
    expect(await play(...two, node('node3', '10.244.1.0/25'))).toBe(
      'one network: node3 and node2 both have 10.244.1.0/25',
    );
    expect(await play(...two, route('node1', '10.244.0.0/16'))).toBe(
      'one network: node1 sends its own 10.244.0.0/16 to 192.0.2.9',
    );
  });

  it('replicas never pass desired and surge', async () => {
    const begin = [put('deployments', 'n/web', deployment(3)), put('replicasets', 'n/web-1', replicaSet)];
    expect(await play(...begin, ...replicas(1, 4))).toBeUndefined();
    expect(await play(...begin, ...replicas(1, 5))).toBe('replicas: 5 pods of the owner of n/web-5, at most 4 may be');
    const smaller = put('deployments', 'n/web', deployment(1));
    expect(await play(...begin, ...replicas(1, 4), smaller)).toBeUndefined();
  });

  it('a smaller number of replicas takes effect when the replica set has seen it, too', async () => {
    // Seed 18: the burst of creations for nine replicas was under way when there were to be six.
    const to = (many: number, generation: number): Step =>
      put('deployments', 'n/web', {
        ...deployment(many),
        metadata: { ...deployment(many).metadata, generation },
        status: { observedGeneration: generation },
      } as KubeObject);
    const set = (generation: number, observedGeneration: number): Step =>
      put('replicasets', 'n/web-1', {
        ...replicaSet,
        metadata: { ...replicaSet.metadata, generation },
        status: { observedGeneration },
      } as KubeObject);
    const smaller = [to(9, 1), set(1, 1), ...replicas(1, 4), set(2, 1), to(6, 2), ...replicas(5, 5)];
    expect(await play(...smaller, ...replicas(6, 10))).toBeUndefined();
    const fewer = await play(...smaller, set(2, 2), ...replicas(6, 8));
    expect(fewer).toBe('replicas: 8 pods of the owner of n/web-8, at most 7 may be');
  });

  it('nobody writes one object for ever', async () => {
    const write =
      (times: number): Step =>
      async (fleet) => {
        for (let i = 0; i < times; i += 1) await put('configmaps', 'n/a', { metadata: { name: `a${i}` } })(fleet);
      };
    expect(await play(write(120))).toBeUndefined();
    expect(await play(write(121))).toMatch(/^hot loop: configmaps\/n\/a was written 121 times/);
  });

  it('nodes are not emptied by the dozen, nor by one who hears nobody', async () => {
    const up: Step = ({ nodes }) => nodes[0]?.startAgent();
    const lose = (count: number) =>
      Array.from({ length: count }, (_, i) => [
        put('minions', `node${i + 1}`, evicted(`node${i + 1}`, false)),
        put('minions', `node${i + 1}`, evicted(`node${i + 1}`, true)),
      ]).flat();
    expect(await play(up, ...lose(14))).toBeUndefined();
    expect(await play(up, ...lose(15))).toMatch(/^eviction storm: 15 nodes/);
    const wait = Array.from({ length: 61 }, (): Step => () => {});
    expect(await play(...lose(1))).toBeUndefined();
    expect(await play(...wait, ...lose(1))).toMatch(/^blind eviction: node1/);
  });

  describe('volumes are kept', () => {
    const volume = (mode: string, policy: string, more: object = {}) =>
      put('persistentvolumes', 'v', {
        kind: 'PersistentVolume',
        metadata: { name: 'v', ...more },
        spec: {
          accessModes: [mode],
          persistentVolumeReclaimPolicy: policy,
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', values: ['node1'] }] }],
            },
          },
        },
      } as KubeObject);
    const claim = put('persistentvolumeclaims', 'n/c', {
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'n', name: 'c' },
      spec: { volumeName: 'v' },
    } as KubeObject);
    const user = (name: string): Pod => {
      const given = pod(name, name, { node: 'node1' });
      const volumes = [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }];
      return { ...given, spec: { containers: [], ...given.spec, volumes } };
    };
    const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const folderGone =
      (node = 'node1'): Step =>
      ({ facts }) =>
        facts.folderGone(node, 'v');
    const ends: Step = ({ facts }) => facts.stopped('node1', 'a');
    const used: Step = ({ nodes }) => {
      const folder = { name: 'v', handle: 'v', path: '/v', capacityBytes: 1, state: 'ready', wasUsed: true } as const;
      nodes[0]?.volumes.folders.set('v', folder);
    };
    const deleted: Step = async ({ controlPlane: { store } }) => {
      const { entry } = await store.get('/registry/persistentvolumes/v');
      await store.delete('/registry/persistentvolumes/v', entry?.revision ?? 0);
    };
    const shared = volume('ReadWriteOnce', 'Delete');
    const alone = volume('ReadWriteOncePod', 'Delete');

    it.each<[string, readonly Step[], RegExp | undefined]>([
      ['two pods of one', [alone, claim, starts('node1', user('a')), starts('node1', user('b'))], /^one pod/],
      ['one after the other', [alone, claim, starts('node1', user('a')), ends, starts('node1', user('b'))], undefined],
      ['two pods of one that may', [shared, claim, starts('node1', user('a')), starts('node1', user('b'))], undefined],
      ['below a pod', [shared, claim, starts('node1', user('a')), folderGone()], /^folder in use/],
      ['below a volume', [shared, folderGone()], /^folder gone/],
      ['on another node', [shared, folderGone('node2')], undefined],
      ['as it should', [volume('ReadWriteOnce', 'Delete', deleting), folderGone()], undefined],
      ['with Retain', [volume('ReadWriteOnce', 'Retain', deleting), folderGone()], /^Retain/],
      ['with Retain, later', [volume('ReadWriteOnce', 'Retain'), deleted, folderGone()], /^Retain/],
      ['left behind', [used, shared, deleted], /^leak/],
      ['left behind with Retain', [used, volume('ReadWriteOnce', 'Retain'), deleted], undefined],
    ])('%s', async (_, steps, expected) => {
      const said = await play(...steps);
      if (expected === undefined) expect(said).toBeUndefined();
      else expect(said).toMatch(expected);
    });
  });
});
