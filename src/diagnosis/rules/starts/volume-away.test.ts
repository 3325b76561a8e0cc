/** Tests findings about volumes that are folders of a node which is lost, or whose folder or disk is. */
import { describe, expect, it } from 'vitest';
import { LOCAL_PROVISIONER, PROVISIONED_BY, VOLUME_SPACE_ANNOTATION } from '../../../api/index.ts';
import { diagnoseClaim } from '../../diagnose-claim.ts';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, event, evidence, NOW, pod } from '../../evidence.fixtures.ts';
import type { ClaimSubjectEvidence } from '../../evidence/object-evidence.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../evidence/kinds.ts';
import type { NodeEvidence } from '../../evidence/node-evidence.ts';
import type { ClaimEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, tellsEach, unscheduled } from '../cases/cases.fixtures.ts';

const volume: PersistentVolume = {
  metadata: { name: 'pvc-1', annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER } },
  spec: { local: { path: '/v/pvc-1/data' } },
};
const bound: PersistentVolumeClaim = {
  metadata: { name: 'data', creationTimestamp: ago(3600) },
  spec: { volumeName: 'pvc-1' },
  status: { phase: 'Bound' },
};
const home = (conditions: object[], annotations = {}): NodeEvidence => ({
  name: 'n2',
  node: { metadata: { name: 'n2', annotations }, status: { conditions } } as Node,
});
const claimOn = (node: NodeEvidence | undefined): ClaimEvidence => ({
  name: 'data',
  missing: false,
  claim: bound,
  volume,
  events: [],
  ...(node && { home: node }),
});
const READY = { type: 'Ready', status: 'True' };
const UNKNOWN = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
  lastTransitionTime: ago(300),
};
const silent = home([UNKNOWN]);
const gone: NodeEvidence = { name: 'n2', missing: true };
const lost = home([READY], { [VOLUME_SPACE_ANNOTATION]: '{"capacityBytes":1,"lost":["pvc-1"]}' });
const sick = home([
  READY,
  { type: 'VolumeDiskProblem', status: 'True', reason: 'VolumeDiskFailing', message: 'EIO: i/o error' },
]);

const pending = unscheduled(
  "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match PersistentVolume's node affinity.",
);
const terminating = {
  pod: pod({ spec: { nodeName: 'n2' }, metadata: { deletionTimestamp: ago(100), deletionGracePeriodSeconds: 30 } }),
  node: silent,
};

const cases: readonly Case[] = [
  [
    'a pod that waits for a silent node',
    { ...pending, claims: [claimOn(silent)] },
    'volume-node-lost',
    /^pod web-1 waits for node n2, which has not been heard of for 5m: the volume of its claim data is a folder on that node's disk, so no other node can run it$/,
    [/Unknown NodeStatusUnknown/, /\/v\/pvc-1\/data on node n2/],
  ],
  [
    'a pod that is being deleted there',
    { ...terminating, claims: [claimOn(silent)] },
    'volume-node-lost',
    /waits for node n2/,
  ],
  [
    'a pod that waits for a node that is gone',
    { ...pending, claims: [claimOn(gone)] },
    'volume-node-lost',
    /node n2, which does not exist any more/,
    [/node\/n2: not found/],
  ],
  [
    'a folder that is lost',
    { ...pending, claims: [claimOn(lost)] },
    'volume-folder-lost',
    /the data of pod web-1 is lost: node n2 does not have its folder any more/,
    [/lost: pvc-1/],
  ],
  [
    'a disk that fails',
    { ...pending, claims: [claimOn(sick)] },
    'volume-disk-problem',
    /disk of the volume of claim data of pod web-1 does not work: node n2 says of its disk: EIO/,
    [/VolumeDiskFailing/],
  ],
];

describe('a pod whose volume is away', () => {
  tellsEach(cases);

  it('is told how to wait, and how to give the volume up', () => {
    const [first] = diagnosePod(evidence({ ...pending, claims: [claimOn(silent)] })).findings;
    expect(first?.try).toEqual([
      'kubectl wait --for=condition=Ready node/n2 --timeout=24h  # wait: nothing else has to be done',
      'mendlet volumes give-up data  # give the data up: it stays on the disk of n2, and the claim gets a new, empty volume',
    ]);
  });

  it.each<[string, ClaimEvidence]>([
    ['a node that is heard', claimOn(home([READY]))],
    ['a node that may not be read', claimOn({ name: 'n2' })],
    ['a volume of another kind', { ...claimOn(silent), volume: { metadata: { name: 'nfs' }, spec: {} } }],
    ['an annotation that nobody can read', claimOn(home([READY], { [VOLUME_SPACE_ANNOTATION]: '{' }))],
  ])('says nothing of %s', (_, claim) => {
    const { findings } = diagnosePod(evidence({ claims: [claim] }));
    expect(findings).toEqual([]);
  });
});

describe('a claim', () => {
  const user: Pod = pod({ name: 'db-0' });
  const given = (claim: ClaimEvidence, pods: readonly Pod[] = [user]): ClaimSubjectEvidence => ({
    now: NOW,
    namespace: 'shop',
    claim,
    users: pods.map(({ metadata }) => metadata?.name ?? ''),
    notLookedAt: [],
    namespaceFlag: '-n shop',
  });
  const unbound = (events: ClaimEvidence['events']): ClaimEvidence => ({
    name: 'data',
    missing: false,
    claim: { ...bound, spec: { storageClassName: 'slow' }, status: { phase: 'Pending' } },
    events,
  });
  it.each<[string, ClaimSubjectEvidence, string, RegExp]>([
    [
      'of a silent node',
      given(claimOn(silent)),
      'volume-node-lost',
      /the volume of claim data is a folder on the disk of node n2, which has not been heard of for 5m: db-0 waits/,
    ],
    ['of a lost folder', given(claimOn(lost)), 'volume-folder-lost', /the data of claim data is lost/],
    ['of a bad disk', given(claimOn(sick)), 'volume-disk-problem', /n2 says of its disk: EIO/],
    [
      'whose volume is gone',
      given({ name: 'data', missing: false, claim: bound, volumeMissing: true, events: [] }),
      'claim-lost',
      /volume pvc-1 of claim data is gone/,
    ],
    [
      'that is being deleted',
      given({
        ...claimOn(home([READY])),
        claim: { ...bound, metadata: { ...bound.metadata, deletionTimestamp: ago(9) } },
      }),
      'claim-deleting',
      /is deleted as soon as the pod that uses it ends: db-0/,
    ],
    [
      'that nobody can make a volume for',
      given(unbound([event('ProvisioningFailed', 'access mode ReadWriteMany is not supported')])),
      'claim-pending',
      /claim data has had no volume for 60m: access mode ReadWriteMany/,
    ],
    ['that waits with a pod', given(unbound([])), 'claim-pending', /has had no volume/],
  ])('%s', (_, about, id, says) => {
    const { findings } = diagnoseClaim(about);
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    expect(findings[0]?.says).toMatch(says);
    expect(findings[0]?.evidence).not.toEqual([]);
  });
  it.each<[string, ClaimSubjectEvidence, string]>([
    ['that is bound', given(claimOn(home([READY]))), 'Bound to pvc-1, 1 pod uses it'],
  ])('%s is well', (_, about, state) => {
    expect(diagnoseClaim(about)).toMatchObject({ findings: [], state });
  });
  it('gets commands in its namespace', () => {
    expect(diagnoseClaim(given(claimOn(silent))).findings[0]?.try[1]).toContain('mendlet volumes give-up data -n shop');
  });
});
