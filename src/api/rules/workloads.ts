/** The rules of pods, and of the kinds that make pods from a template. */
import type { CronJob, DaemonSet, Job, PodTemplate } from '../types.gen.ts';
import { kindRules } from '../kind-rules.ts';
import { defaultCronJob, defaultJob } from '../defaulting/job.ts';
import { defaultPodSpec } from '../defaulting/pod-spec.ts';
import { defaultPod } from '../defaulting/pod.ts';
import { defaultDeployment, defaultReplicaSet, defaultReplicationController } from '../defaulting/replicated.ts';
import { defaultDaemonSet, defaultStatefulSet } from '../defaulting/stateful-set.ts';
import { METADATA_FIELDS, numberField, readField, unsetIsFalse } from '../selectable-fields.ts';
import { validatePodTemplate, validatePodTemplateUpdate } from '../validation/class-kinds.ts';
import { validateControllerRevision, validateControllerRevisionUpdate } from '../validation/controller-revision.ts';
import { validateCronJob, validateCronJobStatusUpdate, validateCronJobUpdate } from '../validation/cron-job.ts';
import { validateDaemonSet, validateDaemonSetStatus, validateDaemonSetUpdate } from '../validation/daemon-set.ts';
import { validateDeployment, validateDeploymentStatus, validateDeploymentUpdate } from '../validation/deployment.ts';
import { validateEphemeralContainersUpdate } from '../validation/ephemeral-containers.ts';
import { validateJobStatusUpdate } from '../validation/job-status.ts';
import { validateJob, validateJobUpdate } from '../validation/job.ts';
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatus,
  validatePodDisruptionBudgetUpdate,
} from '../validation/pod-disruption-budget.ts';
import { validatePodResize } from '../validation/pod-resize.ts';
import { validatePod, validatePodStatusUpdate, validatePodUpdate } from '../validation/pod.ts';
import {
  validateReplicaSet,
  validateReplicaSetUpdate,
  validateReplicatedStatus,
  validateReplicationController,
  validateReplicationControllerUpdate,
} from '../validation/replicated.ts';
import {
  validateStatefulSet,
  validateStatefulSetStatus,
  validateStatefulSetUpdate,
} from '../validation/stateful-set.ts';
import {
  jobWarnings,
  podWarnings,
  replicatedWarnings,
  statefulSetWarnings,
  templateWarnings,
} from '../warnings/templates.ts';

export const POD_RULES = kindRules({
  create: validatePod,
  update: validatePodUpdate,
  parts: {
    status: validatePodStatusUpdate,
    ephemeralcontainers: validateEphemeralContainersUpdate,
    resize: validatePodResize,
  },
  setDefaults: defaultPod,
  selectable: [
    'metadata.name',
    'metadata.namespace',
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    unsetIsFalse('spec.hostNetwork'),
    'status.phase',
    'status.podIP',
    { name: 'status.podIPs', matches: hasAddress },
    'status.nominatedNodeName',
  ],
  warnings: podWarnings,
});

function hasAddress(pod: unknown, value: string): boolean {
  const addresses = readField(pod, 'status.podIPs');
  return Array.isArray(addresses) ? addresses.some((each) => readField(each, 'ip') === value) : value === '';
}

export const POD_TEMPLATE_RULES = kindRules<PodTemplate>({
  create: validatePodTemplate,
  update: validatePodTemplateUpdate,
  setDefaults: ({ template }) => {
    if (template?.spec !== undefined) defaultPodSpec(template.spec);
  },
  warnings: ({ template }) => templateWarnings(template, 'template'),
});

const REPLICAS = numberField('status.replicas', 'status.replicas');

export const REPLICATION_CONTROLLER_RULES = kindRules({
  create: validateReplicationController,
  update: validateReplicationControllerUpdate,
  parts: { status: validateReplicatedStatus },
  setDefaults: defaultReplicationController,
  selectable: [...METADATA_FIELDS, REPLICAS],
  warnings: replicatedWarnings,
});

export const REPLICA_SET_RULES = kindRules({
  create: validateReplicaSet,
  update: validateReplicaSetUpdate,
  parts: { status: validateReplicatedStatus },
  setDefaults: defaultReplicaSet,
  selectable: [...METADATA_FIELDS, REPLICAS],
  warnings: replicatedWarnings,
});

export const DEPLOYMENT_RULES = kindRules({
  create: validateDeployment,
  update: validateDeploymentUpdate,
  parts: { status: validateDeploymentStatus },
  setDefaults: defaultDeployment,
  warnings: replicatedWarnings,
});

export const STATEFUL_SET_RULES = kindRules({
  create: validateStatefulSet,
  update: validateStatefulSetUpdate,
  parts: { status: validateStatefulSetStatus },
  setDefaults: defaultStatefulSet,
  warnings: statefulSetWarnings,
});

export const DAEMON_SET_RULES = kindRules<DaemonSet>({
  create: validateDaemonSet,
  update: validateDaemonSetUpdate,
  parts: { status: validateDaemonSetStatus },
  setDefaults: defaultDaemonSet,
  warnings: ({ spec }) => templateWarnings(spec?.template, 'spec.template'),
});

export const CONTROLLER_REVISION_RULES = kindRules({
  create: validateControllerRevision,
  update: validateControllerRevisionUpdate,
});

export const JOB_RULES = kindRules<Job>({
  create: validateJob,
  update: validateJobUpdate,
  parts: { status: validateJobStatusUpdate },
  setDefaults: defaultJob,
  // The API's name for it is an older one than the status's own.
  selectable: [...METADATA_FIELDS, numberField('status.successful', 'status.succeeded')],
  warnings: (job) => jobWarnings(job, job.spec, 'spec.template'),
});

export const CRON_JOB_RULES = kindRules<CronJob>({
  create: validateCronJob,
  update: validateCronJobUpdate,
  parts: { status: validateCronJobStatusUpdate },
  setDefaults: defaultCronJob,
  warnings: (job) => jobWarnings(job, job.spec?.jobTemplate.spec, 'spec.jobTemplate.spec.template'),
});

export const POD_DISRUPTION_BUDGET_RULES = kindRules({
  create: validatePodDisruptionBudget,
  update: validatePodDisruptionBudgetUpdate,
  parts: { status: validatePodDisruptionBudgetStatus },
});
