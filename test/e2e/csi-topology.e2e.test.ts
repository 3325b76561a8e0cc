/**
 * Tests a driver whose volumes stay on their nodes, on two nodes: topology, the room that its provisioner tells of in
 * CSIStorageCapacity objects, and the number of volumes that a node may have.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exampleDriverArchive } from '../support/csi-example/image.ts';
import { DRIVER, installInLab, labKubeletDir, NAMESPACE } from '../support/csi-example/manifests.ts';
import { Lab } from '../support/lab.ts';
import { describeInWhole } from './extent.ts';
import { busyboxPod, until } from './harness.ts';

const TOPOLOGY_KEY = `topology.${DRIVER}/node`;
const ROOM = 64 * 2 ** 20;

describeInWhole('a driver whose volumes stay on their nodes', () => {
  let lab: Lab;
  let dataDir: string;

  beforeAll(async () => {
    const archive = await exampleDriverArchive();
    lab = await Lab.create({
      nodes: 2,
      clusterCidr: '10.188.0.0/16',
      serverFlags: ['--service-cidr', '10.119.0.0/16'],
      agentFlags: ['--image-archive', archive],
    });
    await lab.startServer();
    await Promise.all(lab.nodes.map((node) => node.start(['--kubelet-dir', labKubeletDir(lab, node.name)])));
    dataDir = await installInLab(lab, { staysOnNode: true, capacity: ROOM, maxVolumes: 2 });
  });
  afterAll(async () => lab?.down());

  const claim = (name: string, size: string): object => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      storageClassName: 'csi-folders',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
    },
  });
  const user = (name: string, ...claims: readonly string[]): object =>
    busyboxPod(name, 'sleep 36000', {
      spec: {
        terminationGracePeriodSeconds: 0,
        volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
      },
      container: { volumeMounts: claims.map((each) => ({ name: each, mountPath: `/${each}` })) },
    });
  const ready = (pod: string): Promise<string> =>
    lab.kubectl(['wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=300s']);
  const nodeOf = (pod: string): Promise<string> => lab.kubectl(['get', 'pod', pod, '-o', 'jsonpath={.spec.nodeName}']);
  const waits = async (pod: string, why: string): Promise<void> => {
    await until(`why pod ${pod} waits`, async () => {
      const last = await lab.kubectl(['events', '--for', `pod/${pod}`]);
      return last.includes(why) ? { value: true } : { last };
    });
  };

  it('tells each node and the room that each has', async () => {
    for (const { name } of lab.nodes) {
      const label = `jsonpath={.metadata.labels.${TOPOLOGY_KEY.replaceAll('.', '\\.')}}`;
      expect(await lab.kubectl(['get', 'node', name, '-o', label])).toBe(name);
      const count = 'jsonpath={.spec.drivers[0].allocatable.count}';
      expect(await lab.kubectl(['get', 'csinode', name, '-o', count])).toBe('2');
    }
    const capacities = ['-n', NAMESPACE, 'get', 'csistoragecapacities', '-o', 'jsonpath={.items[*].capacity}'];
    // Two classes on two nodes.
    await expect
      .poll(() => lab.kubectl(capacities), { timeout: 120_000 })
      .toBe(Array.from({ length: 4 }, () => '64Mi').join(' '));
  });

  it('has a volume made where there is room for it, and keeps its pods there', async () => {
    await lab.create(claim('one', '48Mi'), user('one', 'one'));
    await ready('one');
    await lab.create(claim('two', '48Mi'), user('two', 'two'));
    await ready('two');
    expect([await nodeOf('one'), await nodeOf('two')].toSorted()).toEqual(['n1', 'n2']);
    const home = await nodeOf('one');
    const volume = await lab.kubectl(['get', 'pvc', 'one', '-o', 'jsonpath={.spec.volumeName}']);
    expect(await lab.kubectl(['get', 'pv', volume, '-o', 'jsonpath={.spec.nodeAffinity}'])).toContain(`"${home}"`);
    await lab.kubectl(['delete', 'pod', 'one']);
    await lab.kubectl(['cordon', home]);
    await lab.create(user('one', 'one'));
    await waits('one', 'FailedScheduling');
    await lab.kubectl(['uncordon', home]);
    await ready('one');
    expect(await nodeOf('one')).toBe(home);
  });

  it('lets a claim wait for room, and has it when there is some', async () => {
    await lab.create(claim('three', '48Mi'), user('three', 'three'));
    await waits('three', 'did not have enough free storage');
    const home = await nodeOf('one');
    await lab.kubectl(['delete', 'pod/one', 'pvc/one']);
    await ready('three');
    expect(await nodeOf('three')).toBe(home);
  });

  it('counts the volumes that a node may have', async () => {
    await lab.create(claim('a', '1Mi'), claim('b', '1Mi'), user('both', 'a', 'b'));
    await waits('both', 'node(s) exceed max volume count');
    await lab.kubectl(['delete', 'pod/three', 'pvc/three']);
    await ready('both');
    await lab.kubectl(['delete', 'pod/both', 'pod/two', 'pvc/a', 'pvc/b', 'pvc/two']);
    await until('no volumes', async () => {
      const left = [await lab.kubectl(['get', 'pv', '-o', 'name']), ...readdirSync(join(dataDir, 'volumes'))];
      return left.every((each) => each === '') ? { value: true } : { last: left.join() };
    });
  });
});
