import { describe, expect, it } from 'vitest';
import type { Node, NodeCondition, Taint } from '../../api/index.ts';
import { lostConditions } from './lost-conditions.ts';
import { graceOf, hearLease, hearNode } from './node-health.ts';
import { type NoExecute, planTaints } from './node-taints.ts';
import { checkNodeLifecycle, DEFAULT_NODE_LIFECYCLE } from './settings.ts';

const NOW = '2026-01-01T00:00:00Z';
const OLD = '2025-01-01T00:00:00Z';
const ready = (status: string): NodeCondition => ({ type: 'Ready', status });
const taint = (key: string, effect = 'NoSchedule'): Taint => ({ key: `node.kubernetes.io/${key}`, effect });

describe('planTaints', () => {
  const text = (taints: readonly Taint[] | undefined): readonly string[] | undefined =>
    taints?.map(({ key, effect, timeAdded }) => {
      const short = key.replace('node.kubernetes.io/', '');
      return `${short}:${effect}${timeAdded === NOW ? ' now' : ''}`;
    });
  it.each<[string, NodeCondition[], Taint[], NoExecute, boolean, readonly string[] | undefined]>([
    ['well', [ready('True')], [], 'keep', false, undefined],
    ['well again', [ready('True')], [taint('unreachable'), taint('unreachable', 'NoExecute')], 'keep', false, []],
    ['not ready', [ready('False')], [], 'keep', false, ['not-ready:NoSchedule now']],
    ['unknown', [ready('Unknown')], [], 'keep', false, ['unreachable:NoSchedule now']],
    ['unknown, nothing new', [ready('Unknown')], [taint('unreachable')], 'keep', false, undefined],
    [
      'unknown, to be emptied',
      [ready('Unknown')],
      [taint('unreachable')],
      'give',
      false,
      ['unreachable:NoSchedule', 'unreachable:NoExecute now'],
    ],
    [
      'from not ready to unknown: both are swapped',
      [ready('Unknown')],
      [taint('not-ready'), taint('not-ready', 'NoExecute')],
      'keep',
      false,
      ['unreachable:NoSchedule now', 'unreachable:NoExecute now'],
    ],
    [
      'spared',
      [ready('Unknown')],
      [taint('unreachable'), taint('unreachable', 'NoExecute')],
      'clear',
      false,
      ['unreachable:NoSchedule'],
    ],
    [
      'pressure',
      [
        ready('True'),
        { type: 'MemoryPressure', status: 'True' },
        { type: 'DiskPressure', status: 'True' },
        { type: 'PIDPressure', status: 'True' },
        { type: 'NetworkUnavailable', status: 'True' },
      ],
      [],
      'keep',
      false,
      [
        'memory-pressure:NoSchedule now',
        'disk-pressure:NoSchedule now',
        'pid-pressure:NoSchedule now',
        'network-unavailable:NoSchedule now',
      ],
    ],
    [
      'no pressure known',
      [ready('True'), { type: 'DiskPressure', status: 'Unknown' }],
      [taint('disk-pressure')],
      'keep',
      false,
      [],
    ],
    ['cordoned', [ready('True')], [], 'keep', true, ['unschedulable:NoSchedule now']],
    ['cordoned already', [ready('True')], [taint('unschedulable')], 'keep', true, undefined],
    ['uncordoned', [ready('True')], [taint('unschedulable')], 'keep', false, []],
    ['said nothing yet', [], [taint('not-ready')], 'keep', false, undefined],
    ['said nothing yet, to be emptied', [], [], 'give', false, undefined],
    [
      'others’ taints stay',
      [ready('True')],
      [{ key: 'mine', effect: 'NoExecute' }, taint('disk-pressure', 'NoExecute'), taint('not-ready')],
      'clear',
      false,
      ['mine:NoExecute', 'disk-pressure:NoExecute'],
    ],
  ])('%s', (_, conditions, taints, noExecute, unschedulable, expected) => {
    const node: Node = { spec: { taints, ...(unschedulable && { unschedulable }) }, status: { conditions } };
    expect(text(planTaints(node, noExecute, NOW))).toEqual(expected);
  });
});

describe('lostConditions', () => {
  it('keeps what is known, but for the verdict', () => {
    const heartbeat = { lastHeartbeatTime: OLD, lastTransitionTime: OLD };
    const node: Node = {
      metadata: { creationTimestamp: OLD },
      status: {
        conditions: [
          { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'fine', ...heartbeat },
          { type: 'MemoryPressure', status: 'Unknown' },
          { type: 'NetworkUnavailable', status: 'False' },
        ],
      },
    };
    const said = lostConditions(node, NOW);
    expect(said.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual([
      'Ready NodeStatusUnknown Kubelet stopped posting node status.',
      'DiskPressure NodeStatusNeverUpdated Kubelet never posted node status.',
      'PIDPressure NodeStatusNeverUpdated Kubelet never posted node status.',
    ]);
    expect(said[0]).toMatchObject({ status: 'Unknown', lastHeartbeatTime: OLD, lastTransitionTime: NOW });
    expect(
      lostConditions({ status: { conditions: [...said, { type: 'MemoryPressure', status: 'Unknown' }] } }, NOW),
    ).toEqual([]);
  });
});

describe('node health', () => {
  const node = (uid: string, heartbeat?: string, reason = 'KubeletReady'): Node => ({
    metadata: { uid },
    status:
      heartbeat === undefined
        ? {}
        : { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: heartbeat, reason }] },
  });
  it('moves when the kubelet’s word changes, whatever its clock says', () => {
    const first = hearNode(undefined, node('u', NOW), 5);
    expect(first.heardAt).toBe(5);
    expect(hearNode(first, node('u', NOW), 9)).toBe(first);
    expect(hearNode(first, node('u', OLD), 9).heardAt).toBe(9);
    const leased = hearLease(first, { spec: { renewTime: NOW } }, 20);
    expect(leased.heardAt).toBe(20);
    expect(hearLease(leased, { spec: { renewTime: NOW } }, 30)).toBe(leased);
    expect(hearLease(leased, { spec: { renewTime: OLD } }, 30).heardAt).toBe(30);
  });
  it('takes our own verdict for no word, and another node of the name for a new one', () => {
    const silent = hearNode(undefined, node('u'), 5);
    expect(hearNode(silent, node('u', NOW, 'NodeStatusNeverUpdated'), 9)).toBe(silent);
    expect(hearNode(silent, node('v'), 9).heardAt).toBe(9);
  });
  it('has longer before its first word', () => {
    expect([graceOf(node('u'), DEFAULT_NODE_LIFECYCLE), graceOf(node('u', NOW), DEFAULT_NODE_LIFECYCLE)]).toEqual([
      60_000, 50_000,
    ]);
  });
});

describe('settings', () => {
  it('have upstream’s defaults, and are checked by their flags’ names', () => {
    expect(checkNodeLifecycle(DEFAULT_NODE_LIFECYCLE)).toEqual([]);
    const none = {
      nodeMonitorGracePeriodMs: Number.NaN,
      nodeStartupGracePeriodMs: 0,
      nodeEvictionRate: -1,
      secondaryNodeEvictionRate: -1,
      unhealthyZoneThreshold: 2,
      largeClusterSizeThreshold: -1,
    };
    expect(checkNodeLifecycle(none).map((line) => line.split(' ')[0])).toEqual([
      '--node-monitor-grace-period',
      '--node-startup-grace-period',
      '--node-eviction-rate',
      '--secondary-node-eviction-rate',
      '--unhealthy-zone-threshold',
      '--large-cluster-size-threshold',
    ]);
  });
});
