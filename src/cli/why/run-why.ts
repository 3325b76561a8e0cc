/** Runs `why` on an open cluster: gathers evidence, diagnoses, prints. */
import {
  CRON_JOBS,
  HORIZONTAL_POD_AUTOSCALERS,
  JOBS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  VOLUME_ATTACHMENTS,
} from '../../api/index.ts';
import {
  diagnoseAttachment,
  diagnoseAutoscaler,
  diagnoseBudget,
  diagnoseClaim,
  diagnoseCronJob,
  diagnoseGroup,
  diagnoseNode,
  diagnosePod,
  diagnoseService,
  diagnoseVolume,
  diagnoseWorkload,
  type Diagnosis,
  type GroupScope,
} from '../../diagnosis/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { clusterTime } from '../restart/cluster-time.ts';
import { Asker } from './ask.ts';
import { followPeers } from './follow-peers.ts';
import { gatherAutoscaler } from './gather-autoscaler.ts';
import { gatherBudget } from './gather-budget.ts';
import { gatherClaimSubject } from './gather-claim.ts';
import { gatherCronJob } from './gather-cron-job.ts';
import { gatherGroup } from './gather-group.ts';
import { gatherPod } from './gather-pod.ts';
import { gatherServiceSubject } from './gather-service-subject.ts';
import { gatherAttachment } from './gather-storage.ts';
import { gatherVolumeSubject } from './gather-volume-subject.ts';
import { gatherNodeSubject, gatherWorkload } from './gather-workload.ts';
import { MAX_LISTED } from './limits.ts';
import { WORKLOADS } from './owners.ts';
import { printDiagnosis } from './print-diagnosis.ts';
import type { WhyTarget } from './target.ts';

export interface WhyOptions {
  readonly target: WhyTarget;
  readonly output: 'text' | 'json';
  /** --exit-code: findings lead to exit code 1. */
  readonly exitCode: boolean;
  /** -n was given, so the suggested commands name the namespace, too. */
  readonly namespaceGiven: boolean;
}

/** @throws StatusError when the object does not exist or may not be read */
export async function runWhy(session: ClusterSession, options: WhyOptions): Promise<ExitCode> {
  const { asker, diagnosis } = await whyOf(session, options);
  if (options.output === 'json') session.out(`${JSON.stringify(diagnosis, null, 2)}\n`);
  else {
    const { columns } = session;
    const print = { now: asker.now, colours: columns !== undefined, ...(columns !== undefined && { columns }) };
    session.outRaw(printDiagnosis(diagnosis, print));
  }
  return options.exitCode && diagnosis.findings.some(({ severity }) => severity !== 'info')
    ? exitCodes.failed
    : exitCodes.done;
}

/** The diagnosis itself, and who gathered its evidence. @throws StatusError when the object does not exist or may not be read */
export async function whyOf(
  session: ClusterSession,
  options: Pick<WhyOptions, 'target' | 'namespaceGiven'>,
): Promise<{ readonly asker: Asker; readonly diagnosis: Diagnosis }> {
  const { clock, connection } = session;
  const asker = new Asker(session, (await clusterTime(connection, clock)) - clock.now().wall);
  return { asker, diagnosis: await diagnose(asker, options) };
}

async function diagnose(
  asker: Asker,
  { target, namespaceGiven }: Pick<WhyOptions, 'target' | 'namespaceGiven'>,
): Promise<Diagnosis> {
  const { client, namespace, signal } = asker.session;
  const namespaceFlag = namespaceGiven ? `-n ${namespace}` : '';
  if (target.kind === 'Cluster') return await diagnoseAll(asker, { kind: 'cluster' }, namespaceFlag);
  if (target.kind === 'Selector') {
    return await diagnoseAll(asker, { kind: 'selector', namespace, selector: target.selector }, namespaceFlag);
  }
  const { name } = target;
  switch (target.kind) {
    case 'Namespace':
      return await diagnoseAll(asker, { kind: 'namespace', namespace: name }, `-n ${name}`);
    case 'Pod': {
      const pod = await client.get(PODS, namespace, name, signal);
      const evidence = await gatherPod(asker, pod, { namespaceFlag });
      return await followPeers(asker, diagnosePod(evidence), [evidence], namespaceFlag);
    }
    case 'Node':
      return diagnoseNode(await gatherNodeSubject(asker, name));
    case 'Service':
      return diagnoseService(await gatherServiceSubject(asker, name, namespaceFlag));
    case 'PersistentVolumeClaim':
      return diagnoseClaim(await gatherClaimSubject(asker, namespace, name, { namespaceFlag, withUsage: true }));
    case 'PersistentVolume':
      return diagnoseVolume(await gatherVolumeSubject(asker, name));
    case 'VolumeAttachment': {
      const attachment = await client.get(VOLUME_ATTACHMENTS, undefined, name, signal);
      return diagnoseAttachment(await gatherAttachment(asker, attachment));
    }
    case 'PodDisruptionBudget': {
      const budget = await client.get(POD_DISRUPTION_BUDGETS, namespace, name, signal);
      return diagnoseBudget(await gatherBudget(asker, budget, namespaceFlag));
    }
    case 'HorizontalPodAutoscaler': {
      const autoscaler = await client.get(HORIZONTAL_POD_AUTOSCALERS, namespace, name, signal);
      return diagnoseAutoscaler(await gatherAutoscaler(asker, autoscaler, namespaceFlag));
    }
    case 'CronJob': {
      const cronJob = await client.get(CRON_JOBS, namespace, name, signal);
      const jobs = await asker.list(`jobs in namespace ${namespace}`, JOBS, { namespace, limit: MAX_LISTED });
      const named = jobs.map((job) => ({ ...job, kind: 'Job' }));
      const evidence = await gatherCronJob(asker, cronJob, named, namespaceFlag);
      const running = evidence.jobs
        .flatMap(({ looked }) => looked)
        .filter(({ pod }) => pod.status?.phase === 'Running');
      return await followPeers(asker, diagnoseCronJob(evidence), running, namespaceFlag);
    }
    case 'Deployment':
    case 'ReplicaSet':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'Job':
    case 'ReplicationController': {
      const workload = await client.get(WORKLOADS[target.kind], namespace, name, signal);
      const evidence = await gatherWorkload(asker, workload, namespaceFlag);
      return await followPeers(asker, diagnoseWorkload(evidence), evidence.looked, namespaceFlag);
    }
  }
}

async function diagnoseAll(asker: Asker, scope: GroupScope, namespaceFlag: string): Promise<Diagnosis> {
  const flag = (namespace: string): string => (scope.kind === 'cluster' ? `-n ${namespace}` : namespaceFlag);
  return diagnoseGroup(await gatherGroup(asker, scope, flag));
}
