/** The row of disruption budgets. */
import { POD_DISRUPTION_BUDGETS } from '../../api/index.ts';
import { defaultTable } from '../tables/table.ts';
import type { Registration, Strategy } from './registration.ts';

const strategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...object, status: {} }),
};

export const BUDGET_REGISTRATIONS: readonly Registration[] = [
  { row: POD_DISRUPTION_BUDGETS, keyPrefix: '/registry/poddisruptionbudgets/', table: defaultTable, strategy },
];
