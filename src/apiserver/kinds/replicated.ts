/** The rows of what keeps a number of like pods: replication controllers, replica sets, deployments. */
import { DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '../../api/index.ts';
import { deploymentTable, replicaSetTable, replicationControllerTable } from '../tables/replicated.ts';
import { byName } from '../quota/usage.ts';
import { type ApiObject, omit } from '../registry/object.ts';
import { sameValue } from '../registry/object-meta.ts';
import type { Registration, Strategy } from '../registry/registration.ts';

const counted: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...object, status: { replicas: 0 } }),
};

/** A change of annotations is a change of what is wanted, too: they reach the replica sets. */
const deployment: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...object, status: {} }),
  prepareForUpdate: (object, old) =>
    sameValue(object.metadata.annotations ?? {}, old.metadata.annotations ?? {}) ? object : nextGeneration(object, old),
  prepareForStatusUpdate: (object, old) => {
    const { labels } = old.metadata;
    return { ...object, metadata: { ...omit(object.metadata, 'labels'), ...(labels === undefined ? {} : { labels }) } };
  },
};

function nextGeneration(object: ApiObject, old: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
}

export const REPLICATED_REGISTRATIONS: readonly Registration[] = [
  {
    row: REPLICATION_CONTROLLERS,
    keyPrefix: '/registry/controllers/',
    table: replicationControllerTable,
    strategy: { ...counted, dependentsByDefault: 'orphan' },
    quota: byName('replicationcontrollers'),
  },
  { row: DEPLOYMENTS, keyPrefix: '/registry/deployments/', table: deploymentTable, strategy: deployment },
  { row: REPLICA_SETS, keyPrefix: '/registry/replicasets/', table: replicaSetTable, strategy: counted },
];
