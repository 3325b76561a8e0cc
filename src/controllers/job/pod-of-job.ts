/** The pods that a job makes. Pure. */
import {
  type Container,
  type Job,
  JOB_COMPLETION_INDEX,
  JOB_INDEX_FAILURE_COUNT,
  JOB_INDEX_IGNORED_FAILURE_COUNT,
  JOB_TRACKING_FINALIZER,
  JOBS,
  nameOf,
  type Pod,
  type PodFailurePolicy,
} from '../../api/index.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { failuresBefore } from './job-pods.ts';
import { judgeFailure } from './pod-failure-policy.ts';

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
const MAX_PREFIX_LENGTH = 58;

export function podOfJob(job: Job): Pod {
  const pod = podFromTemplate(JOBS, job, job.spec?.template);
  const finalizers = new Set([...(pod.metadata?.finalizers ?? []), JOB_TRACKING_FINALIZER]);
  return { ...pod, metadata: { ...pod.metadata, finalizers: [...finalizers] } };
}

/** @param replaced the failed pod of that index whose place it takes, if any: failures of an index are counted on its pods */
export function podOfIndex(job: Job, index: number, replaced: Pod | undefined): Pod {
  const { backoffLimitPerIndex, podFailurePolicy } = job.spec ?? { template: {} };
  const pod = podOfJob(job);
  const { containers, initContainers } = pod.spec ?? { containers: [] };
  const failures = backoffLimitPerIndex === undefined ? {} : failureCounts(replaced, podFailurePolicy);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: prefixOf(nameOf(job), index),
      labels: { ...pod.metadata?.labels, [JOB_COMPLETION_INDEX]: `${index}` },
      annotations: { ...pod.metadata?.annotations, [JOB_COMPLETION_INDEX]: `${index}`, ...failures },
    },
    spec: {
      ...pod.spec,
      hostname: `${nameOf(job)}-${index}`,
      containers: containers.map(withIndexVariable),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndexVariable) }),
    },
  };
}

function prefixOf(job: string, index: number): string {
  const suffix = `-${index}-`;
  return job.slice(0, MAX_PREFIX_LENGTH - suffix.length) + suffix;
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === INDEX_VARIABLE)) return container;
  const fieldPath = `metadata.labels['${JOB_COMPLETION_INDEX}']`;
  return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath } } }] };
}

function failureCounts(replaced: Pod | undefined, policy: PodFailurePolicy | undefined): Record<string, string> {
  if (replaced === undefined) return { [JOB_INDEX_FAILURE_COUNT]: '0' };
  const { counted, ignored } = failuresBefore(replaced);
  const isIgnored = judgeFailure(policy, replaced).action === 'Ignore';
  const allIgnored = ignored + (isIgnored ? 1 : 0);
  return {
    [JOB_INDEX_FAILURE_COUNT]: `${counted + (isIgnored ? 0 : 1)}`,
    ...(allIgnored === 0 ? {} : { [JOB_INDEX_IGNORED_FAILURE_COUNT]: `${allIgnored}` }),
  };
}
