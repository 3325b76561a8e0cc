/** The rows of stateful and daemon sets, their revisions, and the volumes that they claim. */
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  type DaemonSet,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
} from '../../api/index.ts';
import { controllerRevisionTable, daemonSetTable, statefulSetTable } from '../tables/stateful.ts';
import { persistentVolumeClaimTable, persistentVolumeTable, storageClassTable } from '../tables/volumes.ts';
import { sameValue } from './object-meta.ts';
import { type ApiObject, withMeta } from './object.ts';
import type { Registration, Strategy } from './registration.ts';

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
    const changed = !sameValue((object as DaemonSet).spec?.template, (old as DaemonSet).spec?.template);
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
    strategy: protectedBy('kubernetes.io/pvc-protection'),
  },
  {
    row: PERSISTENT_VOLUMES,
    keyPrefix: '/registry/persistentvolumes/',
    table: persistentVolumeTable,
    strategy: protectedBy('kubernetes.io/pv-protection'),
  },
  {
    row: STORAGE_CLASSES,
    keyPrefix: '/registry/storageclasses/',
    table: storageClassTable,
    strategy: { returnsDeleted: true },
  },
];
