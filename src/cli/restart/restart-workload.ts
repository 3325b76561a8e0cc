/**
 * Restarts a workload's pods in place: one after the other, within --max-unavailable and the disruption budgets, each available
 * again before the next. Pods may be replaced, scaled away or fail for other reasons meanwhile.
 */
import { type KubeObject, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS, type Resource } from '../../api/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { clusterTime } from './cluster-time.ts';
import { watchCluster } from './cluster-view.ts';
import type { RestartOptions } from './options.ts';
import type { WorkloadKind, WorkloadTarget } from './targets.ts';
import { WORKLOAD_RESOURCES } from './workload.ts';
import { WorkloadRestart } from './workload-restart.ts';

/** @returns whether all restarts succeeded. @throws StatusError, ConnectionError of the first reads */
export async function restartWorkload(
  session: ClusterSession,
  target: WorkloadTarget,
  options: RestartOptions,
  program: string,
): Promise<boolean> {
  const { client, namespace } = session;
  const resource = WORKLOAD_RESOURCES[target.kind];
  await client.get(resource, namespace, target.name);
  // Without the right to read these lists the budgets cannot be kept; the error comes before anything is restarted.
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

/** The cluster's wall clock minus ours, ms. */
async function offsetOf({ connection, clock }: ClusterSession): Promise<number> {
  return (await clusterTime(connection, clock)) - clock.now().wall;
}
