/** Runs `logs` on an open cluster: prints a container's log as kubectl does, or the end of the log of one of its deaths. */
import { type Pod, PODS, type Status, StatusError } from '../../api/index.ts';
import { decodeText, encodeText, readAll, VisibleDecoder } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { fetchHistory } from './fetch-history.ts';
import { MAX_ANSWER_BYTES } from './limits.ts';
import { numbersText, pickDeath } from './pick-death.ts';
import { lastThatDied, warnOf } from './run-history.ts';

/** Options that apply to the log of an existing container, and not to the log of a death. */
export interface LiveLog {
  readonly previous: boolean;
  readonly follow: boolean;
  readonly timestamps: boolean;
}

export interface LogsOptions {
  readonly pod: string;
  readonly container?: string;
  readonly uid?: string;
  readonly death?: number;
  readonly live: LiveLog;
  readonly tail?: number;
  /** Prints the log as the program wrote it, even to a terminal. */
  readonly raw: boolean;
}

/** @throws UsageError, StatusError, ConnectionError */
export function runLogs(session: ClusterSession, options: LogsOptions): Promise<ExitCode> {
  return options.death === undefined ? liveLog(session, options) : deadLog(session, options, options.death);
}

async function deadLog(session: ClusterSession, options: LogsOptions, number: number): Promise<ExitCode> {
  const { pod, container, uid, tail } = options;
  const answer = await fetchHistory(session, { name: pod, ...(uid === undefined ? {} : { uid }) });
  warnOf(answer, session);
  const item = lastThatDied(answer, session);
  if (item === undefined) {
    if (answer.problems.length === 0) session.err(`mendlet: no death of pod/${pod} is known.\n`);
    return exitCodes.failed;
  }
  const picked = pickDeath(item, container, number);
  const { death } = picked;
  const { deaths, name } = picked.container;
  if (death.log === undefined) {
    session.err(
      `mendlet: the log of death ${death.number} of container ${name} is lost; the known deaths are ${numbersText(deaths)}.\n`,
    );
    return exitCodes.failed;
  }
  if (death.log.tail === '') session.err(`(container ${name} wrote nothing before its death ${death.number})\n`);
  if (death.log.truncated) session.err(`(only the end: the node keeps no more of the log of death ${death.number})\n`);
  await print([encodeText(lastLines(death.log.tail, tail))], session, options);
  return exitCodes.done;
}

/** The last lines; all lines without a count. */
function lastLines(text: string, count: number | undefined): string {
  if (count === undefined || count < 0) return text;
  const end = text.endsWith('\n') ? 1 : 0;
  return text
    .split('\n')
    .slice(count === 0 ? Number.POSITIVE_INFINITY : -(count + end))
    .join('\n');
}

async function liveLog(session: ClusterSession, options: LogsOptions): Promise<ExitCode> {
  const { client, connection, namespace, signal } = session;
  const { previous, follow, timestamps } = options.live;
  const pod = await client.get<Pod>(PODS, namespace, options.pod, signal);
  const container = options.container ?? defaultContainer(pod);
  const query = new URLSearchParams({ container });
  if (previous) query.set('previous', 'true');
  if (follow) query.set('follow', 'true');
  if (timestamps) query.set('timestamps', 'true');
  if (options.tail !== undefined && options.tail >= 0) query.set('tailLines', String(options.tail));
  const url = `/api/v1/namespaces/${namespace}/pods/${options.pod}/log?${query.toString()}`;
  const { status, body } = await connection.request({ method: 'GET', url, headers: { accept: '*/*' }, signal });
  if (status !== 200) throw refused(status, decodeText(await readAll(body, MAX_ANSWER_BYTES)));
  await print(body instanceof Uint8Array ? [body] : body, session, options);
  return exitCodes.done;
}

/** Makes control characters visible on a terminal, which would obey them; a file or another program gets the bytes as written. */
async function print(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { outRaw, isTerminal }: ClusterSession,
  { raw }: LogsOptions,
): Promise<void> {
  const decoder = new VisibleDecoder();
  for await (const chunk of chunks) outRaw(raw || !isTerminal ? chunk : decoder.add(chunk));
  outRaw(decoder.end());
}

/** The container that kubectl would choose. */
function defaultContainer({ metadata, spec }: Pod): string {
  return metadata?.annotations?.['kubectl.kubernetes.io/default-container'] ?? spec?.containers?.[0]?.name ?? '';
}

function refused(code: number, text: string): StatusError {
  try {
    const status = JSON.parse(text) as Status;
    if (status.kind === 'Status') return new StatusError(status);
  } catch {
    // An answer in plain text is itself the message.
  }
  return new StatusError({ code, message: text.trim() });
}
