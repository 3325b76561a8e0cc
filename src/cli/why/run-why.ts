/** Runs `why` on an open cluster: gathers evidence, diagnoses, prints. */
import { PODS } from '../../api/index.ts';
import { diagnoseNode, diagnosePod, diagnoseService, diagnoseWorkload, type Diagnosis } from '../../diagnosis/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { clusterTime } from '../restart/cluster-time.ts';
import { Asker } from './ask.ts';
import { gatherPod } from './gather-pod.ts';
import { gatherServiceSubject } from './gather-service-subject.ts';
import { gatherNodeSubject, gatherWorkload } from './gather-workload.ts';
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
  const { clock, connection } = session;
  const asker = new Asker(session, (await clusterTime(connection, clock)) - clock.now().wall);
  const diagnosis = await diagnose(asker, options);
  if (options.output === 'json') session.out(`${JSON.stringify(diagnosis, null, 2)}\n`);
  else {
    const print = { now: asker.now, colours: session.columns !== undefined };
    session.outRaw(printDiagnosis(diagnosis, print));
  }
  return options.exitCode && diagnosis.findings.some(({ severity }) => severity !== 'info')
    ? exitCodes.failed
    : exitCodes.done;
}

async function diagnose(asker: Asker, { target, namespaceGiven }: WhyOptions): Promise<Diagnosis> {
  const { client, namespace, signal } = asker.session;
  const namespaceFlag = namespaceGiven ? `-n ${namespace}` : '';
  if (target.kind === 'Pod') {
    const pod = await client.get(PODS, namespace, target.name, signal);
    return diagnosePod(await gatherPod(asker, pod, { namespaceFlag }));
  }
  if (target.kind === 'Node') return diagnoseNode(await gatherNodeSubject(asker, target.name));
  if (target.kind === 'Service') return diagnoseService(await gatherServiceSubject(asker, target.name, namespaceFlag));
  const workload = await client.get(WORKLOADS[target.kind], namespace, target.name, signal);
  return diagnoseWorkload(await gatherWorkload(asker, workload, namespaceFlag));
}
