/**
 * Tests on three real nodes that a volume of a driver that needs attachment is attached where its pod is, and nowhere else: a pod
 * moves, the server restarts, and a node dies.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Api } from '../support/api-over-https.ts';
import { type Attachment, Attacher } from '../support/csi-driver/attacher.ts';
import { buildDriver, driverObject, driverPod } from '../support/csi-driver/manifests.ts';
import { Lab, type LabNode } from '../support/lab.ts';
import { describeInWhole } from './extent.ts';
import { busyboxPod, type ObservedPod, until } from './harness.ts';

const NAME = 'test.csi.mendlet.dev';
const VOLUME = `kubernetes.io/csi/${NAME}^v1`;

interface ObservedNode {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly status: {
    readonly volumesInUse?: readonly string[];
    readonly volumesAttached?: readonly { readonly name: string }[];
  };
}

describeInWhole('a volume that must be attached', () => {
  let lab: Lab;
  let api: Api;
  let attacher: Attacher;
  let dataDir: string;
  /** Volumes that were detached from a node that had them mounted still. */
  const torn: string[] = [];

  const kubeletDir = (node: LabNode): string => join(node.dataDir, 'kubelet');
  const flags = (node: LabNode): readonly string[] => ['--kubelet-dir', kubeletDir(node)];
  const mountsOf = (nodeName: string): readonly string[] => {
    const node = lab.nodes.find(({ name }) => name === nodeName);
    return readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .filter((point) => node !== undefined && point.startsWith(`${kubeletDir(node)}/`) && point.includes('csi'));
  };

  beforeAll(async () => {
    lab = await Lab.create({
      nodes: 3,
      clusterCidr: '10.190.0.0/16',
      serverFlags: [
        '--service-cidr=10.114.0.0/16',
        '--node-monitor-grace-period=6s',
        '--node-eviction-rate=10',
        '--pod-eviction-timeout=1s',
      ],
      kubelet: { nodeStatusUpdateFrequency: '1s', nodeLeaseDurationSeconds: 4 },
    });
    await lab.startServer();
    const programDir = join(lab.folder, 'program');
    dataDir = join(lab.folder, 'driver');
    mkdirSync(join(dataDir, 'volumes', 'v1'), { recursive: true });
    await Promise.all([buildDriver(programDir), ...lab.nodes.map((node) => node.start(flags(node)))]);
    api = new Api(lab.kubeconfig);
    attacher = new Attacher(api, { driver: NAME, onDetach: (node) => torn.push(...mountsOf(node)) });
    attacher.start();
    await lab.create(
      driverObject(NAME, { attachRequired: true }),
      ...lab.nodes.map((node) => driverOn(node, programDir)),
    );
  });
  afterAll(async () => {
    await attacher?.stop();
    api?.close();
    await lab?.down();
  });

  function driverOn(node: LabNode, programDir: string): object {
    const pod = driverPod({ name: NAME, kubeletDir: kubeletDir(node), dataDir, programDir }) as { spec: object };
    return { ...pod, metadata: { name: `driver-${node.name}` }, spec: { ...pod.spec, nodeName: node.name } };
  }
  const user = (name: string, nodeName: string): object =>
    busyboxPod(name, `echo ${name} >>/data/who; exec sleep 36000`, {
      spec: {
        nodeName,
        // Without one, the pod of a lost node would be gone from the API at once.
        terminationGracePeriodSeconds: 1,
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
      container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    });
  const untilRuns = (name: string): Promise<unknown> =>
    until(`pod ${name} runs`, async () => {
      const pod = await lab.read<ObservedPod>(`pods/${name}`, { namespace: 'default' });
      if (pod.status.containerStatuses?.[0]?.ready === true) return { value: true };
      const events = await lab.kubectl(['events', '--for', `pod/${name}`]);
      return { last: `${events}\n${JSON.stringify(await attacher.list())}\n${await nodesText()}` };
    });
  const untilTold = (name: string, text: string): Promise<unknown> =>
    until(`pod ${name} is told "${text}"`, async () => {
      const last = await lab.kubectl(['events', '--for', `pod/${name}`]);
      return last.includes(text) ? { value: true } : { last };
    });
  const untilAttached = (...nodes: readonly string[]): Promise<readonly Attachment[]> =>
    until<readonly Attachment[]>(`attachments at ${nodes.join()}`, async () => {
      const found = await attacher.list();
      const last = found.map(({ spec }) => spec.nodeName).toSorted();
      return last.join() === nodes.join() ? { value: found } : { last: last.join() };
    });
  const nodeOf = (name: string): Promise<ObservedNode> => lab.read<ObservedNode>(`nodes/${name}`);
  const nodesText = async (): Promise<string> =>
    JSON.stringify(
      await Promise.all(lab.nodes.map(async ({ name }) => (await nodeOf(name)).status.volumesInUse ?? [])),
    );

  it('is attached to the node of its pod, which says that it uses it', async () => {
    await until('the driver on all nodes', async () => {
      const last = await lab.kubectl(['get', 'csinodes', '-o', 'jsonpath={.items[*].spec.drivers[*].name}']);
      return last === `${NAME} ${NAME} ${NAME}` ? { value: true } : { last };
    });
    const spec = { accessModes: ['ReadWriteOnce'], storageClassName: '', volumeName: 'data' };
    await lab.create(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'data' },
        spec: {
          capacity: { storage: '16Mi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Retain',
          storageClassName: '',
          claimRef: { namespace: 'default', name: 'data' },
          csi: { driver: NAME, volumeHandle: 'v1' },
        },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { ...spec, resources: { requests: { storage: '16Mi' } } },
      },
      user('first', 'n1'),
    );
    await untilRuns('first');
    await untilTold('first', 'AttachVolume.Attach succeeded for volume "data"');
    const { metadata, status } = await nodeOf('n1');
    expect(metadata.annotations?.['volumes.kubernetes.io/controller-managed-attach-detach']).toBe('true');
    expect([status.volumesInUse, status.volumesAttached?.map(({ name }) => name)]).toEqual([[VOLUME], [VOLUME]]);
    const stage = readFileSync(join(dataDir, 'calls.log'), 'utf8')
      .split('\n')
      .find((line) => line.includes('"NodeStageVolume"'));
    expect(stage).toContain('"publishContext":{"device":"/dev/of-n1"}');
    // Nothing is wrong while it is being attached.
    expect(await lab.kubectl(['events', '--for', 'pod/first'])).not.toContain('FailedMount');
  });

  it('goes with its pod to another node, once it is unmounted', async () => {
    await lab.create(user('second', 'n2'));
    await untilTold('second', 'Multi-Attach error for volume "data" Volume is already used by pod(s) first');
    expect(attacher.done).toEqual(['attach n1']);
    await lab.kubectl(['delete', 'pod', 'first', '--wait=false']);
    await untilRuns('second');
    expect(attacher.done).toEqual(['attach n1', 'detach n1', 'attach n2']);
    expect(torn).toEqual([]);
    expect((await nodeOf('n1')).status.volumesAttached ?? []).toEqual([]);
    expect(readFileSync(join(dataDir, 'volumes/v1/who'), 'utf8')).toBe('first\nsecond\n');
  });

  it('stays where it is while server and agent restart', async () => {
    const [before] = await untilAttached('n2');
    await lab.stopServer('SIGKILL');
    await lab.nodes[1]?.stop('SIGKILL');
    await lab.startServer();
    await lab.nodes[1]?.start(lab.nodes[1] && flags(lab.nodes[1]));
    await lab.create(user('third', 'n3'));
    await untilTold('third', 'Multi-Attach error');
    const [after] = await untilAttached('n2');
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect((await nodeOf('n2')).status.volumesInUse).toEqual([VOLUME]);
    await lab.kubectl(['delete', 'pod', 'third', '--wait=false']);
  });

  it('is taken from a dead node by hand, and from no other', async () => {
    const dead = lab.nodes[1];
    if (dead === undefined) throw new Error('there is no second node');
    await dead.die();
    await lab.create(user('fourth', 'n3'));
    await untilTold('fourth', 'Multi-Attach error');
    await until('the end of the pod is asked for', async () => {
      const { metadata } = await lab.read<{ metadata: { deletionTimestamp?: string } }>('pods/second', {
        namespace: 'default',
      });
      return metadata.deletionTimestamp === undefined ? { last: JSON.stringify(metadata) } : { value: true };
    });
    await untilAttached('n2');
    await lab.kubectl(['taint', 'node', 'n2', 'node.kubernetes.io/out-of-service=dead:NoExecute']);
    await untilRuns('fourth');
    expect(attacher.done.slice(-2)).toEqual(['detach n2', 'attach n3']);
    await lab.kubectl(['taint', 'node', 'n2', 'node.kubernetes.io/out-of-service-']);
    await dead.start(flags(dead));
    // Its driver went with the pods of the dead node, and only a driver unstages what the node has on record.
    await lab.create(driverOn(dead, join(lab.folder, 'program')));
    await until('the node uses it no more', async () => {
      const { status } = await nodeOf('n2');
      return (status.volumesInUse ?? []).length === 0 ? { value: true } : { last: JSON.stringify(status.volumesInUse) };
    });
    await untilAttached('n3');
  });
});
