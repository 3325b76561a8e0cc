/** The columns of disruption budgets (upstream: printPodDisruptionBudget). */
import type { PodDisruptionBudget } from '../../api/index.ts';
import { ageColumn, column, nameColumn, since, type TableKind } from './table.ts';

export const budgetTable: TableKind = {
  columns: [
    nameColumn,
    column('Min Available', { description: 'Pods that must stay healthy.' }),
    column('Max Unavailable', { description: 'Pods that may be unhealthy.' }),
    column('Allowed Disruptions', { type: 'integer', description: 'Pods that may be evicted now.' }),
    ageColumn,
  ],
  cells: (object, now) => {
    const { spec = {}, status = {} } = object as PodDisruptionBudget;
    return [
      object.metadata.name ?? '',
      String(spec.minAvailable ?? 'N/A'),
      String(spec.maxUnavailable ?? 'N/A'),
      status.disruptionsAllowed ?? 0,
      since(object.metadata.creationTimestamp, now),
    ];
  },
};
