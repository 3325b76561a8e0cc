import { describe, expect, it } from 'vitest';
import {
  type AvoidedNode,
  HEALING_POLICY,
  HEALING_STATE,
  MOVE_REQUESTED_CONDITION,
  type Node,
  type Pod,
  type PodCondition,
} from '../../api/index.ts';
import { refusals } from '../../scheduler/index.ts';
import { otherNodes, type OtherNodesView, type Surroundings } from './other-nodes.ts';
import { type MovePlan, moveWishOf, planMove } from './plan-move.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const WISH = { id: 'd1', cause: 'container web exited with 1' };

function pod(policy: string | undefined, metadata: Pod['metadata'] = {}): Pod {
  const annotations = policy === undefined ? {} : { [HEALING_POLICY]: policy };
  return {
    metadata: {
      namespace: 'team',
      name: 'web-a',
      creationTimestamp: '2026-01-01T00:30:00Z',
      annotations: annotations as Record<string, string>,
      ...metadata,
    },
    spec: { nodeName: 'n1', containers: [{ name: 'web' }] },
  };
}

function node(name: string, spec: Node['spec'] = {}, ready = 'True'): Node {
  return { metadata: { name }, spec, status: { conditions: [{ type: 'Ready', status: ready }] } };
}

function moved(name: string, minute: number, who = 'web-x'): AvoidedNode {
  return { node: name, at: `2026-01-01T00:${minute}:00Z`, until: '2026-01-01T02:00:00Z', pod: who, cause: 'x' };
}

const POLICY = '{"rungs":[{"scope":"node","attempts":2,"window":"30m"}]}';
const ENTRY = {
  node: 'n1',
  at: '2026-01-01T01:00:00Z',
  until: '2026-01-01T01:30:00Z',
  pod: 'web-a',
  cause: 'container web exited with 1',
};
const among = (nodes: readonly Node[]): Surroundings => ({ nodes, pods: [], namespaces: [], claims: [], volumes: [] });

/** Undefined: there is one. */
function told(view: OtherNodesView): string | undefined {
  const found = otherNodes(view);
  if (found.kind === 'none') return found.message;
  return found.kind === 'crowded' ? 'crowded' : undefined;
}

const stop = (message: string): MovePlan => ({ kind: 'stop', message });

describe('a pod that wishes to leave', () => {
  it.each<[string, Pod, readonly AvoidedNode[], MovePlan]>([
    ['leaves', pod(POLICY), [], { kind: 'move', entry: ENTRY }],
    ['for the second time', pod(POLICY), [moved('n3', 10)], { kind: 'move', entry: ENTRY }],
    ['not for the third', pod(POLICY), [moved('n3', 20), moved('n1', 10)], stop('it was moved 2 of 2 times already')],
    [
      'counts what it came back to',
      pod(POLICY),
      [moved('n1', 20), moved('n1', 10)],
      stop('it was moved 2 of 2 times already'),
    ],
    [
      'does not count what is to be avoided by hand',
      pod(POLICY),
      [{ node: 'n3', until: '2027-01-01T00:00:00Z' }, moved('n3', 10)],
      { kind: 'move', entry: ENTRY },
    ],
    ['follows a neighbour', pod(POLICY), [moved('n1', 40), moved('n3', 10)], { kind: 'move' }],
    ['tries again what it was moved for', pod(POLICY), [moved('n1', 30, 'web-a'), moved('n3', 10)], { kind: 'move' }],
    ['of its own name, but an earlier one', pod(POLICY), [moved('n1', 29, 'web-a')], { kind: 'move', entry: ENTRY }],
    [
      'has nowhere to go',
      pod(POLICY),
      [moved('n2', 10)],
      stop('no other node takes it: 1 not ready, 1 to be avoided, since it died there, too'),
    ],
    ['may not by its policy', pod('{}'), [], stop('its healing policy has no rung "node"')],
    ['has no policy', pod(undefined), [], stop('its healing policy has no rung "node"')],
    ['has none that can be read', pod('{'), [], stop('its healing policy has no rung "node"')],
    [
      'is avoided for an hour where no window says otherwise',
      pod('rungs: [{scope: node}]'),
      [],
      { kind: 'move', entry: { ...ENTRY, until: '2026-01-01T02:00:00Z' } },
    ],
  ])('%s', (_, each, remembered, expected) => {
    const around = among([node('n1'), node('n2'), node('n3', {}, 'False')]);
    expect(planMove({ pod: each, wish: WISH, remembered, around, leaving: new Set(), now: NOW })).toEqual(expected);
  });

  it('has an end however high its attempts are', () => {
    const remembered = Array.from({ length: 16 }, () => moved('n1', 10));
    const each = pod('{"rungs":[{"scope":"node","attempts":100}]}');
    const around = among([node('n2')]);
    const plan = planMove({ pod: each, wish: WISH, remembered, around, leaving: new Set(), now: NOW });
    expect(plan).toEqual(stop('it was moved 16 of 16 times already'));
  });
});

describe('another node', () => {
  const taint = (key: string) => ({ taints: [{ key, effect: 'NoSchedule' }] });
  it.each<[string, readonly Node[], string | undefined]>([
    ['there is', [node('n1'), node('n2')], undefined],
    ['none but its own', [node('n1')], 'there is no other node'],
    [
      'cordoned',
      [node('n2', { unschedulable: true, ...taint('node.kubernetes.io/unschedulable') })],
      'no other node takes it: 1 cordoned',
    ],
    [
      'tainted',
      [node('n2', taint('gpu')), node('n3', taint('gpu'))],
      'no other node takes it: 2 with a taint that it does not tolerate',
    ],
    ['tainted as it tolerates', [node('n2', taint('db'))], undefined],
    ['lost', [node('n2', {}, 'Unknown')], 'no other node takes it: 1 not ready'],
    ['avoided', [node('bad')], 'no other node takes it: 1 to be avoided, since it died there, too'],
  ])('%s', (_, nodes, expected) => {
    const each = pod(undefined);
    each.spec = { containers: [], nodeName: 'n1', tolerations: [{ key: 'db', operator: 'Exists' }] };
    expect(told({ pod: each, avoided: new Set(['bad']), around: among(nodes), leaving: new Set() })).toBe(expected);
  });

  it('must be what the pod asks for', () => {
    const each = pod(undefined);
    each.spec = { containers: [], nodeName: 'n1', nodeSelector: { disk: 'ssd' } };
    expect(told({ pod: each, avoided: new Set(), around: among([node('n2')]), leaving: new Set() })).toBe(
      'no other node takes it: 1 not matching its node selector or affinity',
    );
  });
});

describe('room on another node', () => {
  const big = (name: string, memory: string, more: Partial<Pod> = {}): Pod => ({
    metadata: { namespace: 'team', name, uid: name, ...more.metadata },
    spec: { containers: [{ name: 'c', resources: { requests: { memory } } }], ...more.spec },
  });
  const on = (nodeName: string, each: Pod): Pod => ({ ...each, spec: { containers: [], ...each.spec, nodeName } });
  const sick = on('n1', big('sick', '600Mi'));
  const roomy = (name: string, spec: Node['spec'] = {}): Node => {
    const { metadata, status, ...rest } = node(name, spec);
    const labels = { 'kubernetes.io/hostname': name };
    return {
      ...rest,
      metadata: { ...metadata, labels },
      status: { ...status, allocatable: { memory: '1Gi', pods: '10' } },
    };
  };
  const nodes = [roomy('n1'), roomy('n2'), roomy('n3')];
  const apart = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
      ],
    },
  };
  const web = (name: string): Pod => big(name, '1Mi', { metadata: { labels: { app: 'web' } } });

  it.each<[string, Pod, readonly Pod[], string | undefined]>([
    ['there is', sick, [on('n2', big('a', '600Mi'))], undefined],
    [
      'there is not',
      sick,
      [on('n2', big('a', '600Mi')), on('n3', big('b', '600Mi'))],
      'no other node takes it: 2 Insufficient memory',
    ],
    ['what has ended takes none', sick, [{ ...on('n2', big('a', '1Gi')), status: { phase: 'Failed' } }], undefined],
    [
      'what it may push aside keeps it not away',
      { ...sick, spec: { containers: [], ...sick.spec, priority: 10 } },
      [on('n2', big('a', '600Mi')), on('n3', big('b', '600Mi'))],
      undefined,
    ],
    [
      'its like keeps it away',
      { ...on('n1', web('sick')), spec: { containers: [], nodeName: 'n1', affinity: apart } },
      [on('n2', web('a')), on('n3', web('b'))],
      "no other node takes it: 2 node(s) didn't match pod anti-affinity rules",
    ],
    [
      'one that goes leaves room: not now',
      sick,
      [
        on('n2', big('a', '600Mi', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })),
        on('n3', big('b', '1Gi')),
      ],
      'crowded',
    ],
    ['one that waits for a node takes it first', sick, [big('new', '600Mi'), on('n3', big('b', '1Gi'))], 'crowded'],
    [
      'its gate keeps that away',
      sick,
      [
        { ...big('new', '600Mi'), spec: { ...big('new', '600Mi').spec, schedulingGates: [{ name: 'g' }] } } as Pod,
        on('n3', big('b', '1Gi')),
      ],
      undefined,
    ],
    [
      'one that was moved a moment ago takes it first',
      sick,
      [on('n1', big('moved', '600Mi')), on('n3', big('b', '1Gi'))],
      'crowded',
    ],
    ['and leaves what it needs not', sick, [on('n1', big('moved', '600Mi'))], undefined],
  ])('%s', (_, each, pods, expected) => {
    const around = { ...among(nodes), pods: [each, ...pods] };
    expect(told({ pod: each, avoided: new Set(), around, leaving: new Set(['moved']), refusals })).toBe(expected);
  });

  it('a volume that is elsewhere is none', () => {
    const each = on('n1', big('sick', '1Mi'));
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    const withClaim: Pod = { ...each, spec: { containers: [], ...each.spec, volumes } };
    const claim = {
      metadata: { namespace: 'team', name: 'data' },
      spec: { volumeName: 'pv' },
      status: { phase: 'Bound' },
    };
    const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n1'] }] }];
    const volume = { metadata: { name: 'pv' }, spec: { nodeAffinity: { required: { nodeSelectorTerms: terms } } } };
    const around = { ...among(nodes), pods: [withClaim], claims: [claim], volumes: [volume] };
    expect(told({ pod: withClaim, avoided: new Set(), around, leaving: new Set(), refusals })).toBe(
      "no other node takes it: 2 node(s) didn't match PersistentVolume's node affinity",
    );
  });
});

describe('the wish', () => {
  const wishing = (metadata: Pod['metadata'] = {}, phase = 'Running', status = 'True'): Pod => {
    const condition: PodCondition = { type: MOVE_REQUESTED_CONDITION, status };
    const annotations = { [HEALING_STATE]: JSON.stringify({ move: { ...WISH, at: '2026-01-01T00:00:00Z' } }) };
    return {
      metadata: { annotations, ...metadata },
      spec: { nodeName: 'n1', containers: [] },
      status: { phase, conditions: [condition] },
    };
  };
  it.each<[string, Pod, boolean]>([
    ['stands', wishing(), true],
    ['not of what ended', wishing({}, 'Failed'), false],
    ['not of what goes', wishing({ deletionTimestamp: '2026-01-01T00:00:00Z' }), false],
    ['not any more', wishing({}, 'Running', 'False'), false],
    ['not before the agent has named it', wishing({ annotations: {} }), false],
  ])('%s', (_, each, expected) => expect(moveWishOf(each)?.id).toBe(expected ? 'd1' : undefined));
});
