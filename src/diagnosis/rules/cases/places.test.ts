/** Tests findings about pods without a node, network or volumes, and about pods whose deletion is stuck. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { NOW, ago, evidence, pod, waiting } from '../../evidence.fixtures.ts';
import type { Node, Pod } from '../../evidence/kinds.ts';
import type { ClaimEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, tellsEach, unscheduled } from './cases.fixtures.ts';

const apart = (topologyKey: string, matchLabels: object): object => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels } }],
  },
});
const onPort = (name: string, nodeName: string | undefined, port: object, metadata: object = {}): Pod =>
  pod({ name, metadata, spec: { nodeName }, container: { ports: [{ containerPort: 8443, ...port }] } });
const wantsPort: Pod = {
  ...onPort(
    'web-1',
    undefined,
    { hostPort: 8443 },
    { ownerReferences: [{ kind: 'ReplicaSet', name: 'rs', uid: 'rs', controller: true }] },
  ),
  status: unscheduled("0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports.").pod
    ?.status,
};
const index = {
  volumes: ['logs', 'index'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
};
const unmade = (name: string, storage: string): ClaimEvidence => ({
  name,
  missing: false,
  claim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    status: { phase: 'Pending' },
  },
  events: [],
});
const spacious = (name: string, space: string): Node => ({
  metadata: { name, annotations: { 'mendlet.dev/volume-space': space } },
});

const places: readonly Case[] = [
  [
    'cpu',
    unscheduled(
      '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
    ),
    'unschedulable',
    /3 nodes have not enough cpu left$/,
  ],
  [
    'more than any node has, for an init container',
    {
      ...unscheduled('0/2 nodes are available: 2 Insufficient cpu.', {
        initContainers: [{ name: 'reindex', image: 'a', resources: { requests: { cpu: '6' } } }],
      }),
      placement: {
        nodes: ['1', '2'].map((cpu) => ({ metadata: { name: `n${cpu}` }, status: { allocatable: { cpu } } })),
      },
    },
    'unschedulable',
    /: its init container reindex asks for 6 cpu, and the largest node \(n2\) has 2$/,
  ],
  [
    'what no node has',
    {
      ...unscheduled('0/1 nodes are available: 1 Insufficient nvidia.com/gpu.', {
        initContainers: [{ name: 'warm', image: 'a', resources: { requests: { 'nvidia.com/gpu': '1' } } }],
      }),
      placement: { nodes: [{ metadata: { name: 'n1' }, status: { allocatable: { cpu: '2' } } }] },
    },
    'unschedulable',
    /asks for 1 nvidia\.com\/gpu, and no node has any$/,
  ],
  [
    'several reasons',
    unscheduled(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector.",
      { nodeSelector: { disk: 'ssd' } },
    ),
    'unschedulable',
    /1 of 3 nodes have been cordoned and 2 of 3 nodes have not the labels that it asks for/,
    [/spec\.nodeSelector: {"disk":"ssd"}/],
  ],
  [
    'taint',
    unscheduled('0/1 nodes are available: 1 node(s) had untolerated taint {gpu: true}.'),
    'unschedulable',
    /a taint \(gpu: true\)/,
  ],
  [
    'taints',
    unscheduled('0/1 nodes are available: 1 node(s) had untolerated taint(s).'),
    'unschedulable',
    /a taint that it does not tolerate/,
  ],
  [
    'port',
    unscheduled("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."),
    'unschedulable',
    /a port taken/,
  ],
  [
    'pods from which it keeps away',
    unscheduled("0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules."),
    'unschedulable',
    /1 node has pods from which its anti-affinity keeps it away$/,
  ],
  [
    'its fellows, of which each node may have one',
    unscheduled("0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.", {
      affinity: apart('kubernetes.io/hostname', { app: 'web' }),
    }),
    'unschedulable',
    /^no node takes pod web-1: its anti-affinity lets one pod with app=web, itself or a fellow, run for each kubernetes\.io\/hostname, and there is 1 node$/,
    [/podAntiAffinity/],
  ],
  [
    'its fellows, of which there are more than nodes',
    {
      ...unscheduled("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.", {
        affinity: apart('kubernetes.io/hostname', { app: 'web' }),
      }),
      owners: [{ kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 3, selector: {}, template: {} } }],
    },
    'unschedulable',
    /and there are 2 nodes for its 3 replicas$/,
  ],
  [
    'its fellows in the zones of some of the nodes',
    unscheduled("0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match pod anti-affinity rules.", {
      affinity: apart('zone', { app: 'web' }),
    }),
    'unschedulable',
    /not enough cpu left and its anti-affinity lets one pod with app=web, itself or a fellow, run for each zone, and 2 of 3 nodes have it already$/,
  ],
  [
    'strangers from which it keeps away',
    unscheduled("0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.", {
      affinity: apart('kubernetes.io/hostname', { app: 'db' }),
    }),
    'unschedulable',
    /: 1 node has pods from which its anti-affinity keeps it away \(app=db, for each kubernetes\.io\/hostname\)$/,
  ],
  [
    'strangers that keep away from it',
    unscheduled("0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules."),
    'unschedulable',
    /: 1 node has pods whose anti-affinity keeps it away$/,
  ],
  [
    'a host port, and who has it',
    {
      ...unscheduled("0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports."),
      pod: wantsPort,
      placement: {
        pods: [
          wantsPort,
          onPort('edge', 'n1', { hostPort: 8443 }),
          onPort(
            'proxy',
            'n2',
            { hostPort: 8443 },
            { ownerReferences: [{ kind: 'ReplicaSet', name: 'rs', uid: 'rs', controller: true }] },
          ),
          onPort('dns', 'n1', { hostPort: 8443, protocol: 'UDP' }),
          onPort('later', undefined, { hostPort: 8443 }),
          onPort('other', 'n2', { hostPort: 9443 }),
        ],
      },
    },
    'unschedulable',
    /^no node takes pod web-1: 2 nodes have its host port 8443\/TCP taken, by pod shop\/edge on node n1 and pod shop\/proxy on node n2, a fellow of it$/,
    [/ports\[0\]\.hostPort: 8443/, /^pod\/shop\/edge: has 8443\/TCP of node n1$/m],
  ],
  [
    'a claim that one pod may use',
    {
      ...unscheduled(
        '0/1 nodes are available: 1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
        index,
      ),
      claims: [
        { name: 'logs', missing: false, claim: { spec: { accessModes: ['ReadWriteOnce'] } }, events: [] },
        { name: 'index', missing: false, claim: { spec: { accessModes: ['ReadWriteOncePod'] } }, events: [] },
      ],
      placement: { pods: [pod({ name: 'search-1', spec: index }), pod({ name: 'other' })] },
    },
    'unschedulable',
    /^no node takes pod web-1: only one pod may use its claim index \(ReadWriteOncePod\), and pod search-1 does$/,
    [/persistentvolumeclaim\/index: spec\.accessModes: .*ReadWriteOncePod/, /^pod\/search-1: uses claim index$/m],
  ],
  [
    'a claim that one pod may use, of which nothing could be read',
    unscheduled(
      '0/1 nodes are available: 1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.',
    ),
    'unschedulable',
    /: only one pod may use its claim \(ReadWriteOncePod\), and another does$/,
  ],
  [
    'room for its claim',
    {
      ...unscheduled('0/2 nodes are available: 2 node(s) did not have enough free storage.'),
      claims: [unmade('big', '5Ti')],
      placement: { nodes: [spacious('n1', '{'), spacious('n2', '{"capacityBytes":10737418240}')] },
    },
    'unschedulable',
    /: 2 nodes have no room for the 5Ti of its claim big \(n2 has 10Gi for all its volumes\)$/,
    [
      /persistentvolumeclaim\/big: spec\.resources\.requests\.storage: 5Ti/,
      /^node\/n2: metadata\.annotations\[mendlet\.dev\/volume-space\]: .*10737418240/m,
    ],
  ],
  [
    'a volume for its claim',
    {
      ...unscheduled("0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind."),
      claims: [unmade('disk', '1Gi')],
    },
    'unschedulable',
    /: 2 nodes have no free persistent volume for its claim disk \(1Gi, ReadWriteOnce\)$/,
  ],
  [
    'no pods that it goes with',
    unscheduled("0/2 nodes are available: 2 node(s) didn't match pod affinity rules."),
    'unschedulable',
    /2 nodes have none of the pods that its pod affinity asks for$/,
  ],
  [
    'spread by a label that no node has',
    unscheduled(
      "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).",
      { topologySpreadConstraints: [{ topologyKey: 'zone' }] },
    ),
    'unschedulable',
    /1 node has not the label by which its pods are spread: zone$/,
  ],
  ['no nodes', unscheduled('no nodes available to schedule pods'), 'unschedulable', /no nodes available/],
  [
    'unheard of',
    unscheduled('0/1 nodes are available: 1 node(s) did not please the plugin.'),
    'unschedulable',
    /did not please the plugin/,
  ],
  [
    'gates',
    {
      pod: {
        ...pod({ spec: { nodeName: undefined, schedulingGates: [{ name: 'example.com/quota' }] } }),
        status: {
          phase: 'Pending',
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
        },
      },
    },
    'scheduling-gated',
    /its scheduling gate example\.com\/quota/,
  ],
  [
    'no scheduler',
    { pod: { ...pod({ spec: { nodeName: undefined, schedulerName: 'mine' } }), status: { phase: 'Pending' } } },
    'no-scheduler',
    /^no scheduler looks at pod web-1: nothing in the cluster schedules for schedulerName mine$/,
  ],
  [
    'node lost',
    {
      node: {
        name: 'n1',
        renewedAt: NOW - 180_000,
        node: {
          metadata: { name: 'n1' },
          spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] },
          status: {
            conditions: [
              {
                type: 'Ready',
                status: 'Unknown',
                reason: 'NodeStatusUnknown',
                message: 'Kubelet stopped posting node status.',
                lastTransitionTime: ago(120),
              },
            ],
          },
        },
      },
      pod: pod({
        spec: {
          tolerations: [
            { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', operator: 'Exists', tolerationSeconds: 300 },
          ],
        },
      }),
    },
    'node-lost',
    /has not been heard of for 2m: .*; it leaves after 300s/,
    [/NodeStatusUnknown/, /renewTime: 3m ago/, /unreachable:NoExecute/],
  ],
  [
    'a node that never was',
    {
      pod: { ...pod(), status: { phase: 'Pending' } },
      node: { name: 'n1', missing: true },
    },
    'no-such-node',
    /^pod web-1 is fixed to node n1 \(spec\.nodeName\), and there is no such node$/,
    [/node\/n1: not found/, /spec\.nodeName: n1/],
  ],
  [
    'a node that never was, of a template',
    {
      node: { name: 'n1', missing: true },
      owners: [
        {
          kind: 'Deployment',
          metadata: { name: 'web' },
          spec: { selector: {}, template: { spec: { nodeName: 'n1', containers: [] } } },
        },
      ],
    },
    'no-such-node',
    /^pod web-1 is fixed to node n1 by the template of deployment\/web \(spec\.nodeName\), and there is no such node$/,
  ],
  ['node gone', { node: { name: 'n1', missing: true } }, 'node-gone', /does not exist any more/],
  [
    'evicted by pressure',
    {
      pod: pod({
        podStatus: {
          phase: 'Failed',
          reason: 'Evicted',
          message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 12Mi. ',
        },
      }),
    },
    'evicted',
    /node n1 was low on memory, and nothing replaces it/,
  ],
  [
    'preempted',
    {
      pod: pod({
        podStatus: {
          phase: 'Failed',
          conditions: [
            {
              type: 'DisruptionTarget',
              status: 'True',
              reason: 'PreemptionByScheduler',
              message: 'preempting to accommodate a higher priority pod',
            },
          ],
        },
      }),
    },
    'disrupted',
    /to make room for a pod of higher priority/,
  ],
  [
    'rejected',
    {
      pod: pod({
        podStatus: {
          phase: 'Failed',
          reason: 'OutOfcpu',
          message: "Pod was rejected: Node didn't have enough resource: cpu",
        },
      }),
    },
    'rejected',
    /refused pod web-1: OutOfcpu/,
  ],
  [
    'finalizer',
    {
      pod: pod({
        metadata: { deletionTimestamp: ago(120), finalizers: ['example.com/keep'] },
        status: { ready: false, state: { terminated: { exitCode: 0 } } },
      }),
    },
    'finalizers',
    /its finalizer example\.com\/keep is still there/,
  ],
  [
    'stuck',
    { pod: pod({ metadata: { deletionTimestamp: ago(120) } }) },
    'terminating-stuck',
    /gone 2m ago: web still runs/,
  ],
  [
    'stopped healing',
    {
      pod: pod({
        podStatus: {
          conditions: [
            {
              type: 'mendlet.dev/HealingStopped',
              status: 'True',
              reason: 'AttemptsExhausted',
              message: 'all rungs were tried',
            },
          ],
        },
      }),
    },
    'healing-stopped',
    /has stopped healing .*: all restarts of its ladder are used up, and nothing more/,
  ],
  [
    'not a policy',
    { pod: pod({ metadata: { annotations: { 'mendlet.dev/healing': '{"problem":"rungs[0]: unknown scope"}' } } }) },
    'healing-policy-invalid',
    /unknown scope/,
  ],
  [
    'nobody knows',
    { pod: pod({ status: waiting('ContainerCreating'), podStatus: { phase: 'Pending' } }) },
    'not-progressing',
    /nothing says why/,
  ],
];

describe('places', () => {
  tellsEach(places);
});

it.each<[string, object, number]>([
  ['that makes the new pod first', {}, 1],
  ['that ends the old pod first', { strategy: { type: 'Recreate' } }, 0],
  ['of several pods', { replicas: 2 }, 0],
])('a claim of one pod in a rollout %s: %j', (_, spec, count) => {
  const before = pod({ name: 'web-0', spec: index });
  const given = {
    ...unscheduled(
      '0/1 nodes are available: 1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.',
      index,
    ),
    owners: [{ kind: 'Deployment', metadata: { name: 'web' }, spec: { selector: {}, template: {}, ...spec } }],
    claims: [{ name: 'index', missing: false, claim: { spec: { accessModes: ['ReadWriteOncePod'] } }, events: [] }],
    siblings: [before],
    placement: { pods: [before] },
  };
  const next = diagnosePod(evidence(given)).findings[0]?.try ?? [];
  expect(next.filter((command) => command.includes('Recreate'))).toHaveLength(count);
  expect(next).toContain('mendlet why pod/web-0');
});
