import { describe, expect, it } from 'vitest';
import type { Node, Pod, PodSpec, TopologySpreadConstraint } from '../../api/index.ts';
import { seededRandom } from '../../lib/index.ts';
import { chooseNode } from '../choose-node.ts';
import { aNode, aPod, clusterFrom, running, type Written } from '../cluster/cluster.testing.ts';
import { podInfo } from '../cluster/pod-info.ts';
import { prepareFitting } from './fitting.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';

/** Names of nodes that the pod fits on; else the message. */
function fitting(pod: Pod, written: Written): string {
  const cluster = clusterFrom(written);
  const prepared = prepareFitting(podInfo(pod), cluster, () => []);
  const fits = cluster.nodes.filter((info) => prepared.kind === 'fitting' && prepared.check(info) === undefined);
  if (fits.length > 0) return fits.map(({ name }) => name).join(' ');
  const choice = chooseNode(podInfo(pod), cluster, { random: seededRandom(1), nominated: () => [], now: 0 });
  return choice.kind === 'node' ? choice.nodeName : choice.message;
}

const labelled = (labels: Record<string, string>, spec: Partial<PodSpec> = {}, namespace = 'default'): Pod =>
  aPod(spec, undefined, { namespace, labels });
const nodes = (...zones: string[]): Node[] => zones.map((zone, i) => aNode(`${zone}${i}`, {}, { [ZONE]: zone }));
const term = (app: string, topologyKey: string, more: object = {}) => ({
  labelSelector: { matchLabels: { app } },
  topologyKey,
  ...more,
});
const near = (...terms: object[]): Partial<PodSpec> => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms as never } },
});
const apart = (...terms: object[]): Partial<PodSpec> => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms as never } },
});

describe('InterPodAffinity', () => {
  const abc = nodes('a', 'a', 'b');
  const web = labelled({ app: 'web' });
  const otherNamespace = labelled({ app: 'web' }, {}, 'other');
  const namespaces = [{ metadata: { name: 'other', labels: { team: 'x' } } }, { metadata: { name: 'default' } }];
  it.each<readonly [string, Pod, Written, string]>([
    ['joins the zone', labelled({}, near(term('web', ZONE))), { nodes: abc, pods: [running('a0', web)] }, 'a0 a1'],
    ['joins the host', labelled({}, near(term('web', HOST))), { nodes: abc, pods: [running('b2', web)] }, 'b2'],
    [
      'all terms at one pod',
      labelled({}, near(term('web', ZONE), term('db', ZONE))),
      { nodes: abc, pods: [running('a0', web), running('a0', labelled({ app: 'db' }))] },
      "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.",
    ],
    ['the first of its kind', labelled({ app: 'web' }, near(term('web', ZONE))), { nodes: abc }, 'a0 a1 b2'],
    [
      'not the first of another kind',
      labelled({ app: 'x' }, near(term('web', ZONE))),
      { nodes: abc },
      "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.",
    ],
    [
      'the first, where the label is',
      labelled({ app: 'web' }, near(term('web', 'rack'))),
      { nodes: [...abc, aNode('r', {}, { rack: '1' })] },
      'r',
    ],
    [
      'of its own namespace alone',
      labelled({}, near(term('web', ZONE))),
      { nodes: abc, pods: [running('a0', otherNamespace)] },
      "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.",
    ],
    [
      'of a named namespace',
      labelled({}, near(term('web', ZONE, { namespaces: ['other'] }))),
      { nodes: abc, pods: [running('a0', otherNamespace)] },
      'a0 a1',
    ],
    [
      'of selected namespaces',
      labelled({}, near(term('web', ZONE, { namespaceSelector: { matchLabels: { team: 'x' } } }))),
      { nodes: abc, pods: [running('b2', otherNamespace)], namespaces },
      'b2',
    ],
    [
      'of all namespaces',
      labelled({}, near(term('web', ZONE, { namespaceSelector: {} }))),
      { nodes: abc, pods: [running('b2', otherNamespace)], namespaces },
      'b2',
    ],
    ['keeps off the zone', labelled({}, apart(term('web', ZONE))), { nodes: abc, pods: [running('a0', web)] }, 'b2'],
    ['keeps off the host', labelled({}, apart(term('web', HOST))), { nodes: abc, pods: [running('a0', web)] }, 'a1 b2'],
    [
      'is kept off by those that run',
      web,
      { nodes: abc, pods: [running('a0', labelled({}, apart(term('web', ZONE))))] },
      'b2',
    ],
    [
      'nowhere left, for both reasons',
      labelled({ app: 'web' }, apart(term('web', HOST))),
      { nodes: nodes('a', 'b'), pods: [running('a0', web), running('b1', labelled({}, apart(term('web', HOST))))] },
      "0/2 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 1 node(s) didn't satisfy existing pods anti-affinity rules.",
    ],
    [
      'a node without the label keeps nobody off',
      labelled({}, apart(term('web', 'rack'))),
      { nodes: abc, pods: [running('a0', web)] },
      'a0 a1 b2',
    ],
  ])('%s', (_, pod, written, answer) => {
    expect(fitting(pod, written)).toBe(answer);
  });
});

describe('PodTopologySpread', () => {
  const spread = (more: Partial<TopologySpreadConstraint> = {}, labels = { app: 'web' }): Pod =>
    labelled(labels, {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: ZONE,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'web' } },
          ...more,
        },
      ],
    });
  const web = (): Pod => labelled({ app: 'web' });
  const ending = (): Pod => aPod({}, undefined, { labels: { app: 'web' }, deletionTimestamp: '2026-01-01T00:00:00Z' });
  it.each<readonly [string, Pod, Written, string]>([
    ['evens out', spread(), { nodes: nodes('a', 'b'), pods: [running('a0', web())] }, 'b1'],
    [
      'as far as the skew allows',
      spread({ maxSkew: 2 }),
      { nodes: nodes('a', 'b'), pods: [running('a0', web())] },
      'a0 b1',
    ],
    [
      'one that does not count itself',
      spread({}, { app: 'x' }),
      { nodes: nodes('a', 'b'), pods: [running('a0', web())] },
      'a0 b1',
    ],
    ['pods that end do not count', spread(), { nodes: nodes('a', 'b'), pods: [running('a0', ending())] }, 'a0 b1'],
    [
      'other namespaces do not count',
      spread(),
      { nodes: nodes('a', 'b'), pods: [running('a0', labelled({ app: 'web' }, {}, 'other'))] },
      'a0 b1',
    ],
    [
      'a node without the label',
      spread(),
      { nodes: [aNode('x')] },
      "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).",
    ],
    [
      'too few domains',
      spread({ minDomains: 2 }),
      { nodes: nodes('a', 'a'), pods: [running('a0', web())] },
      "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints.",
    ],
    ['domains enough', spread({ minDomains: 1 }), { nodes: nodes('a', 'a'), pods: [running('a0', web())] }, 'a0 a1'],
    [
      'a tainted domain counts, by default',
      spread(),
      {
        nodes: [...nodes('a'), aNode('t', { taints: [{ key: 'k', effect: 'NoSchedule' }] }, { [ZONE]: 't' })],
        pods: [running('a0', web())],
      },
      "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) had untolerated taint(s).",
    ],
    [
      'and not, when asked',
      spread({ nodeTaintsPolicy: 'Honor' }),
      {
        nodes: [...nodes('a'), aNode('t', { taints: [{ key: 'k', effect: 'NoSchedule' }] }, { [ZONE]: 't' })],
        pods: [running('a0', web())],
      },
      'a0',
    ],
  ])('%s', (_, pod, written, answer) => {
    expect(fitting(pod, written)).toBe(answer);
  });

  it('heeds the node affinity of the pod, unless told not to', () => {
    const written = { nodes: nodes('a', 'b'), pods: [running('a0', web())] };
    const pinned = (nodeAffinityPolicy: string): Pod => {
      const pod = spread({ nodeAffinityPolicy });
      return { ...pod, spec: { containers: [], ...pod.spec, nodeSelector: { [ZONE]: 'a' } } };
    };
    const choose = (pod: Pod) =>
      chooseNode(podInfo(pod), clusterFrom(written), { random: seededRandom(1), nominated: () => [], now: 0 }).kind;
    expect(choose(pinned('Honor'))).toBe('node');
    expect(choose(pinned('Ignore'))).toBe('unschedulable');
  });
});

describe('NodeAffinity by names', () => {
  const named = (...values: string[]): Pod => {
    const matchFields = [{ key: 'metadata.name', operator: 'In', values }];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } };
    return aPod({ affinity: { nodeAffinity } }, { cpu: '5' });
  };
  it('says of the others only that they were not asked', () => {
    const written = { nodes: [aNode('a'), aNode('b'), aNode('c')] };
    const choose = (pod: Pod) => {
      const choice = chooseNode(podInfo(pod), clusterFrom(written), {
        random: seededRandom(1),
        nominated: () => [],
        now: 0,
      });
      return choice.kind === 'node' ? choice.nodeName : choice.message;
    };
    expect(choose(named('a'))).toBe(
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    );
    expect(choose(named())).toBe('0/3 nodes are available: pod affinity terms conflict.');
  });
});
