/** The rows of jobs and cron jobs (upstream: pkg/registry/batch). */
import {
  CRON_JOBS,
  type Job,
  JOB_CONTROLLER_UID_LABEL,
  JOB_NAME_LABEL,
  JOBS,
  OLD_JOB_CONTROLLER_UID_LABEL,
  OLD_JOB_NAME_LABEL,
} from '../../api/index.ts';
import { cronJobTable, jobTable } from '../tables/jobs.ts';
import type { ApiObject } from '../registry/object.ts';
import type { Registration, Strategy } from '../registry/registration.ts';

/** A job's pods outlive it unless the request says otherwise, as in the first versions of its API. */
const PODS_STAY =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

const jobStrategy: Strategy = {
  deleteWarning: PODS_STAY,
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...withGeneratedSelector(object), status: {} }),
  dependentsByDefault: 'orphan',
};

const cronJobStrategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...object, status: {} }),
};

/**
 * The selector that finds the pods of this job alone, and the labels that they carry for it. Values that a client set already
 * stay, for validation to compare. A job without labels of its own shows those of its pods, the generated ones included: it
 * has them by its defaults, as the same map.
 */
function withGeneratedSelector(object: ApiObject): ApiObject {
  const { spec } = object as Job;
  if (spec === undefined || spec.manualSelector === true) return object;
  const { name = '', uid = '' } = object.metadata;
  const labels = {
    [JOB_NAME_LABEL]: name,
    [OLD_JOB_NAME_LABEL]: name,
    [JOB_CONTROLLER_UID_LABEL]: uid,
    [OLD_JOB_CONTROLLER_UID_LABEL]: uid,
    ...spec.template.metadata?.labels,
  };
  const given = object.metadata.labels ?? {};
  const hasLabels = Object.keys(given).length > 0 && given !== spec.template.metadata?.labels;
  return {
    ...object,
    metadata: hasLabels ? object.metadata : { ...object.metadata, labels },
    spec: {
      ...spec,
      selector: {
        ...spec.selector,
        matchLabels: { [JOB_CONTROLLER_UID_LABEL]: uid, ...spec.selector?.matchLabels },
      },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}

export const BATCH_REGISTRATIONS: readonly Registration[] = [
  { row: JOBS, keyPrefix: '/registry/jobs/', table: jobTable, strategy: jobStrategy },
  { row: CRON_JOBS, keyPrefix: '/registry/cronjobs/', table: cronJobTable, strategy: cronJobStrategy },
];
