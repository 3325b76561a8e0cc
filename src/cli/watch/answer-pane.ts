/** Carries out what a key asks for, with the verbs that do it elsewhere, and catches what they print. */
import { StatusError } from '../../api/index.ts';
import { errorMessage } from '../../lib/index.ts';
import type { WorkloadRow } from '../../overview/index.ts';
import { actOn } from '../acts/act-on.ts';
import { actKind } from '../acts/acts.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode } from '../exit-codes.ts';
import { runLogs } from '../history/run-logs.ts';
import { restartOptions } from '../restart/options.ts';
import { runRestart } from '../restart/run-restart.ts';
import { parseWhyTarget } from '../why/target.ts';
import { runWhy } from '../why/run-why.ts';
import { LOG_LINES, MAX_PANE_CHARACTERS, MAX_PANE_LINES } from './limits.ts';
import type { DeedKind, Pane } from './view-state.ts';

export async function whyPane(session: ClusterSession, row: WorkloadRow): Promise<Pane> {
  const { namespace } = row;
  const target = parseWhyTarget([`${row.kind}/${row.name}`], { namespace });
  const options = { target, output: 'text', exitCode: false, namespaceGiven: true } as const;
  const lines = await caught(session, namespace, (own) => runWhy(own, options));
  return { title: `why ${row.kind}/${row.name} -n ${namespace}`, lines, top: 0 };
}

/** The log of the row's pod that is worst, its end last. */
export async function logsPane(session: ClusterSession, row: WorkloadRow, height: number): Promise<Pane> {
  const [pod] = row.pods;
  if (pod === undefined) return { title: `logs of ${row.kind}/${row.name}`, lines: ['it has no pods'], top: 0 };
  const container = pod.lastDeath?.container;
  const live = { previous: false, follow: false, timestamps: false };
  const options = {
    pod: pod.name,
    ...(container === undefined ? {} : { container }),
    live,
    tail: LOG_LINES,
    raw: false,
  };
  const lines = await caught(session, pod.namespace, (own) => runLogs(own, options));
  const title = `logs of pod/${pod.name}${container === undefined ? '' : ` (${container})`} -n ${pod.namespace}`;
  return { title, lines, top: Math.max(0, lines.length - height) };
}

/** @returns one line: what came of it */
export async function deedOn(session: ClusterSession, kind: DeedKind, row: WorkloadRow): Promise<string> {
  if (kind === 'restart') return await restartRow(session, row);
  const { namespace, name } = row;
  const target = actKind(row.kind);
  if (target === undefined) return `${row.kind}/${name}: there is nothing that could be done`;
  return (await actOn(session, kind, { kind: target, namespace, name }, 'in mendlet watch')).words;
}

async function restartRow(session: ClusterSession, row: WorkloadRow): Promise<string> {
  const options = restartOptions([`${row.kind}/${row.name}`], { reason: 'asked for in mendlet watch' });
  const lines = await caught(session, row.namespace, (own) => runRestart(own, options, 'mendlet restart'));
  return lines.at(-1) ?? `${row.kind}/${row.name} restarted`;
}

/** What the verb prints, in order, without its colours; its error as the last line. Bounded. */
async function caught(
  session: ClusterSession,
  namespace: string,
  verb: (session: ClusterSession) => Promise<ExitCode>,
): Promise<readonly string[]> {
  let text = '';
  const add = (more: string | Uint8Array): void => {
    if (text.length < MAX_PANE_CHARACTERS) text += typeof more === 'string' ? more : new TextDecoder().decode(more);
  };
  const { screen: _, ...quiet } = session;
  const own: ClusterSession = {
    ...quiet,
    namespace,
    columns: undefined,
    isTerminal: false,
    out: add,
    err: add,
    outRaw: add,
  };
  try {
    await verb(own);
  } catch (error) {
    if (session.signal.aborted) throw error;
    add(`${error instanceof StatusError ? error.message : errorMessage(error)}\n`);
  }
  return text.trimEnd().split('\n').slice(-MAX_PANE_LINES);
}
