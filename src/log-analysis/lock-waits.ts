/** Finds in a log of PostgreSQL which session keeps the others waiting (`log_lock_waits`), and who that is. Pure. */
import { maskSecrets } from './mask-secrets.ts';

/** The session that holds the lock, and the one that waits before the others for more than they want. */
export interface LockHolder {
  /** The holder's process, which waits for no lock itself. */
  readonly process: string;
  /** "app=report": what the log has of it beside its number. */
  readonly session?: string;
  /** What it did, as far as the log tells. */
  readonly statement?: string;
  /** The first in the queue, where it keeps others waiting that the holder would not. */
  readonly ahead?: {
    readonly process: string;
    readonly mode: string;
    readonly session?: string;
    readonly statement?: string;
  };
  /** The first in the queue, where nobody waits behind it for its sake. */
  readonly waits?: { readonly process: string; readonly session?: string; readonly statement?: string };
}

const WAITS = /\bprocess (\d{1,9}) still waiting for (\w{1,40}) on /;
const HELD = /\bDETAIL: {1,4}Process(?:es)? holding the locks?: ([\d, ]{1,200})\. Wait queue: ([\d, ]{1,400})/;
/** A line with the process in brackets, what `log_line_prefix` has of the session, the kind of the line and its words. */
const OF_SESSION =
  /\[(\d{1,9})\](?:-\d{1,9})?:? ?(.{0,120}?) ?\b(LOG|ERROR|STATEMENT|DETAIL|WARNING|FATAL|HINT|CONTEXT): {1,4}(.*)$/;
const AUTHORIZED = /^connection authorized: (.{1,200})$/;
const STATEMENT = /^(?:statement|execute [^:]{1,80}|duration: [\d.]+ ms {1,4}(?:statement|execute [^:]{1,80})): (.*)$/;
/** It lets nobody beside it, so that whoever asks later waits behind the one who waits for it. */
const EXCLUSIVE = /^(?:Access)?ExclusiveLock$|^ShareRowExclusiveLock$/;
const IS_NAMED = /^(?!.*\[unknown\])(?=.*[a-z])/i;
const MAX_STATEMENT = 80;

interface Session {
  readonly said?: string;
  readonly statement?: string;
}

/** @param lines the log's last lines, oldest first; undefined: nobody waits for a lock, or the log does not say for whom */
export function lockHolder(lines: readonly string[]): LockHolder | undefined {
  const waiting = new Map<string, string>();
  let last: { readonly holders: readonly string[]; readonly queue: readonly string[] } | undefined;
  for (const line of lines) {
    const [, process, mode] = WAITS.exec(line) ?? [];
    if (process !== undefined && mode !== undefined) waiting.set(process, mode);
    const [, holders, queue] = HELD.exec(line) ?? [];
    if (holders !== undefined && queue !== undefined) last = { holders: numbers(holders), queue: numbers(queue) };
  }
  const process = last?.holders.find((each) => !waiting.has(each)) ?? last?.holders[0];
  if (process === undefined) return undefined;
  const sessions = sessionsOf(lines);
  const [first, ...others] = last?.queue ?? [];
  const mode = waiting.get(first ?? '') ?? '';
  const isAhead = first !== undefined && others.length > 0 && EXCLUSIVE.test(mode);
  return {
    process,
    ...wordsOf(sessions.get(process)),
    ...(!isAhead && first !== undefined && { waits: { process: first, ...wordsOf(sessions.get(first)) } }),
    ...(isAhead && { ahead: { process: first, mode, ...wordsOf(sessions.get(first)) } }),
  };
}

function numbers(text: string): readonly string[] {
  return text.match(/\d+/g) ?? [];
}

function sessionsOf(lines: readonly string[]): ReadonlyMap<string, Session> {
  const sessions = new Map<string, Session>();
  for (const line of lines) {
    const [, process, prefix = '', kind, words = ''] = OF_SESSION.exec(line) ?? [];
    if (process === undefined) continue;
    const known = sessions.get(process);
    const said = AUTHORIZED.exec(words)?.[1] ?? known?.said ?? (IS_NAMED.test(prefix) ? prefix : undefined);
    const statement = (kind === 'STATEMENT' ? words : STATEMENT.exec(words)?.[1]) ?? known?.statement;
    sessions.set(process, { ...(said !== undefined && { said }), ...(statement !== undefined && { statement }) });
  }
  return sessions;
}

function wordsOf(session: Session | undefined): { readonly session?: string; readonly statement?: string } {
  const { said, statement } = session ?? {};
  return {
    ...(said !== undefined && { session: maskSecrets(said.trim()) }),
    ...(statement !== undefined && { statement: short(maskSecrets(statement.trim())) }),
  };
}

function short(text: string): string {
  return text.length <= MAX_STATEMENT ? text : `${text.slice(0, MAX_STATEMENT - 1).trimEnd()}…`;
}
