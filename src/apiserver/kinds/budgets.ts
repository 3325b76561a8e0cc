/** The row of disruption budgets. */
import { POD_DISRUPTION_BUDGETS } from '../../api/index.ts';
import { budgetTable } from '../tables/budgets.ts';
import type { Registration, Strategy } from '../registry/registration.ts';

const strategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({
    ...object,
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  }),
};

export const BUDGET_REGISTRATIONS: readonly Registration[] = [
  { row: POD_DISRUPTION_BUDGETS, keyPrefix: '/registry/poddisruptionbudgets/', table: budgetTable, strategy },
];
