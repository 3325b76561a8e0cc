/**
 * Tests workloads on three real nodes with real containers when nodes die, are cut off or drained, and when the server dies. The
 * tests follow one another on one cluster.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DaemonSet,
  type Deployment,
  type EndpointSlice,
  findCondition,
  isConditionTrue,
  type Node,
  type Pod,
} from '../../src/api/index.ts';
import { Api, type Watched } from '../support/api-over-https.ts';
import { Lab, type LabNode } from '../support/lab.ts';
import { readyAddresses, startLoad } from '../support/load-client.ts';
import { type RealPod, realPods, traceable } from '../support/real-containers.ts';
import { until } from './harness.ts';

const IMAGE = 'docker.io/library/busybox:latest';
const REPLICAS = 6;
/** A quarter, rounded up: Kubernetes' default. */
const SURGE = 2;

let lab: Lab;
let n3: LabNode;
let api: Api;
let nodes: Watched<Node>;
let pods: Watched<Pod>;
let deployments: Watched<Deployment>;
let slices: Watched<EndpointSlice>;
/** A folder that is mounted at /out in the pods of all nodes. */
let out: string;
let mark: string;

beforeAll(async () => {
  lab = await Lab.create({
    nodes: 3,
    clusterCidr: '10.238.0.0/16',
    serverFlags: [
      '--node-monitor-grace-period',
      '6s',
      '--node-eviction-rate',
      '10',
      // Long enough for the tests to see the state before it ends.
      '--pod-eviction-timeout',
      '3s',
    ],
    kubelet: { nodeStatusUpdateFrequency: '1s', nodeLeaseDurationSeconds: 4 },
  });
  n3 = lab.nodes[2] as LabNode;
  out = join(lab.folder, 'out');
  mark = lab.names.id;
  mkdirSync(out);
  await lab.start();
  api = new Api(lab.kubeconfig);
  nodes = api.watch<Node>('/api/v1/nodes');
  pods = api.watch<Pod>('/api/v1/namespaces/default/pods');
  deployments = api.watch<Deployment>('/apis/apps/v1/namespaces/default/deployments');
  slices = api.watch<EndpointSlice>(
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    'labelSelector=kubernetes.io/service-name%3Dshop',
  );
});

afterAll(async () => {
  for (const watched of [nodes, pods, deployments, slices]) watched?.stop();
  api?.close();
  await lab?.down();
});

const nameOf = (object: { metadata?: { name?: string } }): string => object.metadata?.name ?? '';
const uidOf = (object: { metadata?: { uid?: string } }): string => object.metadata?.uid ?? '';
const nodeOf = (pod: Pod): string => pod.spec?.nodeName ?? '';
const isGoing = (pod: Pod): boolean => pod.metadata?.deletionTimestamp !== undefined;
const isReady = (pod: Pod): boolean => !isGoing(pod) && isConditionTrue(pod.status?.conditions, 'Ready');
const isOf = (app: string) => (pod: Pod) => pod.metadata?.labels?.['app'] === app;
const containerOf = (pod: Pod): string | undefined => pod.status?.containerStatuses?.[0]?.containerID;

/** One line per pod, for the error of a failed wait. */
const brief = (pod: Pod): string =>
  `${nameOf(pod)} on ${nodeOf(pod)}: ${pod.status?.phase}${isReady(pod) ? ' ready' : ''}${isGoing(pod) ? ' going' : ''}`;

function podsOf(app: string): readonly Pod[] {
  return pods.items.filter(isOf(app));
}

function untilPods(what: string, app: string, wanted: (found: readonly Pod[]) => boolean): Promise<readonly Pod[]> {
  const look = (all: readonly Pod[]): readonly Pod[] | undefined => {
    const found = all.filter(isOf(app));
    return wanted(found) ? found : undefined;
  };
  return pods.until(what, look, brief);
}

/** Matches exactly `count` pods that are all ready. */
const exactly = (count: number) => (found: readonly Pod[]) => found.length === count && found.every(isReady);

function untilNode(name: string, what: string, wanted: (node: Node) => boolean): Promise<Node> {
  return nodes.until(`${name} ${what}`, (all) => all.find((node) => nameOf(node) === name && wanted(node)));
}

const readiness = (node: Node): string | undefined => findCondition(node.status?.conditions, 'Ready')?.status;
const isBack = (node: Node): boolean => readiness(node) === 'True' && (node.spec?.taints ?? []).length === 0;

/** Waits until the endpoints are exactly the ready pods. */
async function untilEndpointsRight(): Promise<void> {
  await slices.until('the right endpoints', (all) => {
    const wanted = podsOf('shop').filter(isReady);
    const found = readyAddresses(all).toSorted();
    const same =
      found.join() ===
      wanted
        .map(({ status }) => `${status?.podIP}:8080`)
        .toSorted()
        .join();
    return wanted.length === REPLICAS && same ? true : undefined;
  });
}

/** Waits until only pods that the API server has run, each on its own node. */
async function untilOnlyKnownRun(): Promise<readonly RealPod[]> {
  return until<readonly RealPod[]>('only known pods run', async () => {
    const real = realPods(mark);
    const known = new Map(pods.items.map((pod) => [uidOf(pod), nodeOf(pod)]));
    const strangers = real.filter(({ uid, node }) => known.get(uid) !== node);
    return strangers.length === 0 ? { value: real } : { last: JSON.stringify(strangers) };
  });
}

function template(app: string, container: object, spec: object = {}): object {
  return {
    metadata: { labels: { app } },
    spec: {
      terminationGracePeriodSeconds: 1,
      volumes: [{ name: 'out', hostPath: { path: out } }],
      ...spec,
      containers: [
        {
          name: 'main',
          image: IMAGE,
          imagePullPolicy: 'IfNotPresent',
          env: traceable(mark),
          volumeMounts: [{ name: 'out', mountPath: '/out' }],
          ...container,
        },
      ],
    },
  };
}

const shell = (script: string): object => ({ command: ['sh', '-c', script] });

function shop(): readonly object[] {
  const container = {
    ...shell('mkdir /www; echo "$POD_NAME" >/www/index.html; exec httpd -f -p 8080 -h /www'),
    ports: [{ name: 'web', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/', port: 'web' }, periodSeconds: 1 },
    // Clients need a moment to notice the pod's end.
    lifecycle: { preStop: { sleep: { seconds: 2 } } },
  };
  const spec = { terminationGracePeriodSeconds: 3 };
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'shop' },
      spec: { selector: { app: 'shop' }, ports: [{ port: 80, targetPort: 'web' }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'shop' },
      spec: {
        replicas: REPLICAS,
        selector: { matchLabels: { app: 'shop' } },
        template: template('shop', container, spec),
      },
    },
  ];
}

/** A StatefulSet whose members write name, node and the machine's time five times a second, until they are killed. */
function database(): readonly object[] {
  const script =
    'trap "" TERM; while true; do read now idle </proc/uptime; echo "$NODE_NAME $POD_UID $now" >>"/out/$POD_NAME"; sleep 0.2; done';
  const affinity = {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
        },
      ],
    },
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'db' },
      spec: { clusterIP: 'None', selector: { app: 'db' }, ports: [{ port: 5432 }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        replicas: 3,
        serviceName: 'db',
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: { app: 'db' } },
        template: template('db', shell(script), { affinity }),
      },
    },
  ];
}

function watchmen(): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'watchman' },
    spec: {
      selector: { matchLabels: { app: 'watchman' } },
      template: template('watchman', shell('trap "exit 0" TERM; sleep 100000 & wait')),
    },
  };
}

/** A Job that ends at the first failure of a pod, for which a node's death does not count. */
function work(): object {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'work' },
    spec: {
      completions: 3,
      parallelism: 3,
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
      },
      // Nothing spreads the pods of a Job by default, as upstream's default constraints are for those behind services and of sets.
      template: template('work', shell('until [ -e /out/go ]; do sleep 0.2; done'), {
        restartPolicy: 'Never',
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'DoNotSchedule',
            nodeTaintsPolicy: 'Honor',
            labelSelector: { matchLabels: { app: 'work' } },
          },
        ],
      }),
    },
  };
}

/** The lives of a member of the database by its own output, which show whether it ever ran twice at once. */
function lives(member: string): readonly { readonly who: string; readonly from: number; readonly to: number }[] {
  const found = new Map<string, { who: string; from: number; to: number }>();
  for (const line of readFileSync(join(out, member), 'utf8').split('\n').filter(Boolean)) {
    const [node = '', uid = '', now = ''] = line.split(' ');
    const who = `${node} ${uid}`;
    const life = found.get(who) ?? { who, from: Number(now), to: 0 };
    found.set(who, { ...life, to: Number(now) });
  }
  return [...found.values()].toSorted((a, b) => a.from - b.from);
}

function expectOneAtATime(): void {
  for (const member of ['db-0', 'db-1', 'db-2']) {
    const all = lives(member);
    for (const [index, { from }] of all.entries())
      expect([member, all, from > (all[index - 1]?.to ?? 0)]).toEqual([member, all, true]);
  }
}

it('spreads over three nodes', async () => {
  await lab.create(...shop(), ...database(), watchmen(), work());
  await untilPods('shop is whole', 'shop', exactly(REPLICAS));
  await untilPods('db is whole', 'db', exactly(3));
  await untilPods('a watchman on each node', 'watchman', exactly(3));
  await untilPods('work has begun', 'work', exactly(3));
  for (const app of ['shop', 'db', 'watchman', 'work'])
    expect([app, [...new Set(podsOf(app).map(nodeOf))].toSorted()]).toEqual([app, ['n1', 'n2', 'n3']]);
  await untilEndpointsRight();
});

describe('a node that dies', () => {
  let victims: readonly Pod[];
  let member: Pod;
  let keeper: Pod;

  it('has no endpoints any more as soon as it is not Ready, and the others take its pods', async () => {
    victims = podsOf('shop').filter((pod) => nodeOf(pod) === 'n3');
    [member] = podsOf('db').filter((pod) => nodeOf(pod) === 'n3') as [Pod];
    [keeper] = podsOf('watchman').filter((pod) => nodeOf(pod) === 'n3') as [Pod];
    const lostIps = new Set(victims.map(({ status }) => `${status?.podIP}:8080`));
    const order: string[] = [];
    const told = new Set<string>();
    const tell = (what: string, is: boolean): void => {
      if (is && !told.has(what)) order.push(what);
      if (is) told.add(what);
    };
    const unlisten = [nodes, pods, slices, deployments].map((each) =>
      each.onChange(() => {
        const n3Node = nodes.items.find((node) => nameOf(node) === 'n3');
        tell('node Unknown', n3Node !== undefined && readiness(n3Node) === 'Unknown');
        tell('endpoints gone', !readyAddresses(slices.items).some((address) => lostIps.has(address)));
        tell(
          'pods sent away',
          podsOf('shop').some((pod) => isGoing(pod)),
        );
        tell(
          'too few available',
          deployments.items.some(({ status }) => findCondition(status?.conditions, 'Available')?.status === 'False'),
        );
      }),
    );
    await n3.die();
    await untilPods(
      'shop is whole on two nodes',
      'shop',
      (found) => found.filter((pod) => isReady(pod) && nodeOf(pod) !== 'n3').length === REPLICAS,
    );
    for (const end of unlisten) end();
    expect(order.indexOf('endpoints gone')).toBeLessThan(order.indexOf('pods sent away'));
    expect(order.indexOf('node Unknown')).toBeLessThan(order.indexOf('pods sent away'));
    expect(order).toContain('too few available');
    await untilEndpointsRight();
    const left = podsOf('shop').filter((pod) => nodeOf(pod) === 'n3');
    expect(left.map(uidOf).toSorted()).toEqual(victims.map(uidOf).toSorted());
    expect(left.every(isGoing)).toBe(true);
  });

  it('is a story that kubectl describe tells', async () => {
    const node = await lab.kubectl(['describe', 'node', 'n3']);
    expect(node).toMatch(
      /Taints: +node.kubernetes.io\/unreachable:NoExecute\n +node.kubernetes.io\/unreachable:NoSchedule/,
    );
    for (const type of ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'])
      expect(node).toMatch(new RegExp(`${type} +Unknown .*NodeStatusUnknown +Kubelet stopped posting node status.`));
    expect(node).toMatch(/Normal +NodeNotReady .*node-controller +Node n3 status is now: NodeNotReady/);
    const [victim] = victims as [Pod];
    const pod = await until<string>('the events of the pod', async () => {
      const last = await lab.kubectl(['describe', 'pod', nameOf(victim)]);
      return last.includes('TaintManagerEviction') ? { value: last } : { last };
    });
    expect(pod).toMatch(/^Status: +Terminating \(lasts /m);
    expect(pod).toMatch(/^ +DisruptionTarget +True/m);
    expect(pod).toMatch(/^ +Ready +False/m);
    expect(pod).toMatch(/Warning +NodeNotReady .*node-controller +Node is not ready/);
    expect(pod).toMatch(
      new RegExp(
        `Normal +TaintManagerEviction .*taint-eviction-controller +Marking for deletion Pod default/${nameOf(victim)}`,
      ),
    );
    const deployment = await lab.kubectl(['describe', 'deployment', 'shop']);
    expect(deployment).toMatch(/Replicas: +6 desired \| 6 updated \| 6 total \| 6 available \| 0 unavailable/);
    expect(deployment).toMatch(/Available +True +MinimumReplicasAvailable/);
    expect(await lab.kubectl(['get', 'nodes'])).toMatch(/^n3 +NotReady /m);
    expect(await lab.kubectl(['get', 'pods', '-l', 'app=shop'])).toMatch(
      new RegExp(`^${nameOf(victim)} +1/1 +Terminating `, 'm'),
    );
  });

  it('keeps its watchman, and the name of its member of the database', async () => {
    const [left] = podsOf('db').filter((pod) => nameOf(pod) === nameOf(member));
    expect([uidOf(left ?? {}), left && isGoing(left)]).toEqual([uidOf(member), true]);
    expect(lives(nameOf(member)).map(({ who }) => who)).toEqual([`n3 ${uidOf(member)}`]);
    const [watchman] = podsOf('watchman').filter((pod) => uidOf(pod) === uidOf(keeper));
    expect(watchman && [isGoing(watchman), isReady(watchman)]).toEqual([false, false]);
    // No new pod would be started there, but an existing one may stay; Kubernetes counts it as misscheduled.
    const set = await lab.read<DaemonSet>('daemonsets/watchman');
    expect(set.status).toMatchObject({ desiredNumberScheduled: 2, numberReady: 2, numberMisscheduled: 1 });
  });

  it('gives all of it back when somebody says that it is out of service', async () => {
    await lab.kubectl(['taint', 'node', 'n3', 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute']);
    const found = await untilPods('db is whole on two nodes', 'db', exactly(3));
    const again = found.find((pod) => nameOf(pod) === nameOf(member));
    expect([again && uidOf(again) === uidOf(member), again && nodeOf(again) === 'n3']).toEqual([false, false]);
    await pods.until(
      'nothing is left on n3',
      (all) => (all.some((pod) => nodeOf(pod) === 'n3') ? undefined : true),
      brief,
    );
    expectOneAtATime();
  });

  it('does not fail a job', async () => {
    await untilPods('three at work', 'work', (all) => all.filter(isReady).length === 3);
    writeFileSync(join(out, 'go'), '');
    await lab.kubectl(['wait', '--for=condition=complete', 'job/work', '--timeout=120s']);
    expect(await lab.kubectl(['get', 'job', 'work', '--no-headers'])).toMatch(/^work +Complete +3\/3 /);
  });

  it('takes no pod twice when it returns', async () => {
    await lab.kubectl(['taint', 'node', 'n3', 'node.kubernetes.io/out-of-service-']);
    await n3.start();
    await untilNode('n3', 'is back', isBack);
    await untilPods('a watchman on each node', 'watchman', exactly(3));
    const real = await untilOnlyKnownRun();
    expect(real.filter(({ node }) => node === 'n3').map(({ name }) => name)).toEqual([
      expect.stringMatching(/^watchman-/),
    ]);
    expect(podsOf('shop').length).toBe(REPLICAS);
    await untilEndpointsRight();
    expectOneAtATime();
  });
});

describe('a node that is cut off', () => {
  it('goes on with its pods, which are replaced, and stops them when it is back', async () => {
    // n3 has room again, so the restart puts a pod of each kind on it.
    await lab.kubectl(['rollout', 'restart', 'deployment/shop', 'statefulset/db']);
    await lab.kubectl(['rollout', 'status', 'deployment/shop']);
    await lab.kubectl(['rollout', 'status', 'statefulset/db']);
    const before = await untilPods('db is whole', 'db', exactly(3));
    await untilPods('shop is whole', 'shop', exactly(REPLICAS));
    const member = before.find((pod) => nodeOf(pod) === 'n3') ?? before[0];
    if (member === undefined) throw new Error('no member');
    const node = lab.nodes.find(({ name }) => name === nodeOf(member)) as LabNode;
    const victims = podsOf('shop').filter((pod) => nodeOf(pod) === node.name);
    expect(victims.length).toBeGreaterThan(0);
    const theirs = [member, ...victims].map(uidOf).toSorted();
    const running = (): readonly string[] =>
      realPods(mark)
        .map(({ uid }) => uid)
        .filter((uid) => theirs.includes(uid))
        .toSorted();
    expect(running()).toEqual(theirs);

    node.partition();
    await untilPods(
      'shop is whole elsewhere',
      'shop',
      (found) => found.filter((pod) => isReady(pod) && nodeOf(pod) !== node.name).length === REPLICAS,
    );
    await untilPods('the member is told to go', 'db', (found) =>
      found.some((pod) => uidOf(pod) === uidOf(member) && isGoing(pod)),
    );
    // Long enough for a wrong replacement elsewhere to appear.
    await sleep(2000);
    expect(running()).toEqual(theirs);
    expect(
      podsOf('db')
        .filter((pod) => nameOf(pod) === nameOf(member))
        .map(uidOf),
    ).toEqual([uidOf(member)]);
    expect(
      realPods(mark)
        .filter(({ name }) => name === nameOf(member))
        .map(({ uid }) => uid),
    ).toEqual([uidOf(member)]);

    node.heal();
    await untilNode(node.name, 'is back', isBack);
    await untilPods('shop is whole', 'shop', exactly(REPLICAS));
    const after = await untilPods('db is whole', 'db', exactly(3));
    expect(after.map(uidOf)).not.toContain(uidOf(member));
    await untilOnlyKnownRun();
    expect(running()).toEqual([]);
    await untilEndpointsRight();
    expectOneAtATime();
  });
});

describe('a node that is drained', () => {
  it('waits for the budget of its pods, leaves what belongs to it, and comes back', async () => {
    const budget = (minAvailable: number): object => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'shop' },
      spec: { minAvailable, selector: { matchLabels: { app: 'shop' } } },
    });
    await lab.create(budget(REPLICAS));
    const node = nodeOf(podsOf('shop')[0] as Pod);
    const watchman = podsOf('watchman').find((pod) => nodeOf(pod) === node) as Pod;
    await until('the budget has counted', async () => {
      const last = await lab.kubectl(['get', 'pdb', 'shop', '--no-headers']);
      return /^shop +6 +N\/A +0 /.test(last) ? { value: true } : { last };
    });
    let fewest = REPLICAS;
    const unlisten = pods.onChange(() => {
      fewest = Math.min(fewest, podsOf('shop').filter(isReady).length);
    });
    const refused = await lab.tryKubectl([
      'drain',
      node,
      '--ignore-daemonsets',
      '--pod-selector=app=shop',
      '--timeout=2s',
    ]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /error when evicting pods\/"shop-\S+" -n "default" \(will retry after 5s\): Cannot evict pod as it would violate the pod's disruption budget\./,
    );
    expect(fewest).toBe(REPLICAS);

    const draining = lab.tryKubectl([
      'drain',
      node,
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      '--force',
      '--timeout=120s',
    ]);
    await sleep(500);
    await lab.kubectl(['patch', 'pdb', 'shop', '--type=merge', '-p', '{"spec":{"minAvailable":4}}']);
    const drained = await draining;
    expect([drained.code, drained.stderr]).toEqual([
      0,
      expect.stringContaining('ignoring DaemonSet-managed Pods: default/watchman-'),
    ]);
    expect(drained.stdout).toContain(`node/${node} drained`);
    await untilPods('shop is whole', 'shop', exactly(REPLICAS));
    unlisten();
    expect(fewest).toBeGreaterThanOrEqual(4);
    expect(pods.items.filter((pod) => nodeOf(pod) === node && pod.status?.phase === 'Running').map(uidOf)).toEqual([
      uidOf(watchman),
    ]);
    expect(await lab.kubectl(['get', 'node', node])).toContain('Ready,SchedulingDisabled');
    await lab.kubectl(['uncordon', node]);
    await untilNode(node, 'is back', isBack);
    await lab.kubectl(['delete', 'pdb', 'shop']);
    await untilPods('db is whole', 'db', exactly(3));
  });
});

describe('a rolling update', () => {
  it('fails no request', async () => {
    const before = new Set(podsOf('shop').map(nameOf));
    await untilEndpointsRight();
    const load = startLoad({ slices, workers: 4, pauseMs: 50 });
    await until('the first requests', async () => (load.count() > 20 ? { value: true } : { last: `${load.count()}` }));
    await lab.kubectl(['rollout', 'restart', 'deployment/shop']);
    await lab.kubectl(['rollout', 'status', 'deployment/shop']);
    const found = await untilPods('shop is new', 'shop', exactly(REPLICAS));
    const soFar = load.count();
    await until('some more', async () => (load.count() > soFar + 40 ? { value: true } : { last: `${load.count()}` }));
    const { answers, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect(found.filter((pod) => before.has(nameOf(pod)))).toEqual([]);
    expect([...answers.keys()].filter((name) => before.has(name)).length).toBeGreaterThan(0);
    expect(found.filter((pod) => !answers.has(nameOf(pod)))).toEqual([]);
    expect(load.count()).toBeGreaterThan(100);
  });

  it('goes on to its end when the server is killed in the middle, and nothing acknowledged is lost', async () => {
    const before = new Set(podsOf('shop').map(nameOf));
    const others = pods.items.filter((pod) => isOf('db')(pod) || isOf('watchman')(pod));
    let most = 0;
    const unlisten = pods.onChange(() => {
      most = Math.max(most, podsOf('shop').filter((pod) => !isGoing(pod) && pod.status?.phase !== 'Failed').length);
    });
    const writer = startWriter();
    await lab.kubectl(['rollout', 'restart', 'deployment/shop']);
    await untilPods(
      'in the middle',
      'shop',
      (found) => found.filter((pod) => !before.has(nameOf(pod)) && isReady(pod)).length >= 2,
    );
    const oldOnes = podsOf('shop').filter((pod) => before.has(nameOf(pod)) && !isGoing(pod)).length;
    await lab.stopServer('SIGKILL');
    await sleep(1000);
    await lab.startServer();
    await lab.kubectl(['rollout', 'status', 'deployment/shop']);
    const found = await untilPods(
      'shop is new',
      'shop',
      (all) => exactly(REPLICAS)(all) && all.every((pod) => !before.has(nameOf(pod))),
    );
    const written = await writer.stop();
    unlisten();
    expect(oldOnes).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(REPLICAS + SURGE);
    const maps = await api.get<{ items: { metadata: { name: string } }[] }>('/api/v1/namespaces/default/configmaps');
    const there = new Set(maps.items.map(({ metadata }) => metadata.name));
    expect(written.filter((name) => !there.has(name))).toEqual([]);
    expect(written.length).toBeGreaterThan(20);
    expect(found.map(({ status }) => status?.containerStatuses?.[0]?.restartCount)).toEqual(found.map(() => 0));
    const containers = new Map(pods.items.map((pod) => [uidOf(pod), containerOf(pod)]));
    for (const pod of others)
      expect([nameOf(pod), containers.get(uidOf(pod))]).toEqual([nameOf(pod), containerOf(pod)]);
    for (const node of nodes.items) expect([nameOf(node), readiness(node)]).toEqual([nameOf(node), 'True']);
    await untilEndpointsRight();
    await untilOnlyKnownRun();
    expectOneAtATime();
  });
});

/** Creates ConfigMaps one after another. `stop` returns those that the server acknowledged. */
function startWriter(): { stop(): Promise<readonly string[]> } {
  const acknowledged: string[] = [];
  const over = new AbortController();
  const running = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      const name = `written-${n}`;
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { n: `${n}` } };
      const code = await api.send('POST', '/api/v1/namespaces/default/configmaps', object).then(
        (answer) => answer.code,
        () => 0,
      );
      if (code === 201) acknowledged.push(name);
      await sleep(code === 0 ? 100 : 10);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await running;
      return acknowledged;
    },
  };
}
