/** The rows of stateful and daemon sets, their revisions, and the volumes that they claim. */
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
} from '../../api/index.ts';
import { defaultTable } from '../tables/table.ts';
import type { Registration, Strategy } from './registration.ts';

const strategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...object, status: {} }),
};

const volumes: Strategy = {
  prepareForCreate: (object) => ({ ...object, status: { phase: 'Pending' } }),
  returnsDeleted: true,
};

export const STATEFUL_REGISTRATIONS: readonly Registration[] = [
  { row: STATEFUL_SETS, keyPrefix: '/registry/statefulsets/', table: defaultTable, strategy },
  { row: DAEMON_SETS, keyPrefix: '/registry/daemonsets/', table: defaultTable, strategy },
  { row: CONTROLLER_REVISIONS, keyPrefix: '/registry/controllerrevisions/', table: defaultTable, strategy: {} },
  {
    row: PERSISTENT_VOLUME_CLAIMS,
    keyPrefix: '/registry/persistentvolumeclaims/',
    table: defaultTable,
    strategy: volumes,
  },
  { row: PERSISTENT_VOLUMES, keyPrefix: '/registry/persistentvolumes/', table: defaultTable, strategy: volumes },
  {
    row: STORAGE_CLASSES,
    keyPrefix: '/registry/storageclasses/',
    table: defaultTable,
    strategy: { returnsDeleted: true },
  },
];
