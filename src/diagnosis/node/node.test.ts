import { describe, expect, it } from 'vitest';
import { diagnoseNode } from '../diagnose-node.ts';
import { ago, crashed, event, evidence, NOW, pod } from '../evidence.fixtures.ts';
import type { NodeSubjectEvidence } from '../evidence/workload-evidence.ts';

interface Given {
  readonly ready?: object;
  readonly conditions?: readonly object[];
  readonly spec?: object;
  readonly leaseAge?: number;
  readonly events?: NodeSubjectEvidence['events'];
  readonly pods?: NodeSubjectEvidence['pods'];
}

function node({ ready, conditions = [], spec, leaseAge = 5, events = [], pods = [] }: Given = {}): NodeSubjectEvidence {
  const all = [
    { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
    { type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: ago(180), ...ready },
    ...conditions,
  ];
  return {
    now: NOW,
    node: {
      name: 'n1',
      renewedAt: NOW - leaseAge * 1000,
      leaseSeconds: 40,
      node: { metadata: { name: 'n1', creationTimestamp: ago(9999) }, spec, status: { conditions: all } } as never,
    },
    events,
    pods,
    looked: pods.map((one) => evidence({ pod: one })),
    notLookedAt: [],
  };
}

const unready = (message: string): Given => ({ ready: { status: 'False', reason: 'KubeletNotReady', message } });

describe('nodes', () => {
  it('is silent about a healthy one', () => {
    expect(diagnoseNode(node({ pods: [pod()] }))).toMatchObject({ state: 'Ready, 1 pod', findings: [] });
  });

  it.each<[string, Given, string, RegExp]>([
    [
      'silent',
      {
        ready: { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' },
        leaseAge: 200,
      },
      'node-lost',
      /has not been heard of for 3m/,
    ],
    ['runtime', unready('container runtime is down'), 'runtime-down', /its container runtime is down/],
    ['PLEG', unready('[PLEG is not healthy: pleg was last seen active 3m ago]'), 'pleg-unhealthy', /PLEG/],
    [
      'CNI',
      unready('container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady'),
      'network-not-ready',
      /network is not set up/,
    ],
    ['else', unready('something'), 'node-not-ready', /its agent says so/],
    ['lease', { leaseAge: 400 }, 'lease-late', /not been renewed for 6m40s/],
    [
      'disk',
      { conditions: [{ type: 'DiskPressure', status: 'True', reason: 'KubeletHasDiskPressure' }] },
      'node-pressure',
      /short of disk/,
    ],
    [
      'memory',
      { events: [event('SystemOOM', 'System OOM encountered, victim process: web, pid: 12')] },
      'system-oom',
      /run out of memory/,
    ],
    ['cordon', { spec: { unschedulable: true } }, 'cordoned', /takes no new pods/],
  ])('%s', (_, given, id, says) => {
    const { findings } = diagnoseNode(node(given));
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    expect(findings[0]?.says).toMatch(says);
    expect(findings[0]?.evidence.length).toBeGreaterThan(0);
  });

  it.each([
    [['Running', 'Pending'], 'Ready, 2 pods'],
    [['Running', 'Succeeded', 'Failed'], 'Ready, 3 pods (2 have ended)'],
    [['Failed'], 'Ready, 1 pod (1 has ended)'],
  ])('counts all pods that are listed, %j, as its findings do', (phases, state) => {
    const pods = phases.map((phase, n) => pod({ name: `web-${n}`, podStatus: { phase } }));
    expect(diagnoseNode(node({ pods })).state).toBe(state);
  });

  it('its own troubles come before those of its pods, which are told in short', () => {
    const pods = [1, 2].map((n) => pod({ name: `web-${n}`, status: crashed({ exitCode: 1 }) }));
    const { findings } = diagnoseNode(node({ spec: { unschedulable: true }, pods }));
    expect(findings).toMatchObject([
      { id: 'cordoned' },
      {
        id: 'exit-code',
        severity: 'warning',
        pods: ['shop/web-1', 'shop/web-2'],
        try: ['mendlet why pod/web-1 -n shop'],
      },
    ]);
    expect(findings[1]?.says).toBe('2 of 2 pods here: container web ends with exit code 1');
  });
});
