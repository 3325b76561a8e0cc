/**
 * Runs `watch` on an open cluster: the verdict, a strip for each node and a row for each workload, drawn in place on a terminal, as
 * lines of what changed elsewhere.
 */
import { type Overview, overviewOf } from '../../overview/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { Bell } from '../restart/bell.ts';
import { clusterTime } from '../restart/cluster-time.ts';
import { type ClusterFeed, watchOverview } from './cluster-feed.ts';
import { FIRST_LISTS_MS, REPAINT_MS, TICK_MS } from './limits.ts';
import { changeLines } from './plain-lines.ts';
import { SaidWords } from './said-words.ts';
import { staleText } from './stale-text.ts';
import { WatchScreen } from './watch-screen.ts';

export interface WatchOptions {
  /** undefined: all */
  readonly namespace: string | undefined;
  /** json: one overview a line. */
  readonly output: 'text' | 'json';
  /** Ends after the first picture. */
  readonly once: boolean;
}

/** Until the signal is aborted, the user leaves, or with `once` after the first. @throws StatusError, ConnectionError */
export async function runWatch(session: ClusterSession, options: WatchOptions): Promise<ExitCode> {
  const { clock, connection } = session;
  const given = AbortSignal.any([session.signal, ...(session.readerGone === undefined ? [] : [session.readerGone])]);
  const aheadMs = (await clusterTime(connection, clock)) - clock.now().wall;
  const end = new AbortController();
  const signal = AbortSignal.any([given, end.signal]);
  const bell = new Bell();
  // Whoever waits for a change must not wait on after the end.
  signal.addEventListener('abort', () => bell.ring(), { once: true });
  const feed = watchOverview(session, options.namespace, bell, signal);
  const said = new SaidWords({ ...session, signal }, () => bell.ring());
  const look = (): Overview => {
    const facts = feed.facts((id) => said.of(id));
    said.look(facts.pods);
    return overviewOf(facts, clock.now().wall + aheadMs);
  };
  try {
    const screen = options.once || options.output === 'json' ? undefined : session.screen;
    if (screen !== undefined)
      return await new WatchScreen({ session: { ...session, signal }, screen, feed, bell, aheadMs }).run(look);
    await Promise.race([feed.ready, sleepQuietly(clock, FIRST_LISTS_MS, signal)]);
    return await printChanges({ ...session, signal }, options, { feed, bell, look });
  } finally {
    end.abort();
  }
}

interface Watched {
  readonly feed: ClusterFeed;
  readonly bell: Bell;
  readonly look: () => Overview;
}

async function printChanges(
  session: ClusterSession,
  options: WatchOptions,
  { feed, bell, look }: Watched,
): Promise<ExitCode> {
  let before: Overview | undefined;
  let stale = '';
  while (!session.signal.aborted) {
    const after = look();
    const problem = staleText(feed.failures(), session.clock.now().wall) ?? '';
    if (problem !== stale && problem !== '') session.err(`mendlet: ${problem}\n`);
    stale = problem;
    if (options.output === 'json') printJson(session, before, after);
    else for (const line of changeLines(before, after)) session.out(`${timeText(after.at)} ${line}\n`);
    if (options.once) return problem === '' ? exitCodes.done : exitCodes.failed;
    before = after;
    await sleepQuietly(session.clock, REPAINT_MS, session.signal);
    await bell.wait(session.clock, TICK_MS * 60);
  }
  return exitCodes.done;
}

/** Nothing but the time differs: nothing to tell. */
function printJson(session: ClusterSession, before: Overview | undefined, after: Overview): void {
  const text = JSON.stringify({ ...after, at: 0 });
  if (before !== undefined && JSON.stringify({ ...before, at: 0 }) === text) return;
  session.out(`${JSON.stringify(after)}\n`);
}

/** "20:31:05", as the clock on the wall of this machine. */
function timeText(wallMs: number): string {
  const at = new Date(wallMs);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

async function sleepQuietly(clock: ClusterSession['clock'], ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => {});
}
