/** The rows of jobs and cron jobs. */
import { CRON_JOBS, JOBS } from '../../api/index.ts';
import { defaultTable } from '../tables/table.ts';
import type { Registration, Strategy } from './registration.ts';

const strategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...object, status: {} }),
};

export const BATCH_REGISTRATIONS: readonly Registration[] = [
  {
    row: JOBS,
    keyPrefix: '/registry/jobs/',
    table: defaultTable,
    strategy: { ...strategy, dependentsByDefault: 'orphan' },
  },
  { row: CRON_JOBS, keyPrefix: '/registry/cronjobs/', table: defaultTable, strategy },
];
