import { describe, expect, it } from 'vitest';
import type { Node, Pod, PodSpec } from '../api/index.ts';
import { seededRandom } from '../lib/index.ts';
import { chooseNode } from './choose-node.ts';
import { aNode as node, aPod as pod, clusterFrom, running } from './cluster/cluster.testing.ts';
import { podInfo } from './cluster/pod-info.ts';
import { planPreemption } from './preempt/plan-preemption.ts';

function choose(wanted: Pod, nodes: readonly Node[], pods: Readonly<Record<string, readonly Pod[]>> = {}): string {
  const there = Object.entries(pods).flatMap(([name, on]) => on.map((each) => running(name, each)));
  const cluster = clusterFrom({ nodes, pods: there });
  const random = seededRandom(1);
  const choice = chooseNode(podInfo(wanted), cluster, { random, nominated: () => [], now: 0 });
  if (choice.kind === 'node') return choice.nodeName;
  if (nodes.length === 0) return choice.message;
  const plan = planPreemption(podInfo(wanted), choice, cluster, random);
  return plan.kind === 'none' ? `${choice.message} no new claims to deallocate, ${plan.message}` : choice.message;
}

const WHY = '0/1 nodes are available: ';
const NO_VICTIMS =
  'no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';
const NO_HELP =
  'no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
const hostPort = (port: number, hostIP?: string): Partial<PodSpec> => ({
  containers: [
    { name: 'c', ports: [{ containerPort: 80, hostPort: port, ...(hostIP === undefined ? {} : { hostIP }) }] },
  ],
});
const required = (...matchExpressions: { key: string; operator: string; values?: string[] }[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  },
});
const init = (restartPolicy: string | undefined, memory: string): Partial<PodSpec> => ({
  initContainers: [
    { name: 'i', resources: { requests: { memory } }, ...(restartPolicy === undefined ? {} : { restartPolicy }) },
  ],
  containers: [{ name: 'c', resources: { requests: { memory: '1Gi' } } }],
});

describe('chooseNode on one node', () => {
  it.each<readonly [string, Pod, Node, readonly Pod[], string]>([
    ['takes a pod that asks for nothing', pod(), node('n'), [], 'n'],
    ['fills to the brim', pod({}, { cpu: '1', memory: '1Gi' }), node('n'), [pod({}, { cpu: '1', memory: '1Gi' })], 'n'],
    ['more than the node has', pod({}, { memory: '4Gi' }), node('n'), [], `${WHY}1 Insufficient memory. ${NO_HELP}`],
    [
      'more than is left',
      pod({}, { cpu: '1' }),
      node('n'),
      [pod({}, { cpu: '1001m' })],
      `${WHY}1 Insufficient cpu. ${NO_VICTIMS}`,
    ],
    [
      'all shortages',
      pod({}, { cpu: '3', memory: '3Gi', 'a/gpu': '1' }),
      node('n'),
      [],
      `${WHY}1 Insufficient a/gpu, 1 Insufficient cpu, 1 Insufficient memory. ${NO_HELP}`,
    ],
    ['pod count', pod(), node('n'), Array.from({ length: 10 }, () => pod()), `${WHY}1 Too many pods. ${NO_VICTIMS}`],
    ['an init container counts alone', pod(init(undefined, '2Gi')), node('n'), [], 'n'],
    ['a sidecar counts beside', pod(init('Always', '2Gi')), node('n'), [], `${WHY}1 Insufficient memory. ${NO_HELP}`],
    [
      'node selector',
      pod({ nodeSelector: { disk: 'ssd' } }),
      node('n'),
      [],
      `${WHY}1 node(s) didn't match Pod's node affinity/selector. ${NO_HELP}`,
    ],
    ['node selector that matches', pod({ nodeSelector: { disk: 'ssd' } }), node('n', {}, { disk: 'ssd' }), [], 'n'],
    [
      'affinity In',
      pod(required({ key: 'disk', operator: 'In', values: ['a', 'ssd'] })),
      node('n', {}, { disk: 'ssd' }),
      [],
      'n',
    ],
    [
      'affinity NotIn without the label',
      pod(required({ key: 'disk', operator: 'NotIn', values: ['ssd'] })),
      node('n'),
      [],
      'n',
    ],
    [
      'affinity Gt',
      pod(required({ key: 'gen', operator: 'Gt', values: ['9'] })),
      node('n', {}, { gen: '10' }),
      [],
      'n',
    ],
    [
      'affinity Lt without the label',
      pod(required({ key: 'gen', operator: 'Lt', values: ['9'] })),
      node('n'),
      [],
      `${WHY}1 node(s) didn't match Pod's node affinity/selector. ${NO_HELP}`,
    ],
    [
      'an empty term matches nothing',
      pod(required()),
      node('n'),
      [],
      `${WHY}1 node(s) didn't match Pod's node affinity/selector. ${NO_HELP}`,
    ],
    [
      'taint',
      pod(),
      node('n', { taints: [{ key: 'a', value: 'b', effect: 'NoExecute' }] }),
      [],
      `${WHY}1 node(s) had untolerated taint(s). ${NO_HELP}`,
    ],
    [
      'taint tolerated by value',
      pod({ tolerations: [{ key: 'a', value: 'b' }] }),
      node('n', { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] }),
      [],
      'n',
    ],
    [
      'taint tolerated by all',
      pod({ tolerations: [{ operator: 'Exists' }] }),
      node('n', { taints: [{ key: 'a', effect: 'NoSchedule' }] }),
      [],
      'n',
    ],
    [
      'taint tolerated for another effect',
      pod({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }] }),
      node('n', { taints: [{ key: 'a', effect: 'NoSchedule' }] }),
      [],
      `${WHY}1 node(s) had untolerated taint(s). ${NO_HELP}`,
    ],
    ['a soft taint', pod(), node('n', { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] }), [], 'n'],
    [
      'a cordoned node',
      pod(),
      node('n', { unschedulable: true }),
      [],
      `${WHY}1 node(s) were unschedulable. ${NO_HELP}`,
    ],
    [
      'a host port in use',
      pod(hostPort(80)),
      node('n'),
      [pod(hostPort(80))],
      `${WHY}1 node(s) didn't have free ports for the requested pod ports. ${NO_VICTIMS}`,
    ],
    [
      'a host port on any address',
      pod(hostPort(80, '10.0.0.1')),
      node('n'),
      [pod(hostPort(80))],
      `${WHY}1 node(s) didn't have free ports for the requested pod ports. ${NO_VICTIMS}`,
    ],
    ['a host port on another address', pod(hostPort(80, '10.0.0.1')), node('n'), [pod(hostPort(80, '10.0.0.2'))], 'n'],
    [
      'preemption never',
      pod({ preemptionPolicy: 'Never' }, { cpu: '3' }),
      node('n'),
      [],
      `${WHY}1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.`,
    ],
  ])('%s', (_, wanted, on, others, answer) => {
    expect(choose(wanted, [on], { n: others })).toBe(answer);
  });
});

describe('chooseNode among nodes', () => {
  it('says so when there are none', () => {
    expect(choose(pod(), [])).toBe('no nodes available to schedule pods');
  });

  it('counts reasons over all nodes', () => {
    const nodes = [node('a'), node('b', { unschedulable: true }), node('c', {}, { disk: 'ssd' })];
    const full = [pod({}, { cpu: '2' })];
    expect(choose(pod({ nodeSelector: { disk: 'ssd' } }, { cpu: '1' }), nodes, { c: full })).toBe(
      "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable. " +
        'no new claims to deallocate, preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
    );
  });

  it('prefers the emptier node, the preferred one, and the one without a soft taint', () => {
    expect(
      choose(pod({}, { cpu: '100m' }), [node('a'), node('b')], { a: [pod({}, { cpu: '1', memory: '1Gi' })] }),
    ).toBe('b');
    const preference = { matchExpressions: [{ key: 'disk', operator: 'Exists' }] };
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, preference }] } };
    expect(choose(pod({ affinity }), [node('a'), node('b', {}, { disk: 'x' })])).toBe('b');
    expect(choose(pod(), [node('a', { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }), node('b')])).toBe('b');
  });

  it('breaks ties by the given Random, over all winners', () => {
    const cluster = clusterFrom({ nodes: ['a', 'b', 'c'].map((name) => node(name)) });
    const random = seededRandom(7);
    const once = () => JSON.stringify(chooseNode(podInfo(pod()), cluster, { random, nominated: () => [], now: 0 }));
    const chosen = new Set(Array.from({ length: 50 }, once));
    expect(chosen.size).toBe(3);
  });
});
