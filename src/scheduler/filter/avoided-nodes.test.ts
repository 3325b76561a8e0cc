import { describe, expect, it } from 'vitest';
import { AVOID_NODES, type Node } from '../../api/index.ts';
import { seededRandom } from '../../lib/index.ts';
import { type Choice, chooseNode } from '../choose-node.ts';
import { aNode, aPod, clusterFrom, running } from '../cluster/cluster.testing.ts';
import { podInfo } from '../cluster/pod-info.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const entry = (node: string, until = '2026-01-01T01:00:00Z') => ({ node, until, pod: 'web-0', cause: 'exit 1' });

function choose(avoid: readonly object[], nodes: readonly Node[], status = {}): Choice {
  const pod = { ...aPod({}, { cpu: '1' }, { annotations: { [AVOID_NODES]: JSON.stringify(avoid) } }), status };
  pod.metadata = { ...pod.metadata, name: 'web-0', namespace: 'default', uid: 'u' };
  const full = running('full', aPod({}, { cpu: '2' }));
  const cluster = clusterFrom({ nodes, pods: [full] });
  return chooseNode(podInfo(pod), cluster, { random: seededRandom(1), nominated: () => [], now: NOW });
}

const [a, b, full] = [aNode('a'), aNode('b'), aNode('full')];
const LAST = 'no other node takes it, though it is to avoid this one: web-0 died there (exit 1)';

describe('a pod that is to avoid nodes', () => {
  it.each<[string, readonly object[], readonly Node[], Choice | object]>([
    ['goes elsewhere', [entry('a')], [a, b], { kind: 'node', nodeName: 'b' }],
    ['goes where it may again', [entry('a', '2025-12-31T00:00:00Z')], [a], { kind: 'node', nodeName: 'a' }],
    ['takes it when nothing else is there', [entry('a')], [a], { kind: 'node', nodeName: 'a', avoided: LAST }],
    ['takes it when the rest is full', [entry('a')], [full, a], { kind: 'node', nodeName: 'a', avoided: LAST }],
    ['takes one of several', [entry('a'), entry('a')], [full, a], { kind: 'node', nodeName: 'a', avoided: LAST }],
    [
      'says of a node what keeps it away, not that it is avoided',
      [entry('full')],
      [full],
      { kind: 'unschedulable', message: '0/1 nodes are available: 1 Insufficient cpu.' },
    ],
  ])('%s', (_, avoid, nodes, expected) => expect(choose(avoid, nodes)).toMatchObject(expected));

  it('says nothing where it went freely', () =>
    expect(choose([entry('a')], [a, b])).toEqual({ kind: 'node', nodeName: 'b' }));

  it('goes where others made room for it', () => {
    expect(choose([entry('a')], [a, b], { nominatedNodeName: 'a' })).toEqual({ kind: 'node', nodeName: 'a' });
  });
});
