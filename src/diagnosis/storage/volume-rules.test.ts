import { describe, expect, it } from 'vitest';
import { diagnoseClaim } from '../diagnose-claim.ts';
import { diagnoseVolume } from '../diagnose-volume.ts';
import { ago, event, NOW, pod } from '../evidence.fixtures.ts';
import type { PersistentVolume } from '../evidence/kinds.ts';
import type { ClaimSubjectEvidence } from '../evidence/object-evidence.ts';
import type { StorageEvidence } from '../evidence/storage-evidence.ts';
import type { VolumeSubjectEvidence } from '../evidence/volume-evidence.ts';
import { quoteText } from '../quote-text.ts';
import type { Finding } from '../finding.ts';
import { attachmentOf, controller, DRIVER, driver, FINALIZER, node, registered, volume } from './storage.fixtures.ts';

const storage = (given: Partial<StorageEvidence> = {}): StorageEvidence => ({
  drivers: [driver()],
  attachments: [],
  nodes: [],
  ...given,
});
const NO_CONTROLLER = [driver([controller([], 0)])];

interface ClaimGiven extends Partial<ClaimSubjectEvidence> {
  readonly wanted?: string;
  readonly status?: object;
  readonly persistent?: PersistentVolume;
  readonly events?: readonly ReturnType<typeof event>[];
}

/** A claim with 1Gi that asks for 2Gi, and that pod db-0 has. */
function claim({
  wanted = '2Gi',
  status = {},
  persistent = volume(),
  events = [],
  ...given
}: ClaimGiven = {}): ClaimSubjectEvidence {
  return {
    now: NOW,
    namespace: 'shop',
    claim: {
      name: 'data',
      missing: false,
      claim: {
        metadata: { name: 'data', uid: 'uid-data', creationTimestamp: ago(3600) },
        spec: { volumeName: 'pv-1', resources: { requests: { storage: wanted } } },
        status: { phase: 'Bound', capacity: { storage: '1Gi' }, ...status },
      },
      volume: persistent,
      events,
    },
    users: ['db-0'],
    notLookedAt: [],
    namespaceFlag: '',
    ...given,
  };
}

const grown = volume({ spec: { capacity: { storage: '2Gi' } } });
const state = (text: string, conditions: readonly object[] = []) => ({
  allocatedResourceStatuses: { storage: text },
  allocatedResources: { storage: '2Gi' },
  conditions,
});
const condition = (type: string, message: string) => ({ type, status: 'True', message });

type Case = [
  what: string,
  given: ClaimGiven,
  severity: Finding['severity'],
  says: RegExp,
  quotes: RegExp,
  next?: RegExp,
];

const expansions: readonly Case[] = [
  [
    'that nobody expands, for the resizer is scaled away',
    {
      storage: storage({ drivers: NO_CONTROLLER }),
      events: [event('ExternalExpanding', 'waiting for an external controller')],
    },
    'warning',
    /it waits for the resizer of driver disk.example.com, which does not run: deployment disk\/ctl is scaled to 0/,
    /event ExternalExpanding/,
    /^mendlet why deployment\/ctl -n disk$/,
  ],
  [
    'that the resizer has not come to',
    { storage: storage() },
    'warning',
    /the resizer of driver disk.example.com runs, and has not made it larger yet/,
    /spec.resources.requests.storage: 2Gi/,
  ],
  ['of which nothing is known', {}, 'warning', /nobody has made it larger yet/, /status.capacity.storage: 1Gi/],
  [
    'that the storage refuses for now',
    { status: { conditions: [condition('ControllerResizeError', 'the pool is full')] }, storage: storage() },
    'warning',
    /its driver cannot make it larger, and tries again: the pool is full/,
    /ControllerResizeError\]: the pool is full/,
    /^kubectl logs -n disk ctl-1/,
  ],
  [
    'that an older resizer refuses with an event',
    { events: [event('VolumeResizeFailed', 'resize failed: quota')], storage: storage() },
    'warning',
    /tries again: resize failed: quota/,
    /event VolumeResizeFailed/,
  ],
  [
    'that the storage refuses for good',
    { status: state('ControllerResizeInfeasible', [condition('ControllerResizeError', 'at most 1Gi')]) },
    'warning',
    /its driver cannot make it that large, and nothing more is tried until the claim asks for another size: at most 1Gi/,
    /ControllerResizeInfeasible/,
    /^kubectl patch pvc\/data -p .*"storage":"SIZE".* {2}# a SIZE above 1Gi$/,
  ],
  [
    'that the driver works on',
    { status: state('ControllerResizeInProgress'), storage: storage() },
    'warning',
    /its driver is at work on it/,
    /ControllerResizeInProgress/,
  ],
  [
    'that the node refuses for good',
    { status: state('NodeResizeInfeasible', [condition('NodeResizeError', 'no such size')]), persistent: grown },
    'warning',
    /its node cannot make it that large, .*: no such size/,
    /NodeResizeInfeasible/,
    /^kubectl patch/,
  ],
  [
    'that the node fails to expand',
    { status: state('NodeResizePending', [condition('NodeResizeError', 'xfs_growfs failed')]), persistent: grown },
    'warning',
    /the node cannot make the file system as large: xfs_growfs failed/,
    /NodeResizeError\]: xfs_growfs failed/,
    /^mendlet why pod\/db-0$/,
  ],
  [
    'that waits for its next pod',
    { persistent: grown, users: [] },
    'info',
    /the node of the next pod that has it makes the file system as large/,
    /persistentvolume\/pv-1: spec.capacity.storage: 2Gi/,
  ],
  [
    'that waits for a driver that is not on the node',
    { persistent: grown, storage: storage({ nodes: [registered('n1', 'other')] }) },
    'warning',
    /driver disk.example.com, which is to make the file system as large, is not registered on node n1/,
    /csinode\/n1: driver disk.example.com is not registered/,
    /^mendlet why node\/n1$/,
  ],
  [
    'that the node comes to',
    { persistent: grown, storage: storage({ nodes: [registered('n1', DRIVER)] }) },
    'warning',
    /the node makes the file system as large within a minute/,
    /spec.capacity.storage: 2Gi/,
  ],
];

const textOf = (finding: Finding | undefined): string =>
  (finding?.evidence ?? []).map((quote) => quoteText(quote, NOW)).join('\n');

describe('a claim', () => {
  it.each<Case>([...expansions])('%s', (_, given, severity, says, quotes, next) => {
    const { findings } = diagnoseClaim(claim(given));
    expect(findings).toMatchObject([{ id: 'claim-resize', severity }]);
    expect(findings[0]?.says).toMatch(says);
    expect(textOf(findings[0])).toMatch(quotes);
    if (next !== undefined) expect(findings[0]?.try.some((each) => next.test(each))).toBe(true);
  });

  it.each<[string, ClaimGiven]>([
    ['with what it asks for', { wanted: '1Gi' }],
    ['with more than it asks for', { wanted: '512Mi' }],
    ['with as much in other words', { wanted: '1024Mi' }],
    [
      'whose attachment is well',
      { wanted: '1Gi', storage: storage({ attachments: [attachmentOf({ pods: [pod()] })] }) },
    ],
  ])('%s is well', (_, given) => {
    expect(diagnoseClaim(claim(given)).findings).toEqual([]);
  });

  it('whose volume is not detached is told', () => {
    const attachments = [
      attachmentOf({ metadata: { deletionTimestamp: ago(600) }, driver: NO_CONTROLLER[0] as never }),
    ];
    const { findings } = diagnoseClaim(claim({ wanted: '1Gi', storage: storage({ attachments }) }));
    expect(findings).toMatchObject([{ id: 'attacher-missing', severity: 'critical' }]);
  });
});

const about = (given: Partial<VolumeSubjectEvidence> = {}): VolumeSubjectEvidence => ({
  now: NOW,
  volume: volume(),
  events: [],
  notLookedAt: [],
  ...given,
});
const leaving = (finalizers: readonly string[], given: object = {}): PersistentVolume =>
  volume({ metadata: { deletionTimestamp: ago(60), finalizers: [...finalizers] }, ...given });
const released = (policy: string): PersistentVolume =>
  volume({ spec: { persistentVolumeReclaimPolicy: policy }, status: { phase: 'Released' } });

describe('a volume', () => {
  it.each<[string, Partial<VolumeSubjectEvidence>, string, Finding['severity'], RegExp]>([
    [
      'that is deleted while its claim has it',
      { volume: leaving(['kubernetes.io/pv-protection']), claim: claim({ wanted: '1Gi' }) },
      'volume-deleting',
      'warning',
      /is deleted once claim data in namespace shop does not have it any more/,
    ],
    [
      'that is deleted while it is attached',
      {
        volume: leaving([FINALIZER], { status: { phase: 'Released' } }),
        storage: storage({ attachments: [attachmentOf()] }),
      },
      'volume-deleting',
      'warning',
      /is deleted once it is detached: it is still at node n2/,
    ],
    [
      'that is deleted, without a provisioner',
      {
        volume: leaving(['external-provisioner.volume.kubernetes.io/finalizer'], { status: { phase: 'Released' } }),
        storage: storage({ drivers: NO_CONTROLLER }),
      },
      'volume-deleting',
      'critical',
      /does not go: it waits for the provisioner of driver disk.example.com, which does not run: .* scaled to 0/,
    ],
    [
      'that is deleted, with a finalizer of nobody',
      { volume: leaving(['other.example/hold'], { status: { phase: 'Released' } }) },
      'volume-deleting',
      'critical',
      /does not go: its finalizer other.example\/hold is still there/,
    ],
    [
      'that keeps its data',
      { volume: released('Retain') },
      'volume-released',
      'info',
      /keeps the data of claim shop\/data, which is gone/,
    ],
    [
      'whose provisioner does not run',
      { volume: released('Delete'), storage: storage({ drivers: NO_CONTROLLER }) },
      'volume-released',
      'critical',
      /is not deleted: it waits for the provisioner .* scaled to 0/,
    ],
    [
      'whose provisioner is refused',
      { volume: released('Delete'), storage: storage(), events: [event('VolumeFailedDelete', 'it has snapshots')] },
      'volume-released',
      'critical',
      /is not deleted: it has snapshots/,
    ],
    [
      'that is not detached',
      { storage: storage({ attachments: [attachmentOf({ node: node('n2', { ready: 'Unknown', inUse: true }) })] }) },
      'volume-held',
      'warning',
      /stays at node n2/,
    ],
    ['whose claim is too small', { claim: claim() }, 'claim-resize', 'warning', /claim data asks for 2Gi/],
  ])('%s', (_, given, id, severity, says) => {
    const { findings } = diagnoseVolume(about(given));
    expect(findings).toMatchObject([{ id, severity }]);
    expect(findings[0]?.says).toMatch(says);
    expect(textOf(findings[0])).not.toBe('');
  });

  it.each<[string, Partial<VolumeSubjectEvidence>]>([
    ['that is bound', { claim: claim({ wanted: '1Gi' }) }],
    ['that is available', { volume: volume({ status: { phase: 'Available' } }) }],
    ['that its provisioner deletes just now', { volume: released('Delete'), storage: storage() }],
    ['that is gone in a moment', { volume: leaving([]) }],
  ])('%s is well', (_, given) => {
    expect(diagnoseVolume(about(given)).findings).toEqual([]);
  });

  it('says where it is', () => {
    const attachments = [attachmentOf({ pods: [pod()] })];
    expect(diagnoseVolume(about({ storage: storage({ attachments }) })).state).toBe(
      'Bound to shop/data, 1Gi, ReadWriteOnce, served by disk.example.com, attached to n2',
    );
  });
});
