/** Tests `why` for storage that is stuck against the real API server; the tests write what drivers, nodes and controllers would. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import {
  CSI_DRIVERS,
  CSI_NODES,
  DAEMON_SETS,
  DEPLOYMENTS,
  EVENTS,
  type KubeObject,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  STATEFUL_SETS,
  CONTROLLER_REVISIONS,
  STORAGE_CLASSES,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
  VOLUME_ATTACHMENTS,
} from '../../api/index.ts';
import type { Diagnosis } from '../../diagnosis/index.ts';
import { createKubeClient } from '../../client/index.ts';
import type { Connection } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { runWhy } from './run-why.ts';
import type { WhyKind } from './target.ts';

const DRIVER = 'disk.example.com';

let api: InMemoryApi;
let asked: string[];

beforeEach(async () => {
  api = await createInMemoryApi();
  await api.client.create(NAMESPACES, { metadata: { name: 'disk' } });
  asked = [];
});

async function why(kind: WhyKind, name: string, connection: Connection = api.connection): Promise<Diagnosis> {
  let out = '';
  const counted: Connection = {
    request: (request) => {
      asked.push(request.url);
      return connection.request(request);
    },
    upgrade: (request) => connection.upgrade(request),
  };
  const session: ClusterSession = {
    client: createKubeClient(counted, { clock: api.clock }),
    connection: counted,
    namespace: 'default',
    clock: api.clock,
    signal: new AbortController().signal,
    out: (text) => {
      out += text;
    },
    err: () => {},
    outRaw: () => {},
    isTerminal: false,
    columns: undefined,
  };
  const target = { kind, name };
  const running = runWhy(session, { target, output: 'json', exitCode: false, namespaceGiven: false });
  const state = { ended: false };
  const end = (): void => {
    state.ended = true;
  };
  running.then(end, end);
  for (let turn = 0; turn < 100 && !state.ended; turn += 1) {
    await settle();
    if (!state.ended) await api.clock.advance(1000);
  }
  await running;
  return JSON.parse(out) as Diagnosis;
}

async function make<T extends KubeObject>(resource: Resource<T>, object: object, status?: object): Promise<T> {
  const made = await api.client.create(resource, object as T);
  return status === undefined ? made : await api.client.update(resource, { ...made, status }, 'status');
}

const at = (seconds: number): string => new Date(api.clock.now().wall - seconds * 1000).toISOString();

const node = (name: string, ready = 'True'): Promise<unknown> =>
  make(
    NODES,
    { metadata: { name, annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } } },
    {
      conditions: [{ type: 'Ready', status: ready, lastTransitionTime: at(120) }],
      volumesInUse: [`kubernetes.io/csi/${DRIVER}^v1`],
    },
  );

const container = (name: string): object => ({ name, image: `registry.example/${name}:v1` });
const template = (labels: object, name: string): object => ({
  metadata: { labels },
  spec: {
    containers: [container(name)],
    volumes: [{ name: 'socket', hostPath: { path: `/var/lib/kubelet/plugins/${DRIVER}` } }],
  },
});

/** The driver's object and workloads; its controller has as many copies as given. */
async function driver(replicas: number): Promise<void> {
  await make(CSI_DRIVERS, { metadata: { name: DRIVER }, spec: {} });
  const [node, ctl] = [{ app: 'node' }, { app: 'ctl' }];
  const place = (name: string): object => ({ name, namespace: 'disk' });
  await make(DAEMON_SETS, {
    metadata: place('node'),
    spec: { selector: { matchLabels: node }, template: template(node, 'csi-node-driver-registrar') },
  });
  await make(DEPLOYMENTS, {
    metadata: place('ctl'),
    spec: { replicas, selector: { matchLabels: ctl }, template: template(ctl, 'csi-attacher') },
  });
}

async function volume(size = '1Gi'): Promise<void> {
  const claim = await make(
    PERSISTENT_VOLUME_CLAIMS,
    {
      metadata: { name: 'data', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeName: 'pv-1',
        storageClassName: '',
        resources: { requests: { storage: size } },
      },
    },
    { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
  );
  await make(
    PERSISTENT_VOLUMES,
    {
      metadata: { name: 'pv-1' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { namespace: 'default', name: 'data', uid: claim.metadata?.uid },
        csi: { driver: DRIVER, volumeHandle: 'v1' },
      },
    },
    { phase: 'Bound' },
  );
}

const pod = (name: string, nodeName: string, status: object): Promise<KubeObject> =>
  make(
    PODS,
    {
      metadata: { name, namespace: 'default' },
      spec: {
        nodeName,
        containers: [container('main')],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    },
    status,
  );

const starting = {
  phase: 'Pending',
  containerStatuses: [
    {
      name: 'main',
      ready: false,
      restartCount: 0,
      image: '',
      imageID: '',
      state: { waiting: { reason: 'ContainerCreating' } },
    },
  ],
};
const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

async function tell({ kind = 'Pod', metadata }: KubeObject, reason: string, message: string): Promise<void> {
  const { name = '', namespace = '', uid } = metadata ?? {};
  await make(EVENTS, {
    metadata: { name: `${name}.${reason.toLowerCase()}`, namespace },
    involvedObject: { kind, name, namespace, uid },
    reason,
    message,
    type: 'Warning',
    count: 1,
    lastTimestamp: at(5),
  });
}

const attachment = (nodeName: string, attached: boolean, metadata: object = {}): Promise<KubeObject> =>
  make(
    VOLUME_ATTACHMENTS,
    {
      metadata: { name: `csi-${nodeName}`, ...metadata },
      spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName: 'pv-1' } },
    },
    { attached },
  );

describe('storage that is stuck', () => {
  it('for want of an attacher: the pod, the claim, the volume and the attachment name it', async () => {
    await node('n1');
    await driver(0);
    await volume();
    await pod('web', 'n1', starting);
    await attachment('n1', false);
    await api.clock.advance(60_000);
    const cause = 'the attacher of driver disk.example.com, which does not run: deployment disk/ctl is scaled to 0';
    for (const [kind, name] of [
      ['Pod', 'web'],
      ['PersistentVolumeClaim', 'data'],
      ['PersistentVolume', 'pv-1'],
      ['VolumeAttachment', 'csi-n1'],
    ] as const) {
      const { findings } = await why(kind, name);
      expect(findings[0], `${kind}: ${JSON.stringify(findings)}`).toMatchObject({ id: 'attacher-missing' });
      expect(findings[0]?.says).toContain(cause);
      expect(findings[0]?.try[0]).toBe('mendlet why deployment/ctl -n disk');
    }
  });

  it('at a lost node, whose pod still has it', async () => {
    await node('n1');
    await node('n2', 'Unknown');
    await driver(1);
    await volume();
    await attachment('n2', true);
    await pod('db-0', 'n2', running);
    await tell(
      await pod('web', 'n1', starting),
      'FailedAttachVolume',
      'Multi-Attach error for volume "pv-1" Volume is already used',
    );
    const { findings } = await why('Pod', 'web');
    expect(findings[0]).toMatchObject({ id: 'volume-multi-attach' });
    expect(findings[0]?.says).toMatch(
      /which node n2 has: .* not been heard of for 2m: pod db-0 there may still write to it/,
    );
    expect(findings[0]?.try.join('\n')).toContain('kubectl taint nodes n2 node.kubernetes.io/out-of-service');
    await api.client.delete(PODS, 'default', 'db-0', { gracePeriodSeconds: 0 });
    const after = await why('PersistentVolume', 'pv-1');
    expect(after.state).toContain('attached to n2');
    expect(after.findings[0]?.says).toMatch(
      /by force once the node has been silent for six minutes .* in 4m at the earliest/,
    );
  });

  it('on a node without its driver: the pod and the node name its DaemonSet', async () => {
    await node('n1');
    await driver(1);
    await volume();
    await make(CSI_NODES, { metadata: { name: 'n1' }, spec: { drivers: [{ name: 'other', nodeID: 'n1' }] } });
    const web = await pod('web', 'n1', starting);
    await tell(
      web,
      'FailedMount',
      `MountVolume.SetUp failed for volume "pv-1" : driver name ${DRIVER} not found in the list of registered CSI drivers`,
    );
    const told = 'daemonset disk/node has no pod on node n1';
    expect((await why('Pod', 'web')).findings[0]).toMatchObject({
      id: 'driver-not-registered',
      says: expect.stringContaining(told),
    });
    const { findings, state } = await why('Node', 'n1');
    expect(state).toContain('CSI driver other');
    expect(findings[0]).toMatchObject({ id: 'driver-not-registered', severity: 'critical' });
    expect(findings[0]?.says).toContain(`${told}; pod default/web waits for it`);
  });

  it('too small for its claim, whose events are read although it is bound', async () => {
    await driver(1);
    await volume('2Gi');
    const claim = await api.client.get(PERSISTENT_VOLUME_CLAIMS, 'default', 'data');
    await tell({ ...claim, kind: 'PersistentVolumeClaim' }, 'VolumeResizeFailed', 'the pool is full');
    const { findings } = await why('PersistentVolumeClaim', 'data');
    expect(findings).toMatchObject([{ id: 'claim-resize' }]);
    expect(findings[0]?.says).toContain('nothing in the cluster looks like the resizer of the driver');
    expect(JSON.stringify(findings[0]?.evidence)).toContain('the pool is full');
  });

  it('and may not be looked at: nothing is concluded', async () => {
    await node('n1');
    await driver(0);
    await volume();
    await pod('web', 'n1', starting);
    await attachment('n1', false);
    await api.clock.advance(60_000);
    const rules = [
      { apiGroups: [''], resources: ['pods', 'events', 'persistentvolumeclaims'], verbs: ['get', 'list'] },
    ];
    await make(ROLES, { metadata: { name: 'reader', namespace: 'default' }, rules });
    await make(ROLE_BINDINGS, {
      metadata: { name: 'reader', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'mia', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const { findings, notLookedAt } = await why(
      'Pod',
      'web',
      api.as({ name: 'mia', groups: ['system:authenticated'] }),
    );
    expect(findings.map(({ id }) => id)).not.toContain('attacher-missing');
    expect(notLookedAt).toContain('persistentvolume/pv-1: may not be read');
  });

  it('is not asked for by a pod that is well', async () => {
    await node('n1');
    await driver(0);
    await volume();
    await attachment('n1', true);
    await pod('web', 'n1', running);
    expect((await why('Pod', 'web')).findings).toEqual([]);
    expect(asked.filter((url) => /volumeattachments|daemonsets|csi/.test(url))).toEqual([]);
  });
});

describe('a pod or a claim that waits for a place', () => {
  const claim = (name: string, spec: object = {}, status: object = { phase: 'Pending' }): Promise<unknown> =>
    make(
      PERSISTENT_VOLUME_CLAIMS,
      {
        metadata: { name, namespace: 'default' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: '',
          resources: { requests: { storage: '5Gi' } },
          ...spec,
        },
      },
      status,
    );
  const using = (claimName: string): object => ({
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  });
  const refused = (message: string): object => ({
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  });
  const pod = (name: string, spec: object, status: object = { phase: 'Running' }, own: object = {}): Promise<unknown> =>
    make(
      PODS,
      { metadata: { name, namespace: 'default', ...own }, spec: { containers: [container('main')], ...spec } },
      status,
    );

  it('the volume that would fit but for its labels', async () => {
    await claim('archive', { selector: { matchLabels: { tier: 'archive' } } });
    const [made] = (await api.client.list(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default' })).items;
    await make(EVENTS, {
      metadata: { name: 'e', namespace: 'default' },
      involvedObject: { kind: 'PersistentVolumeClaim', name: 'archive', uid: made?.metadata?.uid },
      reason: 'FailedBinding',
      message: 'no persistent volumes available for this claim and no storage class is set',
      lastTimestamp: at(5),
    });
    await make(PERSISTENT_VOLUMES, {
      metadata: { name: 'archive-01', labels: { tier: 'archives' } },
      spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
    });
    await api.clock.advance(60_000);
    const { findings } = await why('PersistentVolumeClaim', 'archive');
    expect(findings[0]?.says).toContain('volume archive-01 would fit, but has tier=archives instead of tier=archive');
  });

  it('the room that nodes have', async () => {
    await make(NODES, {
      metadata: { name: 'n1', annotations: { 'mendlet.dev/volume-space': '{"capacityBytes":10737418240}' } },
    });
    await make(STORAGE_CLASSES, { metadata: { name: 'local' }, provisioner: 'mendlet.dev/local' });
    await claim('big', { storageClassName: 'local', resources: { requests: { storage: '5Ti' } } });
    const [made] = (await api.client.list(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default' })).items;
    await make(EVENTS, {
      metadata: { name: 'e', namespace: 'default' },
      involvedObject: { kind: 'PersistentVolumeClaim', name: 'big', uid: made?.metadata?.uid },
      reason: 'WaitForPodScheduled',
      message: 'waiting for pod big-1 to be scheduled',
      lastTimestamp: at(5),
    });
    await pod('big-1', using('big'), refused('0/1 nodes are available: 1 node(s) did not have enough free storage.'));
    await api.clock.advance(60_000);
    const says = 'no room for the 5Ti of its claim big (n1 has 10Gi for all its volumes)';
    expect((await why('PersistentVolumeClaim', 'big')).findings[0]?.says).toContain(says);
    expect((await why('Pod', 'big-1')).findings[0]?.says).toContain(says);
  });

  it('who has the claim of one pod, and who has the host port', async () => {
    await node('n1');
    await claim('index', { accessModes: ['ReadWriteOncePod'], volumeName: 'pv-1' }, { phase: 'Bound' });
    await make(PERSISTENT_VOLUMES, {
      metadata: { name: 'pv-1' },
      spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOncePod'], hostPath: { path: '/x' } },
    });
    await pod('search-1', { ...using('index'), nodeName: 'n1' });
    await pod(
      'indexer-1',
      using('index'),
      refused(
        '0/1 nodes are available: 1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.',
      ),
    );
    expect((await why('Pod', 'indexer-1')).findings[0]?.says).toContain(
      'claim index (ReadWriteOncePod), and pod search-1 does',
    );
    expect(asked.some((url) => url.startsWith('/api/v1/pods?'))).toBe(false);

    const withPort = { containers: [{ ...container('main'), ports: [{ containerPort: 80, hostPort: 8080 }] }] };
    await pod('edge', { ...withPort, nodeName: 'n1' }, { phase: 'Running' }, { namespace: 'disk' });
    await pod(
      'proxy',
      withPort,
      refused("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."),
    );
    expect((await why('Pod', 'proxy')).findings[0]?.says).toContain('8080/TCP taken, by pod disk/edge on node n1');
  });

  it('claims that are called like the one that is missing', async () => {
    await claim('upload-data');
    await pod('uploads', using('uploads-data'), refused('persistentvolumeclaim "uploads-data" not found'));
    expect((await why('Pod', 'uploads')).findings[0]?.says).toContain('uploads-data; similar names: upload-data');
  });

  it('a template that is fixed to a node that is not there', async () => {
    const labels = { app: 'tools' };
    await make(DEPLOYMENTS, {
      metadata: { name: 'tools', namespace: 'default' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { nodeName: 'worker-3', containers: [container('main')] } },
      },
    });
    expect((await why('Deployment', 'tools')).findings).toMatchObject([{ id: 'no-such-node' }]);
  });

  it('what has changed since the template of a pod to which its rollout does not come', async () => {
    await node('n1');
    const labels = { app: 'db' };
    const template = (value: string): object => ({
      metadata: { labels },
      spec: { containers: [{ ...container('main'), env: [{ name: 'DIR', value }] }] },
    });
    const set = await make(
      STATEFUL_SETS,
      {
        metadata: { name: 'db', namespace: 'default' },
        spec: { selector: { matchLabels: labels }, serviceName: 'db', template: template('/b') },
      },
      { replicas: 1, updateRevision: 'db-new', currentRevision: 'db-old' },
    );
    const owner = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      name: 'db',
      uid: set.metadata?.uid ?? '',
      controller: true,
    };
    for (const [revision, name, value] of [
      [1, 'db-old', '/a'],
      [2, 'db-new', '/b'],
    ] as const) {
      await make(CONTROLLER_REVISIONS, {
        metadata: { name, namespace: 'default', ownerReferences: [owner] },
        data: { spec: { template: template(value) } },
        revision,
      });
    }
    const status = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: at(90) }],
      containerStatuses: [
        {
          name: 'main',
          ready: false,
          restartCount: 3,
          image: 'i',
          imageID: 'i',
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 74, startedAt: at(20), finishedAt: at(10) } },
        },
      ],
    };
    const own = { ownerReferences: [owner], labels: { ...labels, 'controller-revision-hash': 'db-old' } };
    await pod('db-0', { nodeName: 'n1' }, status, own);
    await api.clock.advance(60_000);
    expect((await why('StatefulSet', 'db')).findings[0]?.says).toContain('(container main env DIR: /a → /b)');
  });
});
