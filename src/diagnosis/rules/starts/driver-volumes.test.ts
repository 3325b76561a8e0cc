import { describe, expect, it } from 'vitest';
import { HEALING_POLICY, VOLUME_PROBLEM } from '../../../api/index.ts';
import { diagnoseClaim } from '../../diagnose-claim.ts';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, event, evidence, NOW, pod } from '../../evidence.fixtures.ts';
import type { Event, Pod } from '../../evidence/kinds.ts';
import type { StorageEvidence } from '../../evidence/storage-evidence.ts';
import {
  type AttachmentGiven,
  attachmentOf,
  controller,
  crashing,
  daemons,
  driver,
  driverPod,
  node,
  type NodeGiven,
  volume,
} from '../../storage/storage.fixtures.ts';
import type { ClaimSubjectEvidence } from '../../evidence/object-evidence.ts';
import { type Case, creating, tellsEach } from '../cases/cases.fixtures.ts';

const GONE = 'driver name disk.example.com not found in the list of registered CSI drivers';
const told = (status: string, reason: string, message: string) => ({
  pod: pod({ podStatus: { conditions: [{ type: VOLUME_PROBLEM, status, reason, message }] } }),
});
const ending = (message: string) => ({
  pod: pod({ metadata: { deletionTimestamp: ago(200), deletionGracePeriodSeconds: 1 } }),
  events: [event('FailedUnMount', message)],
});

const cases: readonly Case[] = [
  [
    'a volume whose mount vanished',
    told('True', 'MountLost', 'volume data: nothing is mounted at /k/mount any more'),
    'volume-problem',
    /a volume of pod web-1 does not work: volume data: nothing is mounted/,
  ],
  [
    'a volume of which its driver warns',
    told('True', 'Abnormal', 'volume data: password=hunter2 is wrong'),
    'volume-problem',
    /the driver of a volume of pod web-1 warns: volume data: password=\*\*\*/,
  ],
  [
    'a start without its driver',
    creating([event('FailedMount', `MountVolume.SetUp failed for volume "data" : ${GONE}`)]),
    'driver-not-registered',
    /cannot start: its volume waits for CSI driver disk.example.com, which is not registered on node n1/,
  ],
  [
    'an end without its driver',
    ending(`UnmountVolume.TearDown failed for volume "data" : ${GONE}`),
    'driver-not-registered',
    /cannot end: its volume waits for CSI driver disk.example.com/,
  ],
  [
    'an end with a busy volume',
    ending('UnmountVolume.TearDown failed for volume "data" : umount failed: umount: /k/p/mount: target is busy.'),
    'volume-unmount',
    /volume data cannot be unmounted, since a process on its node still uses it/,
  ],
  [
    'an end with a driver that hangs',
    ending('UnmountVolume.TearDown failed for volume "data" : context deadline exceeded'),
    'volume-unmount',
    /its driver or server does not answer/,
  ],
];

const served = (given: Partial<StorageEvidence> = {}): StorageEvidence => ({
  drivers: [driver([daemons([])])],
  attachments: [],
  nodes: [],
  ...given,
});
const onNode = (given: NodeGiven = {}) => ({ node: node('n1', given) });
const without = (storage: Partial<StorageEvidence>, given: NodeGiven = {}) => ({
  ...creating([event('FailedMount', `MountVolume.SetUp failed for volume "data" : ${GONE}`)]),
  ...onNode(given),
  storage: served(storage),
});
const claims = [{ name: 'data', missing: false, volume: volume(), events: [] }];
const hangs = (storage: Partial<StorageEvidence>) => ({
  ...creating([
    event(
      'FailedMount',
      'MountVolume.MountDevice failed for volume "pv-1" : rpc error: code = DeadlineExceeded desc = x',
    ),
  ]),
  claims,
  storage: served(storage),
});
const blocked = (given: AttachmentGiven) => ({
  ...creating([
    event('FailedAttachVolume', 'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) db-0'),
  ]),
  claims,
  storage: served({ attachments: [attachmentOf(given)] }),
});
const holder = (metadata: object = {}) => pod({ name: 'db-0', spec: { nodeName: 'n2' }, metadata });
const withPolicy = (text: string, events: readonly Event[] = []) => ({
  pod: pod({
    metadata: { annotations: { [HEALING_POLICY]: text } },
    podStatus: { conditions: [{ type: VOLUME_PROBLEM, status: 'True', reason: 'Stale', message: 'volume data' }] },
  }),
  events,
});
const busyAt = (...nodePods: readonly Pod[]) => ({
  ...ending('UnmountVolume.TearDown failed for volume "data" : umount: /k/pods/u/mount: target is busy.'),
  storage: served({ nodePods }),
});
const looking = (name: string, path: string, metadata: object = {}) =>
  pod({
    name,
    spec: { volumes: [{ name: 'host', hostPath: { path } }] },
    metadata: { uid: `uid-${name}`, ...metadata },
  });

const stuckStorage: readonly Case[] = [
  [
    'a start on a node that the DaemonSet leaves out by its selector',
    without({ drivers: [driver([daemons([], { nodeSelector: { disk: 'ssd' } })])] }),
    'driver-not-registered',
    /daemonset disk\/node has no pod on node n1, whose labels its node selector or affinity does not match/,
    [/daemonset disk\/node: no pod on node n1/],
  ],
  [
    'a start on a node whose taint the DaemonSet does not tolerate',
    without({}, { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
    'driver-not-registered',
    /whose taint gpu:NoSchedule it does not tolerate/,
  ],
  [
    'a start where the driver crashes',
    without({ drivers: [driver([daemons([crashing('node-1', 'n1')])])] }),
    'driver-not-registered',
    /pod disk\/node-1 crashes: container csi-attacher ended with exit code 2/,
  ],
  [
    'a start where the driver runs and its registrar does not',
    without({ drivers: [driver([daemons([driverPod('node-1', 'n1')])])] }),
    'driver-not-registered',
    /which is not registered on node n1$/,
  ],
  [
    'a start with a driver that nobody has installed',
    without({ drivers: [driver([])] }),
    'driver-not-registered',
    /nothing in the cluster looks like the node of the driver/,
  ],
  [
    'a start with a driver that hangs',
    hangs({ drivers: [driver([daemons([driverPod('node-1', 'n1')])])] }),
    'driver-hangs',
    /cannot start: CSI driver disk.example.com on node n1 does not answer for volume pv-1$/,
    [/DeadlineExceeded/],
  ],
  [
    'a start with a driver that hangs, for it crashes',
    hangs({ drivers: [driver([daemons([crashing('node-1', 'n1')])])] }),
    'driver-hangs',
    /does not answer for volume pv-1, and pod disk\/node-1 crashes/,
  ],
  [
    'a volume that a pod elsewhere has',
    blocked({ pods: [holder()] }),
    'volume-multi-attach',
    /waits for volume pv-1, which node n2 has: pod db-0 runs there, and the volume is free once that pod is gone/,
    [/pod\/db-0: Running on node n2/, /event FailedAttachVolume/],
  ],
  [
    'a volume that a pod elsewhere has until it has ended',
    blocked({ pods: [holder({ deletionTimestamp: ago(5) })] }),
    'volume-multi-attach',
    /pod db-0 there is ending, and the volume is free once that pod is gone/,
    [/being deleted/],
  ],
  [
    'a volume that a lost node has',
    blocked({ pods: [holder()], node: node('n2', { ready: 'Unknown', inUse: true }) }),
    'volume-multi-attach',
    /which node n2 has: volume pv-1 stays at node n2, which has not been heard of for 3m: pod db-0 there may still write to it/,
  ],
  [
    'a volume that leaves a node by itself',
    blocked({}),
    'volume-multi-attach',
    /no pod there needs it any more, and it is on its way off that node/,
  ],
  [
    'a volume that does not leave its node for want of an attacher',
    blocked({ metadata: { deletionTimestamp: ago(600) }, driver: driver([controller([], 0)]) }),
    'attacher-missing',
    /which node n2 has: volume pv-1 waits to be detached from node n2 by the attacher/,
  ],
  [
    'a volume that its own node does not get for want of an attacher',
    {
      ...creating([]),
      claims,
      storage: served({
        attachments: [
          attachmentOf({ nodeName: 'n1', status: { attached: false }, driver: driver([controller([], 0)]) }),
        ],
      }),
    },
    'attacher-missing',
    /pod web-1 waits for a volume: volume pv-1 waits to be attached to node n1 by the attacher/,
  ],
  [
    'a dead volume, with a policy for it',
    withPolicy('{"volumes":{"restartPodOn":["Stale"]}}'),
    'volume-problem',
    /; its healing policy restarts the pod with the volume mounted anew$/,
    [/restartPodOn: Stale/],
  ],
  [
    'a dead volume, with a policy that is spent',
    withPolicy('{"volumes":{"restartPodOn":["Stale"]}}', [event('VolumeNotHealed', 'no further restart')]),
    'volume-problem',
    /; its healing policy allows no further restart$/,
    [/event VolumeNotHealed/],
  ],
  [
    'a dead volume, with a policy for others',
    withPolicy('{"volumes":{"restartPodOn":["MountLost"]}}'),
    'volume-problem',
    /; its healing policy does not restart the pod for that$/,
    [/restartPodOn: MountLost/],
  ],
  [
    'a dead volume, with a policy that cannot be read',
    withPolicy('{"volumes":'),
    'volume-problem',
    /; its healing policy does not restart the pod for that$/,
  ],
  [
    'an end with a volume that a pod beside sees',
    busyAt(looking('backup', '/k'), looking('logs', '/var/log')),
    'volume-unmount',
    /still uses it; pod shop\/backup there sees that folder, too$/,
    [/pod\/backup \(shop\): hostPath \/k/],
  ],
];

describe('a pod with a volume of a driver', () => {
  tellsEach(stuckStorage);

  it.each<[string, readonly Pod[]]>([
    ['names begin alike', [looking('near', '/k/po')]],
    ['has ended', [{ ...looking('over', '/k'), status: { phase: 'Succeeded' } }]],
    ['is the pod itself', [looking('web-1', '/k')]],
  ])('names no pod beside it that %s', (_, pods) => {
    const [first] = diagnosePod(evidence(busyAt(...pods))).findings;
    expect(first?.says).toMatch(/still uses it$/);
  });

  it('does not name its driver among those that keep it busy', () => {
    const own = looking('node-1', '/k');
    const given = { ...busyAt(own), storage: served({ nodePods: [own], drivers: [driver([daemons([own])])] }) };
    expect(diagnosePod(evidence(given)).findings[0]?.says).toMatch(/still uses it$/);
  });

  it('that its own node has is not said to be elsewhere', () => {
    const given = blocked({ nodeName: 'n1', pods: [holder()] });
    expect(diagnosePod(evidence(given)).findings).toMatchObject([
      {
        id: 'volume-multi-attach',
        says: expect.stringMatching(/^pod web-1 waits for a volume: another node still has it: Multi-Attach error/),
      },
    ]);
  });

  it('whose call took long, and which no driver serves, is a mount that fails', () => {
    const { findings } = diagnosePod(evidence({ ...hangs({}), claims: [] }));
    expect(findings.map(({ id }) => id)).toEqual(['volume-mount']);
  });

  tellsEach(cases);

  it('gets the commands that name who holds a busy volume', () => {
    const [first] = diagnosePod(evidence(ending('umount: /k/p/mount: target is busy'))).findings;
    expect(first?.try.slice(0, 2)).toEqual(['fuser -vm /k/p/mount', 'grep -l /k/p/mount /proc/*/mountinfo']);
  });

  it.each([
    ['that works again', told('False', 'VolumesWork', '')],
    ['that runs, with the trouble of its start', { events: [event('FailedMount', GONE)] }],
  ])('%s is well', (_, given) => {
    expect(diagnosePod(evidence(given)).findings).toEqual([]);
  });
});

describe('a claim', () => {
  const about = (events: readonly Event[], claim: object = {}): ClaimSubjectEvidence => ({
    now: NOW,
    namespace: 'shop',
    claim: {
      name: 'data',
      missing: false,
      claim: { metadata: { name: 'data', creationTimestamp: ago(3600) }, status: { phase: 'Bound' }, ...claim },
      events,
    },
    users: ['db-0'],
    notLookedAt: [],
    namespaceFlag: '-n shop',
  });
  const at = (reason: string, seconds: number): Event => ({
    ...event(reason, 'Volume of pod db-0: gone'),
    lastTimestamp: ago(seconds),
  });

  it('whose volume does not work is told', () => {
    const { findings } = diagnoseClaim(about([at('VolumeWorks', 90), at('VolumeStale', 30)]));
    expect(findings).toMatchObject([{ id: 'volume-problem', try: ['mendlet why pod/db-0 -n shop'] }]);
  });
  it('whose volume works again is well', () => {
    expect(diagnoseClaim(about([at('VolumeStale', 90), at('VolumeWorks', 30)])).findings).toEqual([]);
  });
  it('that waits for an external provisioner names it', () => {
    const annotations = { 'volume.kubernetes.io/storage-provisioner': 'disk.example.com' };
    const pending = {
      metadata: { name: 'data', creationTimestamp: ago(3600), annotations },
      status: { phase: 'Pending' },
    };
    const [first] = diagnoseClaim(about([event('ExternalProvisioning', 'waiting')], pending)).findings;
    expect(first?.says).toContain('its provisioner disk.example.com has not made one');
  });
});
