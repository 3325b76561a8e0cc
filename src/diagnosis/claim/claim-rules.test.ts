/** Tables of claims that have no volume: what keeps one from them. */
import { describe, expect, it } from 'vitest';
import { diagnoseClaim } from '../diagnose-claim.ts';
import { ago, event, evidence, NOW, pod } from '../evidence.fixtures.ts';
import type { Event, PersistentVolume, Pod } from '../evidence/kinds.ts';
import type { ClaimSubjectEvidence } from '../evidence/object-evidence.ts';
import type { ClaimEvidence, PodEvidence } from '../evidence/pod-evidence.ts';

function claim(
  events: readonly Event[],
  given: { readonly spec?: object; readonly claim?: Partial<ClaimEvidence> } & Partial<
    Omit<ClaimSubjectEvidence, 'claim'>
  > = {},
): ClaimSubjectEvidence {
  const { spec, claim: more, ...rest } = given;
  return {
    now: NOW,
    namespace: 'shop',
    claim: {
      name: 'data',
      missing: false,
      claim: {
        metadata: { name: 'data', namespace: 'shop', uid: 'uid-data', creationTimestamp: ago(105) },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '5Gi' } },
          storageClassName: '',
          ...spec,
        },
        status: { phase: 'Pending' },
      },
      events,
      ...more,
    },
    users: ['web-1'],
    notLookedAt: [],
    namespaceFlag: '',
    ...rest,
  };
}

const unbound = event('FailedBinding', 'no persistent volumes available for this claim and no storage class is set');
const awaited = event('WaitForPodScheduled', 'waiting for pod web-1 to be scheduled');

const volume = (name: string, spec: object = {}, labels: Record<string, string> = {}, phase = 'Available') =>
  ({
    metadata: { name, labels },
    spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, ...spec },
    status: { phase },
  }) as PersistentVolume;

/** A pod that no node takes, with this message of the scheduler. */
function waiting(message: string | undefined, more: Partial<PodEvidence> = {}): PodEvidence {
  const given: Pod = {
    ...pod({
      spec: { nodeName: undefined },
    }),
    status: {
      phase: 'Pending',
      conditions:
        message === undefined ? [] : [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    },
  };
  return evidence({ pod: given, claims: [claim([]).claim], ...more });
}

const room = (bytes: number): object => ({ 'mendlet.dev/volume-space': JSON.stringify({ capacityBytes: bytes }) });

describe('a claim without a volume', () => {
  it.each<[string, ClaimSubjectEvidence, string]>([
    [
      'with a selector that no volume has, and one that nearly has it',
      claim([unbound], {
        spec: { selector: { matchLabels: { tier: 'archive' } } },
        claim: {
          volumes: [volume('other', { capacity: { storage: '1Gi' } }), volume('arch-01', {}, { tier: 'archives' })],
        },
      }),
      'claim data has had no volume for 105s: no volume fits (5Gi, ReadWriteOnce, selector tier=archive), and no StorageClass makes one; volume arch-01 would fit, but has tier=archives instead of tier=archive; 1 pod uses it: web-1',
    ],
    [
      'with an expression in its selector',
      claim([unbound], {
        spec: { selector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }] } },
        claim: { volumes: [volume('one')] },
      }),
      'claim data has had no volume for 105s: no volume fits (5Gi, ReadWriteOnce, selector tier in a|b), and no StorageClass makes one; volume one would fit, but has no label tier (wanted: tier in a|b); 1 pod uses it: web-1',
    ],
    [
      'larger than the volume that would fit',
      claim([unbound], { claim: { volumes: [volume('small', { capacity: { storage: '2Gi' } })] } }),
      'claim data has had no volume for 105s: no volume fits (5Gi, ReadWriteOnce), and no StorageClass makes one; volume small would fit, but has 2Gi only; 1 pod uses it: web-1',
    ],
    [
      'of another access mode',
      claim([unbound], { spec: { accessModes: ['ReadWriteMany'] }, claim: { volumes: [volume('one')] } }),
      'claim data has had no volume for 105s: no volume fits (5Gi, ReadWriteMany), and no StorageClass makes one; volume one would fit, but has ReadWriteOnce, and not ReadWriteMany; 1 pod uses it: web-1',
    ],
    [
      'of another class',
      claim([unbound], { claim: { volumes: [volume('one', { storageClassName: 'slow' })] } }),
      'claim data has had no volume for 105s: no volume fits (5Gi, ReadWriteOnce), and no StorageClass makes one; volume one would fit, but is of class slow, and the claim of none; 1 pod uses it: web-1',
    ],
    [
      'whose volume is still kept for a claim before it',
      claim([unbound], {
        claim: {
          volumes: [volume('kept', { claimRef: { namespace: 'shop', name: 'data', uid: 'old' } }, {}, 'Released')],
        },
      }),
      'claim data has had no volume for 105s: no volume fits (5Gi, ReadWriteOnce), and no StorageClass makes one; volume kept would fit, but is still kept for claim shop/data, which was deleted; 1 pod uses it: web-1',
    ],
    [
      'with volumes that lack more than one thing, or that others have',
      claim([unbound], {
        claim: {
          volumes: [
            volume('far', { capacity: { storage: '1Gi' }, accessModes: ['ReadOnlyMany'] }),
            volume('taken', { claimRef: { namespace: 'shop', name: 'other' } }, {}, 'Bound'),
          ],
        },
      }),
      'claim data has had no volume for 105s: no volume fits (5Gi, ReadWriteOnce), and no StorageClass makes one; 1 pod uses it: web-1',
    ],
    [
      'that names a volume which does not fit',
      claim([event('VolumeMismatch', 'Cannot bind')], {
        spec: { volumeName: 'pv-1' },
        claim: { volume: volume('pv-1', { capacity: { storage: '1Gi' } }) },
      }),
      'claim data has had no volume for 105s: volume pv-1, which it names, has 1Gi only, and the claim asks for 5Gi; 1 pod uses it: web-1',
    ],
    [
      'that names a volume which was kept for another claim, with a class of no StorageClass',
      claim([event('FailedBinding', 'volume "pv-1" already bound to a different claim.')], {
        spec: { volumeName: 'pv-1', storageClassName: 'manual' },
        classExists: false,
        claim: {
          volume: volume(
            'pv-1',
            { storageClassName: 'manual', claimRef: { namespace: 'shop', name: 'old', uid: 'o' } },
            {},
            'Released',
          ),
        },
      }),
      'claim data has had no volume for 105s: volume pv-1, which it names, is still kept for claim shop/old, which was deleted; 1 pod uses it: web-1',
    ],
    [
      'that names a volume which is not there',
      claim([], { spec: { volumeName: 'pv-1' }, claim: { volumeMissing: true } }),
      'claim data has had no volume for 105s: there is no volume pv-1, which it names; 1 pod uses it: web-1',
    ],
    [
      'of a class of no StorageClass, which volumes have',
      claim([event('ProvisioningFailed', 'storageclass.storage.k8s.io "manual" not found')], {
        spec: { storageClassName: 'manual' },
        classExists: false,
        claim: { volumes: [volume('small', { storageClassName: 'manual', capacity: { storage: '1Gi' } })] },
      }),
      'claim data has had no volume for 105s: no volume fits (5Gi, ReadWriteOnce, class manual), and no StorageClass makes one; volume small would fit, but has 1Gi only; 1 pod uses it: web-1',
    ],
    [
      'larger than the disk of any node',
      claim([awaited], {
        spec: { storageClassName: 'mendlet-local', resources: { requests: { storage: '5Ti' } } },
        classExists: true,
        waiting: waiting(
          '0/1 nodes are available: 1 node(s) did not have enough free storage. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
          {
            claims: [claim([], { spec: { resources: { requests: { storage: '5Ti' } } } }).claim],
            placement: { nodes: [{ metadata: { name: 'vm', annotations: room(226 * 1024 ** 3) } as object }] },
          },
        ),
      }),
      'claim data (5Ti) has had no volume for 105s: no node takes pod web-1: 1 node has no room for the 5Ti of its claim data (vm has 226Gi for all its volumes); 1 pod uses it: web-1',
    ],
    [
      'whose pod asks for too much',
      claim([awaited], { classExists: true, waiting: waiting('0/2 nodes are available: 2 Insufficient cpu.') }),
      'claim data (5Gi) has had no volume for 105s: no node takes pod web-1: 2 nodes have not enough cpu left; 1 pod uses it: web-1',
    ],
    [
      'whose pod waits for another claim of it',
      claim([awaited], {
        classExists: true,
        waiting: waiting('0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.', {
          claims: [claim([awaited]).claim, { ...claim([unbound]).claim, name: 'logs' }],
        }),
      }),
      'claim data (5Gi) has had no volume for 105s: pod web-1 cannot start: its claim logs has no volume yet: no volume fits (5Gi, ReadWriteOnce), and no StorageClass makes one; 1 pod uses it: web-1',
    ],
    [
      'whose pod no scheduler looks at',
      claim([awaited], { classExists: true, waiting: waiting(undefined) }),
      'claim data (5Gi) has had no volume for 105s: no scheduler looks at pod web-1: nothing in the cluster schedules for schedulerName default-scheduler; 1 pod uses it: web-1',
    ],
    [
      'whose pod is fixed to a node, so that no scheduler places it',
      claim([event('WaitForFirstConsumer', 'waiting for first consumer to be created before binding')], {
        classExists: true,
        waiting: evidence({ pod: { ...pod(), status: { phase: 'Pending' } }, claims: [claim([]).claim] }),
      }),
      'claim data (5Gi) has had no volume for 105s: its StorageClass makes one only for a node that a scheduler has chosen, and pod web-1 is fixed to node n1 (spec.nodeName); 1 pod uses it: web-1',
    ],
    [
      'of whose pods nothing is known',
      claim([awaited], { classExists: true, users: ['web-1', 'web-2'] }),
      'claim data (5Gi) has had no volume for 105s: the pods that use it have no node yet: web-1 and web-2',
    ],
  ])('%s', (_, given, says) => {
    const [first] = diagnoseClaim(given).findings;
    expect([first?.id, first?.severity, first?.says]).toEqual(['claim-pending', 'critical', says]);
  });

  it('quotes the scheduler, and asks about the pod', () => {
    const given = claim([awaited], {
      classExists: true,
      waiting: waiting('0/2 nodes are available: 2 Insufficient cpu.'),
    });
    const [first] = diagnoseClaim(given).findings;
    expect(JSON.stringify(first?.evidence)).toContain('2 Insufficient cpu');
    expect(first?.try[0]).toBe('mendlet why pod/web-1');
  });

  it.each<[string, object, PersistentVolume, string]>([
    [
      'labels',
      { selector: { matchLabels: { tier: 'archive' } } },
      volume('arch-01', {}, { tier: 'archives' }),
      'kubectl label pv arch-01 tier=archive --overwrite',
    ],
    [
      'its earlier claim',
      {},
      volume('kept', { claimRef: { namespace: 'shop', name: 'data', uid: 'old' } }, {}, 'Released'),
      `kubectl patch pv kept -p '{"spec":{"claimRef":null}}'  # it goes to the next claim that it fits, with the data on it`,
    ],
  ])('offers the command that frees the volume of %s', (_, spec, near, command) => {
    const [first] = diagnoseClaim(claim([unbound], { spec, claim: { volumes: [near] } })).findings;
    expect(first?.try[0]).toBe(command);
  });
});
