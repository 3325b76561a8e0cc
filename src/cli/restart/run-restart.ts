/** Runs `restart` on an open cluster. */
import { nameOf, PODS } from '../../api/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { RestartOptions } from './options.ts';
import { isActive } from './pod-facts.ts';
import { restartPods } from './restart-pods.ts';
import { restartWorkload } from './restart-workload.ts';
import { type Target, type TargetSet, targetText, type WorkloadTarget } from './targets.ts';
import { WORKLOAD_RESOURCES } from './workload.ts';

/** @param program the name for hints: "mendlet restart" */
export async function runRestart(session: ClusterSession, options: RestartOptions, program: string): Promise<ExitCode> {
  const targets = options.targets.kind === 'named' ? options.targets.targets : await pick(session, options.targets.set);
  if (targets.length === 0) {
    session.err(`nothing to restart in namespace ${session.namespace}\n`);
    return exitCodes.failed;
  }
  let isGood = true;
  const notBegun: Target[] = [];
  for (const row of rowsOf(targets)) {
    if (session.signal.aborted || (!isGood && !options.keepGoing)) notBegun.push(...row);
    else isGood = (await restartRow(session, row, options, program)) && isGood;
  }
  if (notBegun.length > 0) session.err(`not begun: ${notBegun.map(targetText).join(', ')}\n`);
  return isGood && notBegun.length === 0 ? exitCodes.done : exitCodes.failed;
}

async function restartRow(
  session: ClusterSession,
  row: readonly Target[],
  options: RestartOptions,
  program: string,
): Promise<boolean> {
  const [first] = row;
  if (first === undefined) return true;
  if (first.kind === 'pod') {
    const names = row.map(({ name }) => name);
    return await restartPods(session, names, options);
  }
  return await restartWorkload(session, first as WorkloadTarget, options, program);
}

/** Groups neighbouring pods into rows that share `--parallel`; each workload is its own row. */
function rowsOf(targets: readonly Target[]): readonly (readonly Target[])[] {
  const rows: Target[][] = [];
  for (const target of targets) {
    const last = rows.at(-1);
    if (target.kind === 'pod' && last?.[0]?.kind === 'pod') last.push(target);
    else rows.push([target]);
  }
  return rows;
}

/** The selected objects in order of their names. Pods that have ended, or have no node yet, have nothing to restart. */
async function pick({ client, namespace, signal }: ClusterSession, { kind, selector }: TargetSet): Promise<Target[]> {
  const query = { namespace, ...(selector === undefined ? {} : { labelSelector: selector }) };
  const found: { readonly kind: Target['kind']; readonly name: string }[] = [];
  if (kind === 'pod') {
    const { items } = await client.list(PODS, query, signal);
    for (const pod of items)
      if (isActive(pod) && (pod.spec?.nodeName ?? '') !== '') found.push({ kind, name: nameOf(pod) });
  } else {
    const { items } = await client.list(WORKLOAD_RESOURCES[kind], query, signal);
    for (const object of items) found.push({ kind, name: nameOf(object) });
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
