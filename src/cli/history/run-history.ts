/** Runs `history` on an open cluster. */
import type { PodHistory, PodHistoryList } from '../../api/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { deathLines } from './death-page.ts';
import { fetchHistory, type HistoryAnswer } from './fetch-history.ts';
import { historyLines } from './history-table.ts';
import { diedIn, pickDeath } from './pick-death.ts';

export interface HistoryOptions {
  readonly pod: string;
  readonly container?: string;
  readonly uid?: string;
  readonly death?: number;
  readonly output: 'table' | 'wide' | 'json';
}

/** @throws UsageError, StatusError, ConnectionError */
export async function runHistory(session: ClusterSession, options: HistoryOptions): Promise<ExitCode> {
  const { pod, container, uid, death, output } = options;
  const answer = await fetchHistory(session, { name: pod, ...(uid === undefined ? {} : { uid }) });
  warnOf(answer, session);
  const { items } = answer;
  const died = death === undefined ? undefined : lastThatDied(answer, session);
  if (death !== undefined && died !== undefined) return printDeath(session, died, options, death);
  if (output === 'json') {
    session.out(`${JSON.stringify(listOf(items, container, answer.problems), undefined, 2)}\n`);
    return items.length === 0 && answer.problems.length > 0 ? exitCodes.failed : exitCodes.done;
  }
  const isEmpty = items.every((item) => deathsOf(item, container) === 0);
  if (isEmpty) {
    if (answer.problems.length > 0) return exitCodes.failed;
    session.err(`No death of ${container === undefined ? '' : `container ${container} of `}pod/${pod} is known.\n`);
    return exitCodes.done;
  }
  const { columns, clock } = session;
  const table = {
    wide: output === 'wide',
    now: clock.now().wall,
    columns,
    ...(container === undefined ? {} : { container }),
  };
  // The existing pod is shown even when only earlier pods of its name have deaths.
  const shown = items.filter((item) => deathsOf(item, container) > 0 || item.goneAt === undefined);
  session.out(
    historyLines(shown, table)
      .map((line) => `${line}\n`)
      .join(''),
  );
  return exitCodes.done;
}

/** The newest life of the pod that has a death; a warning says so when the pod has been replaced since. */
export function lastThatDied({ items }: HistoryAnswer, { err }: Pick<ClusterSession, 'err'>): PodHistory | undefined {
  const died = items.find((item) => diedIn(item).length > 0);
  const [newest] = items;
  if (died !== undefined && newest !== undefined && newest !== died) {
    const { name, uid } = newest.metadata;
    const other = `this is of the one before (uid ${died.metadata.uid})`;
    err(`mendlet: of pod/${name} as it is now (uid ${uid}) no death is known: ${other}\n`);
  }
  return died;
}

/** Warns of nodes that did not answer. */
export function warnOf({ problems }: HistoryAnswer, { err }: Pick<ClusterSession, 'err'>): void {
  for (const { node, problem } of problems) err(`mendlet: no history from node ${node}: ${problem}\n`);
}

function printDeath(
  { out, clock }: ClusterSession,
  item: PodHistory,
  { container, output }: HistoryOptions,
  number: number,
): ExitCode {
  const picked = pickDeath(item, container, number);
  if (output === 'json') {
    const only = { ...item, containers: [{ ...picked.container, deaths: [picked.death] }] };
    out(`${JSON.stringify(listOf([only], undefined, []), undefined, 2)}\n`);
  } else {
    out(
      deathLines(picked, clock.now().wall)
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  return exitCodes.done;
}

function deathsOf({ containers }: PodHistory, container: string | undefined): number {
  return containers
    .filter(({ name }) => container === undefined || name === container)
    .reduce((sum, { deaths }) => sum + deaths.length, 0);
}

function listOf(
  items: readonly PodHistory[],
  container: string | undefined,
  problems: HistoryAnswer['problems'],
): PodHistoryList {
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'PodHistoryList',
    items: items.map((item) => ({
      ...item,
      containers: item.containers.filter(({ name }) => container === undefined || name === container),
    })),
    ...(problems.length === 0 ? {} : { notAsked: problems }),
  };
}
