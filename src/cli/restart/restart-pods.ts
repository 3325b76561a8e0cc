/** Restarts named or selected pods in order, some at a time; the first failure ends the row unless --keep-going is given. */
import { mapLimit } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import type { RestartOptions } from './options.ts';
import type { Outcome } from './outcome.ts';
import { restartPod } from './restart-pod.ts';

/** @returns whether all restarts succeeded */
export async function restartPods(
  session: ClusterSession,
  names: readonly string[],
  options: Pick<RestartOptions, 'spec' | 'wait' | 'timeoutMs' | 'parallel' | 'keepGoing'>,
): Promise<boolean> {
  const notBegun: string[] = [];
  let isGood = true;
  let isStopped = false;
  await mapLimit(names, options.parallel, async (name) => {
    if (isStopped || session.signal.aborted) {
      notBegun.push(name);
      return;
    }
    const outcome = await restartPod(session, name, {
      spec: options.spec,
      wait: options.wait,
      timeoutMs: options.timeoutMs,
      signal: session.signal,
      note: (line) => session.err(`${line}\n`),
    });
    tell(session, outcome);
    if (outcome.kind !== 'failed' && outcome.kind !== 'interrupted') return;
    isGood = false;
    isStopped ||= !options.keepGoing;
  });
  if (notBegun.length > 0) session.err(`not begun: ${notBegun.map((name) => `pod/${name}`).join(', ')}\n`);
  return isGood && notBegun.length === 0;
}

function tell({ out, err }: ClusterSession, { kind, text }: Outcome): void {
  (kind === 'failed' || kind === 'interrupted' ? err : out)(`${text}\n`);
}
