/** The rows of stateful and daemon sets, their revisions, and the volumes that they claim. */
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  type DaemonSet,
  PERSISTENT_VOLUME_CLAIMS,
  type PersistentVolumeClaim,
  type PersistentVolume,
  PERSISTENT_VOLUMES,
  semanticallyEqual,
  STATEFUL_SETS,
  STORAGE_CLASSES,
} from '../../api/index.ts';
import { controllerRevisionTable, daemonSetTable, statefulSetTable } from '../tables/stateful.ts';
import { persistentVolumeClaimTable, persistentVolumeTable, storageClassTable } from '../tables/volumes.ts';
import { claimCount } from '../quota/usage.ts';
import { type ApiObject, omit, withMeta } from '../registry/object.ts';
import type { Registration, Strategy } from '../registry/registration.ts';

const statefulSetStrategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...object, status: { replicas: 0, availableReplicas: 0 } }),
};

/** Counts templates. Only an annotation is left of it in apps/v1, which old pods and tools still look at. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const daemonSetStrategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => {
    const status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
    return withTemplateGeneration({ ...object, status }, Math.max(templateGenerationOf(object), 1));
  },
  prepareForUpdate: (object, old) => {
    const before = templateGenerationOf(old);
    const [next, last] = [(object as DaemonSet).spec?.template, (old as DaemonSet).spec?.template];
    const changed = !semanticallyEqual('core.v1.PodTemplateSpec', next, last);
    return withTemplateGeneration(object, changed ? before + 1 : before);
  },
};

function templateGenerationOf(object: ApiObject): number {
  const value = Number(object.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
  return Number.isSafeInteger(value) ? value : 0;
}

function withTemplateGeneration(object: ApiObject, generation: number): ApiObject {
  const annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
  return withMeta(object, { annotations });
}

/**
 * Volumes and claims stay while they are in use: a finalizer holds them, which the controller takes away (upstream: the
 * StorageObjectInUseProtection admission plugin).
 */
function protectedBy(finalizer: string): Strategy {
  return {
    prepareForCreate: (object) => {
      const finalizers = object.metadata.finalizers ?? [];
      const held = finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer];
      return { ...withMeta(object, { finalizers: held }), status: { phase: 'Pending' } };
    },
    returnsDeleted: true,
  };
}

const protectedClaim = protectedBy('kubernetes.io/pvc-protection');
const claimStrategy: Strategy = {
  ...protectedClaim,
  prepareForCreate: (object, user) =>
    withBothSources(withKnownSource(protectedClaim.prepareForCreate?.(object, user) ?? object)),
  prepareForUpdate: (object, old) => withBothSources(hasSource(old) ? object : withKnownSource(object)),
};

function hasSource(object: ApiObject): boolean {
  const { dataSource, dataSourceRef } = (object as PersistentVolumeClaim).spec ?? {};
  return dataSource !== undefined || dataSourceRef !== undefined;
}

/**
 * The old field knows claims and snapshots alone, and the new one no other namespace while that gate is closed: what they say beyond
 * that is dropped (upstream: DropDisabledFields, EnforceDataSourceBackwardsCompatibility).
 */
function withKnownSource(object: ApiObject): ApiObject {
  const { spec } = object as PersistentVolumeClaim;
  const { dataSource, dataSourceRef } = spec ?? {};
  if (dataSourceRef?.namespace) return withKnownSource({ ...object, spec: omit(spec ?? {}, 'dataSourceRef') });
  if (dataSource === undefined || dataSourceRef !== undefined) return object;
  const { apiGroup, kind } = dataSource;
  const isKnown =
    (!apiGroup && kind === 'PersistentVolumeClaim') ||
    (apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot');
  return isKnown ? object : { ...object, spec: omit(spec ?? {}, 'dataSource') };
}

/** The old field and the new one name the same source (upstream: NormalizeDataSources). */
function withBothSources(object: ApiObject): ApiObject {
  const { spec } = object as PersistentVolumeClaim;
  if (spec === undefined) return object;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined)
    return { ...object, spec: { ...spec, dataSourceRef: dataSource } };
  if (dataSourceRef === undefined || dataSource !== undefined || dataSourceRef.namespace) return object;
  const { namespace: _, ...source } = dataSourceRef;
  return { ...object, spec: { ...spec, dataSource: source } };
}

const protectedVolume = protectedBy('kubernetes.io/pv-protection');
const volumeStrategy: Strategy = {
  ...protectedVolume,
  prepareForCreate: (object, user) => {
    const volume = protectedVolume.prepareForCreate?.(object, user) ?? object;
    const { creationTimestamp } = volume.metadata;
    return { ...volume, status: { phase: 'Pending', lastPhaseTransitionTime: creationTimestamp } };
  },
  prepareForStatusUpdate: withPhaseTransitionTime,
};

/** A time that the writer has set himself stays (upstream: persistentvolumeStatusStrategy.PrepareForUpdate). */
function withPhaseTransitionTime(object: ApiObject, old: ApiObject, now: string): ApiObject {
  const [next, last] = [(object as PersistentVolume).status ?? {}, (old as PersistentVolume).status ?? {}];
  const hasOwnTime = next.lastPhaseTransitionTime && next.lastPhaseTransitionTime !== last.lastPhaseTransitionTime;
  if (next.phase === last.phase || hasOwnTime) return object;
  return { ...object, status: { ...next, lastPhaseTransitionTime: now } };
}

export const STATEFUL_REGISTRATIONS: readonly Registration[] = [
  { row: STATEFUL_SETS, keyPrefix: '/registry/statefulsets/', table: statefulSetTable, strategy: statefulSetStrategy },
  { row: DAEMON_SETS, keyPrefix: '/registry/daemonsets/', table: daemonSetTable, strategy: daemonSetStrategy },
  {
    row: CONTROLLER_REVISIONS,
    keyPrefix: '/registry/controllerrevisions/',
    table: controllerRevisionTable,
    strategy: {},
  },
  {
    row: PERSISTENT_VOLUME_CLAIMS,
    keyPrefix: '/registry/persistentvolumeclaims/',
    table: persistentVolumeClaimTable,
    strategy: claimStrategy,
    quota: claimCount,
  },
  {
    row: PERSISTENT_VOLUMES,
    keyPrefix: '/registry/persistentvolumes/',
    table: persistentVolumeTable,
    strategy: volumeStrategy,
  },
  {
    row: STORAGE_CLASSES,
    keyPrefix: '/registry/storageclasses/',
    table: storageClassTable,
    strategy: { returnsDeleted: true },
  },
];
