import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../defaulting/defaults.ts';
import { printFieldError } from '../field-error.ts';
import type { KubeObject, Resource } from '../resource.ts';
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
} from '../resources.ts';
import { validateCreate, validateUpdate } from './validate.ts';

type Json = Readonly<Record<string, unknown>>;

const TEMPLATE = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'busybox', terminationMessagePolicy: 'File' }] },
};
const WORKLOAD = { selector: { matchLabels: { app: 'web' } }, template: TEMPLATE };
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const VOLUME = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' } };

function make(row: Resource<KubeObject>, content: Json, name = 'web'): KubeObject {
  const metadata = { name, resourceVersion: '1', ...(row.namespaced ? { namespace: 'default' } : {}) };
  return applyDefaults(row, { metadata, ...content }) as KubeObject;
}

function created(row: Resource<KubeObject>, content: Json, name?: string): string[] {
  return validateCreate(row, make(row, content, name)).map(printFieldError);
}

function changed(row: Resource<KubeObject>, from: Json, to: Json, part = ''): string[] {
  return validateUpdate(row, make(row, to), make(row, from), part).map(printFieldError);
}

function set(more: Json = {}): Json {
  return { spec: { ...WORKLOAD, ...more } };
}

describe('StatefulSet', () => {
  it('has the defaults of upstream', () => {
    const { spec } = make(
      STATEFUL_SETS,
      set({ volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: CLAIM }] }),
    ) as {
      spec?: Json;
    };
    expect(spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          spec: { volumeMode: 'Filesystem' },
          status: { phase: 'Pending' },
        },
      ],
    });
  });

  it.each<[string, Json, string[]]>([
    ['good', set(), []],
    ['with a service', set({ serviceName: 'web' }), []],
    [
      'a service of no good name',
      set({ serviceName: 'a.b' }),
      ['spec.serviceName: Invalid value: "a.b": must not contain dots'],
    ],
    ['no selector', set({ selector: undefined }), ['spec.selector: Required value']],
    [
      'an empty selector',
      set({ selector: {} }),
      ['spec.selector: Invalid value: {}: empty selector is invalid for statefulset'],
    ],
    [
      'a selector for others',
      set({ selector: { matchLabels: { app: 'other' } } }),
      ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    ],
    [
      'fewer than none',
      set({ replicas: -1 }),
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'an order unknown',
      set({ podManagementPolicy: 'Any' }),
      ["spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel'"],
    ],
    [
      'settings of another strategy',
      set({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } }),
      [
        'spec.updateStrategy.rollingUpdate: Invalid value: {"partition":1}: only allowed for updateStrategy \'RollingUpdate\'',
      ],
    ],
    [
      'a negative partition and no room',
      set({ updateStrategy: { rollingUpdate: { partition: -1, maxUnavailable: 0 } } }),
      [
        'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0',
        'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0',
      ],
    ],
    [
      'more than all',
      set({ updateStrategy: { rollingUpdate: { maxUnavailable: '200%' } } }),
      ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "200%": must not be greater than 100%'],
    ],
    [
      'an end of its own',
      set({ template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never', activeDeadlineSeconds: 5 } } }),
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
      ],
    ],
    [
      'a retention unknown',
      set({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Keep' } }),
      [
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Keep": supported values: "Delete", "Retain"',
      ],
    ],
    [
      'mounts of what it claims',
      set({
        template: {
          ...TEMPLATE,
          spec: { containers: [{ name: 'c', image: 'x', volumeMounts: [{ name: 'data', mountPath: '/d' }] }] },
        },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: CLAIM }],
      }),
      [],
    ],
    [
      'a claim for nothing',
      set({ volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] }),
      [
        'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required',
        'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
      ],
    ],
  ])('%s', (_, content, errors) => {
    expect(created(STATEFUL_SETS, content)).toEqual(errors);
  });

  it('must have a name that its pods can have', () => {
    expect(created(STATEFUL_SETS, set(), 'a.b')).toEqual([
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ]);
  });

  it('changes only what upstream lets change', () => {
    const free = set({
      replicas: 3,
      ordinals: { start: 2 },
      minReadySeconds: 4,
      revisionHistoryLimit: 2,
      updateStrategy: { type: 'OnDelete' },
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' },
      template: { ...TEMPLATE, spec: { containers: [{ name: 'c', image: 'other' }] } },
    });
    expect(changed(STATEFUL_SETS, set(), free)).toEqual([]);
    const forbidden =
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    const claim = {
      metadata: { name: 'd' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    for (const more of [{ serviceName: 'x' }, { podManagementPolicy: 'Parallel' }, { volumeClaimTemplates: [claim] }])
      expect(changed(STATEFUL_SETS, set(), set(more))).toEqual([forbidden]);
    // A list of nothing is no list.
    expect(changed(STATEFUL_SETS, set(), set({ volumeClaimTemplates: [] }))).toEqual([]);
  });

  it('has a status that adds up', () => {
    const status = { replicas: 1, readyReplicas: 2, availableReplicas: -1 };
    expect(changed(STATEFUL_SETS, set(), { ...set(), status }, 'status')).toEqual([
      'status.availableReplicas: Invalid value: -1: must be greater than or equal to 0',
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ]);
  });
});

describe('DaemonSet', () => {
  it('has the defaults of upstream', () => {
    expect(make(DAEMON_SETS, set())).toMatchObject({
      spec: {
        revisionHistoryLimit: 10,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      },
    });
  });

  const rolling = (rollingUpdate: Json): Json => set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });

  it.each<[string, Json, string[]]>([
    ['good', set(), []],
    ['on delete', set({ updateStrategy: { type: 'OnDelete' } }), []],
    [
      'both ways at once',
      rolling({ maxSurge: 1 }),
      ['spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero'],
    ],
    [
      'no way',
      rolling({ maxUnavailable: 0 }),
      ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
    ],
    ['surge alone', rolling({ maxUnavailable: 0, maxSurge: '10%' }), []],
    [
      'no such strategy',
      set({ updateStrategy: { type: 'Recreate' } }),
      ['spec.updateStrategy: Unsupported value: "Recreate": supported values: "RollingUpdate", "OnDelete"'],
    ],
    [
      'an empty selector',
      set({ selector: {} }),
      ['spec.selector: Invalid value: {}: empty selector is invalid for daemonset'],
    ],
  ])('%s', (_, content, errors) => {
    expect(created(DAEMON_SETS, content)).toEqual(errors);
  });

  it('keeps its selector', () => {
    const more = { matchLabels: { app: 'web', tier: 'x' } };
    const template = { ...TEMPLATE, metadata: { labels: more.matchLabels } };
    expect(changed(DAEMON_SETS, set(), set({ selector: more, template }))).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"x"}}: field is immutable',
    ]);
  });
});

describe('ControllerRevision', () => {
  it('keeps what it recorded', () => {
    expect(created(CONTROLLER_REVISIONS, { data: { a: 1 }, revision: 1 })).toEqual([]);
    expect(created(CONTROLLER_REVISIONS, { revision: -1 })).toEqual([
      'data: Required value: data is mandatory',
      'revision: Invalid value: -1: must be greater than or equal to 0',
    ]);
    const old = { data: { a: 1 }, revision: 1 };
    expect(changed(CONTROLLER_REVISIONS, old, { ...old, revision: 3 })).toEqual([]);
    expect(changed(CONTROLLER_REVISIONS, old, { ...old, data: { a: 2 } })).toEqual([
      'data: Invalid value: {"a":2}: field is immutable',
    ]);
  });
});

describe('volumes', () => {
  it('claims', () => {
    expect(created(PERSISTENT_VOLUME_CLAIMS, { spec: CLAIM })).toEqual([]);
    expect(created(PERSISTENT_VOLUME_CLAIMS, { spec: { ...CLAIM, accessModes: ['All'], volumeMode: 'Tape' } })).toEqual(
      [
        'spec.accessModes[0]: Unsupported value: "All": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
        'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
      ],
    );
  });

  it('a claim may be given its volume, and grow once it is bound', () => {
    const given = { spec: { ...CLAIM, volumeName: 'v' } };
    expect(changed(PERSISTENT_VOLUME_CLAIMS, { spec: CLAIM }, given)).toEqual([]);
    const grown = { spec: { ...CLAIM, volumeName: 'v', resources: { requests: { storage: '2Gi' } } } };
    const bound = { ...given, status: { phase: 'Bound', capacity: { storage: '1Gi' } } };
    expect(changed(PERSISTENT_VOLUME_CLAIMS, bound, grown)).toEqual([]);
    const forbidden =
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    expect(changed(PERSISTENT_VOLUME_CLAIMS, given, grown)).toEqual([forbidden]);
    const shrunk = { spec: { ...CLAIM, volumeName: 'v', resources: { requests: { storage: '1Mi' } } } };
    const lessThanItHas = 'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity';
    expect(changed(PERSISTENT_VOLUME_CLAIMS, bound, shrunk)).toEqual([lessThanItHas]);
    // A volume may be bigger than what was asked for, and the claim grow within it.
    const big = { ...bound, status: { phase: 'Bound', capacity: { storage: '9Gi' } } };
    expect(changed(PERSISTENT_VOLUME_CLAIMS, big, grown)).toEqual([]);
    const limits = {
      spec: { ...CLAIM, volumeName: 'v', resources: { ...CLAIM.resources, limits: { storage: '9Gi' } } },
    };
    expect(changed(PERSISTENT_VOLUME_CLAIMS, bound, limits)).toEqual([forbidden]);
  });

  it('volumes', () => {
    expect(created(PERSISTENT_VOLUMES, { spec: VOLUME })).toEqual([]);
    expect(created(PERSISTENT_VOLUMES, { spec: { accessModes: ['ReadWriteOnce'], local: { path: '/d' } } })).toEqual([
      'spec.capacity: Required value',
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
    ]);
    expect(
      changed(PERSISTENT_VOLUMES, { spec: VOLUME }, { spec: { ...VOLUME, hostPath: { path: '/other' } } }),
    ).toEqual(['spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation']);
  });

  it('a volume of a driver may be given the secret for its expansion, once', () => {
    const { hostPath: _, ...rest } = VOLUME;
    const csi = { driver: 'd', volumeHandle: 'h' };
    const given = { spec: { ...rest, csi: { ...csi, controllerExpandSecretRef: { name: 's', namespace: 'n' } } } };
    const other = { spec: { ...rest, csi: { ...csi, controllerExpandSecretRef: { name: 't', namespace: 'n' } } } };
    const fixed = ['spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation'];
    expect(changed(PERSISTENT_VOLUMES, { spec: { ...rest, csi } }, given)).toEqual([]);
    expect(changed(PERSISTENT_VOLUMES, given, other)).toEqual(fixed);
    expect(changed(PERSISTENT_VOLUMES, given, { spec: { ...rest, csi } })).toEqual(fixed);
  });

  it('classes', () => {
    const storageClass = { provisioner: 'example.com/none' };
    expect(created(STORAGE_CLASSES, storageClass)).toEqual([]);
    expect(created(STORAGE_CLASSES, {})).toEqual(['provisioner: Required value']);
    expect(changed(STORAGE_CLASSES, storageClass, { ...storageClass, reclaimPolicy: 'Retain' })).toEqual([
      'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
    ]);
  });
});
