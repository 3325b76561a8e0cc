import { describe, expect, it } from 'vitest';
import { diagnoseNode } from '../diagnose-node.ts';
import { ago, crashed, event, evidence, NOW, pod } from '../evidence.fixtures.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import { creating } from '../rules/cases/cases.fixtures.ts';
import { crashing, daemons, DRIVER, driver, driverPod, registered, volume } from '../storage/storage.fixtures.ts';
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

const waiting = (message: string, claims: PodEvidence['claims'] = []) =>
  evidence({
    ...creating([event('FailedMount', message)]),
    claims,
  });
const GONE = `MountVolume.SetUp failed for volume "pv-1" : driver name ${DRIVER} not found in the list of registered CSI drivers`;
const HANGS = 'MountVolume.MountDevice failed for volume "pv-1" : rpc error: code = DeadlineExceeded desc = x';
const claims = [{ name: 'data', missing: false, volume: volume(), events: [] }];
const onIt = driver([daemons([driverPod('node-1', 'n1')])]);

describe('drivers of a node', () => {
  it.each<[string, Partial<NodeSubjectEvidence>, string, RegExp]>([
    [
      'one whose pod is there, and that is not registered',
      { nodeDrivers: registered('n1', 'other'), drivers: [onIt] },
      'warning driver-not-registered',
      /CSI driver disk.example.com is not registered on node n1: its pod runs, and has not registered it$/,
    ],
    [
      'one whose pod crashes, and that a pod waits for',
      {
        nodeDrivers: { nodeName: 'n1', missing: true },
        drivers: [driver([daemons([crashing('node-1', 'n1')])])],
        looked: [waiting(GONE)],
      },
      'critical driver-not-registered',
      /pod disk\/node-1 crashes: .*; pod shop\/web-1 waits for it$/,
    ],
    [
      'one that the node refuses',
      {
        nodeDrivers: registered('n1'),
        drivers: [onIt],
        events: [event('CSIDriverNotRegistered', `Plugin at /r/${DRIVER}-reg.sock: driverNodeID must not be empty`)],
      },
      'warning driver-not-registered',
      /driverNodeID must not be empty/,
    ],
    [
      'a plugin that is refused',
      {
        nodeDrivers: registered('n1'),
        drivers: [],
        events: [event('CSIDriverNotRegistered', 'Plugin at /r/x.sock: no')],
      },
      'warning driver-not-registered',
      /node n1 cannot register a plugin: Plugin at \/r\/x.sock: no/,
    ],
    [
      'one that hangs',
      { nodeDrivers: registered('n1', DRIVER), drivers: [onIt], looked: [waiting(HANGS, claims)] },
      'critical driver-hangs',
      /CSI driver disk.example.com on node n1 does not answer; pod web-1 waits for it/,
    ],
  ])('%s', (_, given, id, says) => {
    const { findings } = diagnoseNode({ ...node(), ...given });
    const own = findings.find((each) => `${each.severity} ${each.id}` === id);
    expect(own?.says).toMatch(says);
    expect(own?.evidence.length).toBeGreaterThan(0);
  });

  it.each<[string, Partial<NodeSubjectEvidence>]>([
    ['is registered', { nodeDrivers: registered('n1', DRIVER), drivers: [onIt] }],
    ['has no pod here, and nobody waits for it', { nodeDrivers: registered('n1'), drivers: [driver([daemons([])])] }],
    ['could not be asked for', { nodeDrivers: { nodeName: 'n1' }, drivers: [onIt] }],
    [
      'was refused before it was registered',
      {
        nodeDrivers: registered('n1', DRIVER),
        drivers: [onIt],
        events: [event('CSIDriverNotRegistered', `Plugin at /r/${DRIVER}-reg.sock: no`)],
      },
    ],
    [
      'started a moment ago',
      {
        nodeDrivers: registered('n1'),
        drivers: [driver([daemons([pod({ name: 'node-1', metadata: { creationTimestamp: ago(3) } })])])],
      },
    ],
  ])('one that %s is no finding', (_, given) => {
    expect(diagnoseNode({ ...node(), ...given }).findings).toEqual([]);
  });

  it('are named', () => {
    expect(diagnoseNode({ ...node(), nodeDrivers: registered('n1', 'a', 'b') }).state).toBe(
      'Ready, 0 pods, CSI drivers a and b',
    );
  });
});

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
