/** The workload that a pod belongs to, as far as its node knows. Pure. */
import { controllerOf, type Pod, type WorkloadName } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';

const MINUTE_MS = 60_000;
/** Longest time between the moment for which a CronJob made a Job and a pod of that Job. */
const CRON_WINDOW_MS = 7 * 86_400_000;
const TEMPLATE_HASH = 'pod-template-hash';

/**
 * The Deployment of a ReplicaSet whose name ends with the hash of the pod's template; the CronJob of a Job whose name ends with the
 * minute, in Unix time, for which it was made (upstream: getJobName); else the pod's controller. Without one, or with the node as
 * one (static pods), the pod itself.
 */
export function workloadOf(pod: Pod): WorkloadName {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  const controller = controllerOf(pod);
  if (controller === undefined || controller.kind === 'Node') return { kind: 'Pod', namespace, name };
  const { kind } = controller;
  const above = kind === 'ReplicaSet' ? deploymentOf(pod, controller.name) : cronJobOf(pod, kind, controller.name);
  return above === undefined ? { kind, namespace, name: controller.name } : { ...above, namespace };
}

function deploymentOf(pod: Pod, replicaSet: string): Omit<WorkloadName, 'namespace'> | undefined {
  const hash = pod.metadata?.labels?.[TEMPLATE_HASH] ?? '';
  const name = hash !== '' && replicaSet.endsWith(`-${hash}`) ? replicaSet.slice(0, -hash.length - 1) : '';
  return name === '' ? undefined : { kind: 'Deployment', name };
}

/** A date in the name of a Job ("backup-20261123") is no such minute: the pod would be decades younger. */
function cronJobOf(pod: Pod, kind: string, job: string): Omit<WorkloadName, 'namespace'> | undefined {
  const [, name, minute] = (kind === 'Job' ? /^(.+)-(\d{8,10})$/.exec(job) : null) ?? [];
  const createdAt = parseTime(pod.metadata?.creationTimestamp ?? undefined);
  if (name === undefined || createdAt === undefined) return undefined;
  const ageMs = createdAt - Number(minute) * MINUTE_MS;
  return ageMs > -MINUTE_MS && ageMs < CRON_WINDOW_MS ? { kind: 'CronJob', name } : undefined;
}
