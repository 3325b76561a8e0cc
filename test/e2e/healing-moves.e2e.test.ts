/**
 * Tests on three real nodes that a pod that dies at every start on one node climbs its ladder and moves to another node,
 * which its
 * workload remembers. A node is sick when the file of its name is missing in a shared folder.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  AVOID_NODES,
  type AvoidedNode,
  findCondition,
  isConditionTrue,
  type Node,
  type Pod,
} from '../../src/api/index.ts';
import { Lab } from '../support/lab.ts';
import { until } from './harness.ts';
import { itInWhole } from './extent.ts';

const NODES = ['n1', 'n2', 'n3'];

let lab: Lab;
let health: string;

beforeAll(async () => {
  lab = await Lab.create({ nodes: 3, clusterCidr: '10.175.0.0/16' });
  health = join(lab.folder, 'health');
  mkdirSync(health);
  for (const name of NODES) writeFileSync(join(health, name), '');
  await lab.start();
});
afterAll(() => lab?.down());

const POLICY = {
  apiVersion: 'mendlet.dev/v1alpha1',
  kind: 'HealingPolicy',
  metadata: { name: 'climb' },
  spec: {
    selector: { matchLabels: { heals: 'yes' } },
    rungs: [
      { scope: 'container', attempts: 2 },
      { scope: 'pod', attempts: 1 },
      { scope: 'node', attempts: 3 },
    ],
    backOff: { initial: '100ms', cap: '200ms' },
  },
};

/** A script that runs as long as its node is healthy. */
const SCRIPT = 'trap "exit 0" TERM; while [ -e /health/$NODE ]; do sleep 0.1; done; echo $NODE is sick; exit 7';

function workload(kind: string, name: string): object {
  const labels = { app: name, heals: 'yes' };
  const container = {
    name: 'main',
    image: 'docker.io/library/busybox:latest',
    imagePullPolicy: 'IfNotPresent',
    command: ['/bin/sh', '-c', SCRIPT],
    env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    volumeMounts: [{ name: 'health', mountPath: '/health' }],
  };
  const spec = {
    terminationGracePeriodSeconds: 1,
    containers: [container],
    volumes: [{ name: 'health', hostPath: { path: health } }],
  };
  const template = { metadata: { labels }, spec };
  const selector = { matchLabels: { app: name } };
  const named = kind === 'StatefulSet' ? { serviceName: name } : {};
  return { apiVersion: 'apps/v1', kind, metadata: { name }, spec: { replicas: 1, selector, ...named, template } };
}

const nameOf = ({ metadata }: Pod): string => metadata?.name ?? '';
const nodeOf = ({ spec }: Pod): string => spec?.nodeName ?? '';
const isReady = (pod: Pod): boolean =>
  pod.metadata?.deletionTimestamp === undefined && isConditionTrue(pod.status?.conditions, 'Ready');

async function untilPods(
  app: string,
  what: string,
  wanted: (pods: readonly Pod[]) => boolean,
): Promise<readonly Pod[]> {
  return await until<readonly Pod[]>(`${app}: ${what}`, async () => {
    const { items } = await lab.read<{ items: readonly Pod[] }>('pods', { selector: `app=${app}` });
    const told = items.map((pod) => [nameOf(pod), nodeOf(pod), pod.metadata?.annotations, pod.status?.conditions]);
    return wanted(items) ? { value: items } : { last: JSON.stringify(told) };
  });
}

/** Waits until the only pod is ready on an allowed node. */
async function untilWell(app: string, what: string, on: (node: string) => boolean = () => true): Promise<Pod> {
  const [pod] = await untilPods(
    app,
    what,
    (pods) => pods.length === 1 && pods.every((each) => isReady(each) && on(nodeOf(each))),
  );
  return pod as Pod;
}

const makeSick = (node: string): void => rmSync(join(health, node));
const makeWell = (node: string): void => writeFileSync(join(health, node), '');

async function remembered(what: string): Promise<readonly AvoidedNode[]> {
  const { metadata } = await lab.read<Pod>(what);
  return JSON.parse(metadata?.annotations?.[AVOID_NODES] ?? '[]') as AvoidedNode[];
}

it('a deployment’s pod climbs to the rung of nodes, goes on elsewhere, and its successors stay away', async () => {
  await lab.create(POLICY, workload('Deployment', 'web'));
  const first = await untilWell('web', 'ready');
  const sick = nodeOf(first);
  makeSick(sick);
  const second = await untilWell('web', 'on another node', (node) => node !== sick);
  const moved = `${nameOf(first)} died on node ${sick}`;
  const events = await lab.kubectl([
    'events',
    '-o',
    'jsonpath={range .items[*]}{.involvedObject.kind} {.reason} {.message}{"\\n"}{end}',
  ]);
  const lines = events.split('\n');
  for (const kind of ['Pod', 'Deployment']) {
    expect(lines).toContainEqual(
      expect.stringMatching(
        new RegExp(`^${kind} HealingMove ${moved} \\(.*exited with 7.*\\): moving it to another node$`),
      ),
    );
  }
  // The lower rungs were tried before.
  expect(lines.filter((line) => line.startsWith('Pod PodRestarting'))).not.toEqual([]);
  expect(await remembered('deployment/web')).toMatchObject([{ node: sick, pod: nameOf(first) }]);
  expect(JSON.parse(second.metadata?.annotations?.[AVOID_NODES] ?? '[]')).toMatchObject([{ node: sick }]);

  await lab.kubectl(['scale', 'deployment/web', '--replicas=5']);
  const all = await untilPods('web', 'five ready', (pods) => pods.filter(isReady).length === 5);
  expect(all.map(nodeOf)).not.toContain(sick);
  makeWell(sick);
  await lab.kubectl(['delete', 'deployment/web']);
});

it('a stateful set’s pod keeps its name; when no other node is left it takes the one to be avoided, and is stopped there', async () => {
  await lab.create(workload('StatefulSet', 'db'));
  const first = await untilWell('db', 'ready');
  const sick = nodeOf(first);
  makeSick(sick);
  const second = await untilWell('db', 'on another node', (node) => node !== sick);
  expect(nameOf(second)).toBe('db-0');
  expect(await remembered('statefulset/db')).toMatchObject([{ node: sick, pod: 'db-0' }]);
  for (const node of NODES) if (node !== sick) await lab.kubectl(['cordon', node]);
  await lab.kubectl(['delete', 'pod', 'db-0', '--wait=false']);
  const [last] = await untilPods('db', 'stopped where it died', (pods) =>
    pods.some((pod) => nodeOf(pod) === sick && isConditionTrue(pod.status?.conditions, 'mendlet.dev/HealingStopped')),
  );
  expect(findCondition(last?.status?.conditions, 'mendlet.dev/HealingStopped')?.message).toContain(
    'no other node takes it: 2 cordoned',
  );
  const events = await lab.kubectl(['events', '--for', 'pod/db-0']);
  expect(events).toContain(`no other node takes it, though it is to avoid this one: db-0 died there (`);
  for (const node of NODES) if (node !== sick) await lab.kubectl(['uncordon', node]);
  makeWell(sick);
});

itInWhole('a pod that no other node has room for stays, and says what is missing', async () => {
  const { items: nodes } = await lab.read<{ items: readonly Node[] }>('nodes');
  const smallest = Math.min(...nodes.map(({ status }) => Number.parseInt(status?.allocatable?.['memory'] ?? '', 10)));
  // One pod for each node.
  const big = workload('Deployment', 'big') as { spec: { replicas: number; template: Pod } };
  big.spec.replicas = NODES.length;
  const [container] = big.spec.template.spec?.containers ?? [];
  if (container !== undefined) container.resources = { requests: { memory: `${Math.floor(smallest * 0.6)}Ki` } };
  await lab.create(big);
  const all = await untilPods('big', 'one on each node', (pods) => pods.filter(isReady).length === NODES.length);
  const [first] = all;
  const sick = nodeOf(first as Pod);
  makeSick(sick);
  const told = await untilPods('big', 'stopped where it died', (pods) =>
    pods.some((pod) => nodeOf(pod) === sick && isConditionTrue(pod.status?.conditions, 'mendlet.dev/HealingStopped')),
  );
  const stopped = told.find((pod) => nodeOf(pod) === sick);
  expect(findCondition(stopped?.status?.conditions, 'mendlet.dev/HealingStopped')).toMatchObject({
    reason: 'NoOtherNode',
    message: expect.stringContaining('no other node takes it: 2 Insufficient memory'),
  });
  expect(stopped?.metadata?.uid).toBe(first?.metadata?.uid);
  expect(await remembered('deployment/big')).toEqual([]);
  makeWell(sick);
});
