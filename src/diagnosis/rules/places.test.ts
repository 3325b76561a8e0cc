/** Tests findings about pods without a node, network or volumes, and about pods whose deletion is stuck. */
import { describe } from 'vitest';
import { NOW, ago, pod, waiting } from '../evidence.fixtures.ts';
import { type Case, tellsEach, unscheduled } from './cases.fixtures.ts';

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
    'pods that it does not go with',
    unscheduled("0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules."),
    'unschedulable',
    /1 node has pods that it does not go with$/,
  ],
  [
    'no pods that it goes with',
    unscheduled("0/2 nodes are available: 2 node(s) didn't match pod affinity rules."),
    'unschedulable',
    /2 nodes have none of the pods that it goes with$/,
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
    /one called mine/,
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
