/**
 * Restarts a workload's pods in place: one after the other, within its budget and those of disruption budgets, each well again
 * before the next. What happens meanwhile is taken as it comes: pods that are replaced, scaled away, fall sick by themselves.
 */
import { type KubeObject, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS, type Resource } from '../../api/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { clusterTime } from './cluster-time.ts';
import { watchCluster } from './cluster-view.ts';
import type { RestartOptions } from './options.ts';
import type { WorkloadKind, WorkloadTarget } from './targets.ts';
import { WORKLOAD_RESOURCES } from './workload.ts';
import { WorkloadRestart } from './workload-restart.ts';

/** @returns whether all of it came to a good end; what the server says against it at the start is thrown */
export async function restartWorkload(
  session: ClusterSession,
  target: WorkloadTarget,
  options: RestartOptions,
  program: string,
): Promise<boolean> {
  const { client, namespace } = session;
  const resource = WORKLOAD_RESOURCES[target.kind];
  await client.get(resource, namespace, target.name);
  // Who may not see these cannot keep to the budgets: better said now than watched for in vain.
  for (const needed of neededLists(target.kind)) await client.list(needed, { namespace, limit: 1 });
  const watches = new AbortController();
  const view = watchCluster(session, target, watches.signal);
  try {
    await view.ready;
    const offsetMs = await offsetOf(session);
    return await new WorkloadRestart({ session, target, options, program, view, offsetMs }).run();
  } finally {
    watches.abort(new Error('done'));
  }
}

function neededLists(kind: WorkloadKind): readonly Resource<KubeObject>[] {
  return [PODS, POD_DISRUPTION_BUDGETS, ...(kind === 'deployment' ? [REPLICA_SETS] : [])];
}

/** What to add to our wall clock to have the cluster's, ms. */
async function offsetOf({ connection, clock }: ClusterSession): Promise<number> {
  return (await clusterTime(connection, clock)) - clock.now().wall;
}
