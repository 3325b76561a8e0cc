/** Runs one act on the targets of a command line. */
import { mapLimit } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { actOn } from './act-on.ts';
import { type Act, parseActTargets } from './acts.ts';
import { TARGETS_AT_ONCE } from './limits.ts';

/** Every target is tried, also after one that failed. @throws UsageError */
export async function runActs(
  session: ClusterSession,
  act: Exclude<Act, 'restart'>,
  args: readonly string[],
  reason?: string,
): Promise<ExitCode> {
  const targets = parseActTargets(args, session.namespace);
  const results = await mapLimit(targets, TARGETS_AT_ONCE, (target) => actOn(session, act, target, reason));
  for (const { ok, words } of results) (ok ? session.out : session.err)(`${words}\n`);
  return results.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
}
