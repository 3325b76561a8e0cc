/** The rows of what keeps a number of like pods: replication controllers, replica sets, deployments. */
import { DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '../../api/index.ts';
import { defaultTable } from '../tables/table.ts';
import type { Registration, Strategy } from './registration.ts';

const strategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...object, status: {} }),
};

export const REPLICATED_REGISTRATIONS: readonly Registration[] = [
  {
    row: REPLICATION_CONTROLLERS,
    keyPrefix: '/registry/controllers/',
    table: defaultTable,
    strategy: { ...strategy, dependentsByDefault: 'orphan' },
  },
  { row: DEPLOYMENTS, keyPrefix: '/registry/deployments/', table: defaultTable, strategy },
  { row: REPLICA_SETS, keyPrefix: '/registry/replicasets/', table: defaultTable, strategy },
];
