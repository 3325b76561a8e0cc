/** The rows of group mendlet.dev: what this project does beyond Kubernetes. */
import { HEALING_POLICIES, POD_RESTARTS } from '../../api/index.ts';
import { defaultTable } from '../tables/table.ts';
import type { Registration, Strategy } from './registration.ts';

const strategy: Strategy = { hasGeneration: true };

export const HEALING_REGISTRATIONS: readonly Registration[] = [
  { row: POD_RESTARTS, keyPrefix: '/registry/mendlet.dev/podrestarts/', table: defaultTable, strategy },
  { row: HEALING_POLICIES, keyPrefix: '/registry/mendlet.dev/healingpolicies/', table: defaultTable, strategy },
];
