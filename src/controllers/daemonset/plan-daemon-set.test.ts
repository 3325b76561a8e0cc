import { describe, expect, it } from 'vitest';
import {
  type DaemonSet,
  type DaemonSetSpec,
  nameOf,
  type Node,
  type Pod,
  type PodSpec,
  type Taint,
} from '../../api/index.ts';
import { daemonTolerations, newDaemonPod, targetNodeOf } from './daemon-pod.ts';
import { nodeFitness } from './node-fitness.ts';
import { planDaemonSet } from './plan-daemon-set.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 1, 0);

function setOf(spec: Partial<DaemonSetSpec> = {}, template: Partial<PodSpec> = {}): DaemonSet {
  return {
    metadata: {
      namespace: 'team',
      name: 'dae',
      uid: 'set',
      generation: 2,
      annotations: { 'deprecated.daemonset.template.generation': '3' },
    },
    spec: {
      selector: { matchLabels: { app: 'dae' } },
      template: { metadata: { labels: { app: 'dae' } }, spec: { containers: [], ...template } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      ...spec,
    },
  };
}

function node(
  name: string,
  { labels = {}, taints = [] }: { labels?: Record<string, string>; taints?: Taint[] } = {},
): Node {
  return { metadata: { name, labels }, spec: { taints } };
}

interface PodOptions {
  readonly name?: string;
  readonly hash?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly going?: boolean;
  readonly bound?: boolean;
  readonly readyFor?: number;
  readonly age?: number;
}

/** On a node, up to date, running and ready, unless said otherwise. */
function pod(nodeName: string, options: PodOptions = {}): Pod {
  const { name = `on-${nodeName}`, hash = 'new', phase = 'Running', ready = phase === 'Running' } = options;
  const { going = false, bound = true, readyFor = 60, age = 0 } = options;
  const affinity = newDaemonPod(setOf(), nodeName, hash).spec?.affinity;
  return {
    metadata: {
      namespace: 'team',
      name,
      uid: name,
      creationTimestamp: new Date(NOW - age * 1000).toISOString(),
      labels: { 'controller-revision-hash': hash },
      ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { containers: [], ...(affinity === undefined ? {} : { affinity }), ...(bound ? { nodeName } : {}) },
    status: {
      phase,
      conditions: [
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          lastTransitionTime: new Date(NOW - readyFor * 1000).toISOString(),
        },
      ],
    },
  };
}

function plan(set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[], failureWaitMs = 0) {
  return planDaemonSet({
    set,
    nodes,
    pods,
    hashes: new Set(['new']),
    collisionCount: 0,
    failureWaitMs: () => failureWaitMs,
    now: NOW,
  });
}

const NODES = ['a', 'b', 'c'].map((name) => node(name));
const NO_EXECUTE = { key: 'gpu', effect: 'NoExecute' };
const NO_SCHEDULE = { key: 'gpu', effect: 'NoSchedule' };

describe('a node', () => {
  const run = { run: true, stay: true };
  const none = { run: false, stay: false };
  const selecting = setOf({}, { nodeSelector: { disk: 'ssd' } });
  it.each<[string, DaemonSet, Node, { run: boolean; stay: boolean }]>([
    ['any', setOf(), node('a'), run],
    ['with the label', selecting, node('a', { labels: { disk: 'ssd' } }), run],
    ['without it', selecting, node('a'), none],
    ['of another name', setOf({}, { nodeName: 'b' }), node('a'), none],
    ['that takes no new pods', setOf(), node('a', { taints: [NO_SCHEDULE] }), { run: false, stay: true }],
    ['that drives pods away', setOf(), node('a', { taints: [NO_EXECUTE] }), none],
    [
      'that is tolerated',
      setOf({}, { tolerations: [{ key: 'gpu', operator: 'Exists' }] }),
      node('a', { taints: [NO_EXECUTE] }),
      run,
    ],
    ['that rather not', setOf(), node('a', { taints: [{ key: 'gpu', effect: 'PreferNoSchedule' }] }), run],
    [
      'in trouble',
      setOf(),
      node('a', {
        taints: [
          { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
          { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
          { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
          { key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' },
        ],
      }),
      run,
    ],
    [
      'without network',
      setOf(),
      node('a', { taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }] }),
      { run: false, stay: true },
    ],
    [
      'without network, which it does not need',
      setOf({}, { hostNetwork: true }),
      node('a', { taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }] }),
      run,
    ],
  ])('%s', (_, set, given, expected) => {
    expect(nodeFitness(set, given)).toEqual(expected);
  });
});

it('a pod is bound to its node by the name, and tolerates its troubles', () => {
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
      },
    },
  };
  const tolerations = [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }];
  const made = newDaemonPod(setOf({}, { affinity, tolerations }), 'a', 'h');
  expect(made).toMatchObject({
    metadata: {
      generateName: 'dae-',
      labels: { app: 'dae', 'controller-revision-hash': 'h', 'pod-template-generation': '3' },
      ownerReferences: [{ kind: 'DaemonSet', name: 'dae', controller: true }],
    },
    spec: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }],
          },
        },
      },
    },
  });
  expect(targetNodeOf(made)).toBe('a');
  expect(made.spec?.tolerations).toHaveLength(6);
  expect(daemonTolerations({ containers: [], hostNetwork: true })).toHaveLength(7);
});

describe('every node that fits has one pod', () => {
  const created = (set: DaemonSet, nodes: Node[], pods: Pod[], wait = 0): [readonly string[], string[]] => {
    const made = plan(set, nodes, pods, wait);
    return [made.create, made.delete.map(nameOf)];
  };
  const fit = setOf();
  const surge = setOf({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });

  it.each<[string, DaemonSet, Node[], Pod[], string[], string[]]>([
    ['at first', fit, NODES, [], ['a', 'b', 'c'], []],
    ['when one comes', fit, NODES, [pod('a'), pod('b')], ['c'], []],
    ['rest', fit, NODES, [pod('a'), pod('b'), pod('c', { bound: false, phase: 'Pending' })], [], []],
    ['not while one is going', fit, [node('a')], [pod('a', { going: true })], [], []],
    ['but when it ended', fit, [node('a')], [pod('a', { going: true, phase: 'Failed' })], ['a'], []],
    ['one that failed goes', fit, [node('a')], [pod('a', { phase: 'Failed' })], [], ['on-a']],
    ['one that succeeded, too', fit, [node('a')], [pod('a', { phase: 'Succeeded' })], [], ['on-a']],
    [
      'of two the oldest stays',
      fit,
      [node('a')],
      [pod('a', { name: 'young', age: 1 }), pod('a', { name: 'old', age: 9 })],
      [],
      ['young'],
    ],
    ['not where it may not be', fit, [node('a', { taints: [NO_EXECUTE] })], [pod('a')], [], ['on-a']],
    ['stays where no new one would go', fit, [node('a', { taints: [NO_SCHEDULE] })], [pod('a')], [], []],
    ['not where no node is', fit, [], [pod('a', { bound: false }), pod('b')], [], ['on-a']],
    ['with surge, beside one that is going', surge, [node('a')], [pod('a', { going: true })], ['a'], []],
    [
      'with surge, two until the new one is ready',
      surge,
      [node('a')],
      [pod('a', { name: 'old', hash: 'old', age: 9 }), pod('a', { name: 'new', ready: false })],
      [],
      [],
    ],
    [
      'with surge, the new one takes over',
      surge,
      [node('a')],
      [pod('a', { name: 'old', hash: 'old', age: 9 }), pod('a', { name: 'new' })],
      [],
      ['old'],
    ],
    [
      'with surge, an old one that is not ready is no use',
      surge,
      [node('a')],
      [pod('a', { name: 'old', hash: 'old', age: 9, ready: false }), pod('a', { name: 'new', ready: false })],
      [],
      ['old'],
    ],
  ])('%s', (_, set, nodes, pods, create, gone) => {
    expect(created(set, nodes, pods)).toEqual([create, gone]);
  });

  it('one that failed again waits', () => {
    const made = plan(fit, [node('a')], [pod('a', { phase: 'Failed' })], 4000);
    expect(made).toMatchObject({ create: [], delete: [], ended: [], wakeAfterMs: 4000 });
    expect(created(surge, [node('a')], [pod('a', { phase: 'Failed' })], 4000)).toEqual([[], []]);
  });

  it('says which ones ended', () => {
    const { ended } = plan(fit, [node('a')], [pod('a', { phase: 'Failed' })]);
    expect(ended.map(({ nodeName, pod: one }) => `${nodeName} ${nameOf(one)}`)).toEqual(['a on-a']);
  });
});

describe('an update', () => {
  const old = (nodeName: string, options: PodOptions = {}): Pod => pod(nodeName, { hash: 'old', ...options });
  const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0): DaemonSet =>
    setOf({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } } });
  const onDelete = setOf({ updateStrategy: { type: 'OnDelete' } });

  it.each<[string, DaemonSet, Pod[], string[], string[]]>([
    ['replaces one', rolling(1), [old('a'), old('b'), old('c')], [], ['on-a']],
    ['of more at once', rolling('50%'), [old('a'), old('b'), old('c')], [], ['on-a', 'on-b']],
    ['waits for the end of the old one', rolling(1), [old('a', { going: true }), old('b'), old('c')], [], []],
    ['waits for the new one', rolling(1), [pod('a', { ready: false }), old('b'), old('c')], [], []],
    [
      'replaces what is no use at once',
      rolling(1),
      [old('a', { ready: false }), old('b', { ready: false }), old('c')],
      [],
      ['on-a', 'on-b'],
    ],
    ['is over', rolling(1), [pod('a'), pod('b'), pod('c')], [], []],
    ['is others’ business with OnDelete', onDelete, [old('a'), old('b'), old('c')], [], []],
    ['comes after what is missing', rolling(1), [old('a'), old('b')], ['c'], []],
    ['with surge makes one more', rolling(0, 1), [old('a'), old('b'), old('c')], ['a'], []],
    [
      'with surge waits for it',
      rolling(0, 1),
      [old('a'), pod('a', { name: 'n', ready: false }), old('b'), old('c')],
      [],
      [],
    ],
    ['with surge goes on', rolling(0, 1), [pod('a'), old('b'), old('c')], ['b'], []],
    [
      'with surge beside all that are no use',
      rolling(0, 1),
      [old('a', { ready: false }), old('b', { ready: false }), old('c')],
      ['a', 'b', 'c'],
      [],
    ],
  ])('%s', (_, set, pods, create, gone) => {
    const made = plan(set, NODES, pods);
    expect([made.create, made.delete.map(nameOf)]).toEqual([create, gone]);
  });

  it('with surge leaves a node that fits no more when there are enough others', () => {
    const nodes = [node('a', { taints: [NO_SCHEDULE] }), node('b')];
    const set = rolling(0, 1);
    const waiting = plan(set, nodes, [old('a'), pod('b', { ready: false })]);
    expect(waiting.delete.map(nameOf)).toEqual([]);
    expect(plan(set, nodes, [old('a'), pod('b')]).delete.map(nameOf)).toEqual(['on-a']);
  });
});

it('the status counts', () => {
  const nodes = [...NODES, node('d'), node('e', { labels: { other: 'x' }, taints: [NO_SCHEDULE] })];
  const pods = [
    pod('a'),
    pod('b', { readyFor: 5, hash: 'old' }),
    pod('c', { phase: 'Pending', bound: false }),
    pod('e'),
  ];
  const made = plan(setOf({ minReadySeconds: 10 }), nodes, pods);
  expect(made.status).toEqual({
    observedGeneration: 2,
    desiredNumberScheduled: 4,
    currentNumberScheduled: 3,
    numberMisscheduled: 1,
    numberReady: 2,
    numberAvailable: 1,
    numberUnavailable: 3,
    updatedNumberScheduled: 2,
  });
  expect(made.wakeAfterMs).toBe(5000);
});
