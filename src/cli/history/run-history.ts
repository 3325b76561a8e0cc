/** What `history` does with a cluster. */
import type { PodHistory, PodHistoryList } from '../../api/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { deathLines } from './death-page.ts';
import { fetchHistory, type HistoryAnswer } from './fetch-history.ts';
import { historyLines } from './history-table.ts';
import { pickDeath } from './pick-death.ts';

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
  const items = answer.items.filter((item) => item.containers.length > 0);
  if (death !== undefined && items[0] !== undefined) {
    return printDeath(session, items[0], options, death);
  }
  if (output === 'json') {
    session.out(`${JSON.stringify(listOf(items, container), undefined, 2)}\n`);
    return answer.problems.length > 0 ? exitCodes.failed : exitCodes.done;
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
  const shown = items.filter((item) => deathsOf(item, container) > 0);
  session.out(
    historyLines(shown, table)
      .map((line) => `${line}\n`)
      .join(''),
  );
  return exitCodes.done;
}

/** Of which node nothing is known. */
export function warnOf({ problems }: HistoryAnswer, { err }: Pick<ClusterSession, 'err'>): void {
  for (const { node, problem } of problems) err(`mendlet: node ${node} does not tell: ${problem}\n`);
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
    out(`${JSON.stringify(listOf([only], undefined), undefined, 2)}\n`);
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

function listOf(items: readonly PodHistory[], container: string | undefined): PodHistoryList {
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'PodHistoryList',
    items: items.map((item) => ({
      ...item,
      containers: item.containers.filter(({ name }) => container === undefined || name === container),
    })),
  };
}
