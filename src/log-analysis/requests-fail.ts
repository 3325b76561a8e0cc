/** Finds that a server answers each request with an error of its own, or turns away each, and what it says of that, if it says anything. Pure. */
import type { DecisiveLine } from './describe.ts';
import type { FailsAgain } from './fails-again.ts';
import { bareWords } from './bare-words.ts';
import { isChatter } from './chatter.ts';
import { lastFailure } from './last-failure.ts';
import { maskSecrets } from './mask-secrets.ts';
import { isOfHealthChecker, isOfProbe } from './probe-lines.ts';
import { behindStatus, pathIn, statusIn } from './request-lines.ts';
import { understoodLog } from './understood-log.ts';

/** Answers that a server gives to everybody when it is set up wrongly; else they are the clients' own. */
const TURNED_AWAY: ReadonlySet<number> = new Set([400, 401, 403, 405, 407, 409, 415, 421, 422, 426]);
/** Lines between the announcement of a request and its end. */
const MAX_LINES_OF_ONE = 12;
const LATELY_LINES = 240;
/** So many in a row, with none that was answered well, are no accident. */
const OFTEN = 5;
/** So many are enough where the server says each time what went wrong. */
const OFTEN_EXPLAINED = 3;
/** So many are enough where nobody caught the error, and no request was ever answered well. */
const OFTEN_UNCAUGHT = 2;
const UNCAUGHT = /\buncaught\b|\bunhandled\b|\bpanic\b/i;

interface Request {
  readonly place: number;
  readonly status: number;
  /** ours: the server is at fault; theirs: who asks may be. Absent: it was answered well. */
  readonly fault?: 'ours' | 'theirs';
  /** The first part of the path, by which requests are of one kind; "": it is not known. */
  readonly kind: string;
}

/** @param lines oldest first */
export function requestsFail(lines: readonly string[]): FailsAgain | undefined {
  const lately = lines.slice(-LATELY_LINES).map((line) => line.slice(0, 2000));
  const requests = lately.flatMap((line, place) => requestAt(lately, line, place));
  const kinds = [...new Set(requests.map(({ kind }) => kind))];
  const found = kinds
    .map((kind) => failedLast(requests.filter((request) => request.kind === kind)))
    .filter(({ failed, since }) => failed.length >= (since === -1 ? OFTEN_UNCAUGHT : OFTEN_EXPLAINED))
    .toSorted((a, b) => b.failed.length - a.failed.length)[0];
  if (found === undefined) return undefined;
  const { failed, since } = found;
  const { kind = '' } = failed[0] ?? {};
  const last = failed.at(-1)?.place ?? 0;
  // What was said before many of them is about another time.
  const recent = failed.at(-OFTEN - 1)?.place ?? since;
  const after = lately.slice(recent + 1, last + 1 + lengthOfRest(lately.slice(last + 1)));
  const own = after.filter((line) => statusIn(line) === undefined && !isOfProbe(line));
  const said = lastFailure(own) ?? ownError(after) ?? ownWarning(own, Math.min(failed.length, OFTEN));
  const answers = failed.at(-1)?.status ?? 500;
  const isTheirs = failed.at(-1)?.fault !== 'ours';
  if (failed.length < OFTEN && (said === undefined || isTheirs)) return undefined;
  if (failed.length < OFTEN_EXPLAINED && !UNCAUGHT.test(said?.line ?? '')) return undefined;
  return {
    said: said ?? recordOf(lately, failed.at(-1)?.place ?? 0),
    times: failed.length,
    answers,
    ...(said === undefined && { isWordless: true }),
    ...(isTheirs && { isMinor: true }),
    ...(kind !== '' && kind !== '/' && { path: kind }),
  };
}

/** Requests that failed by the server's own fault, among the last ones. */
export interface FailedShare {
  readonly failed: number;
  readonly of: number;
}

/** Requests that are looked at. */
const MAX_REQUESTS = 60;
/** A trace of a hundred lines may stand above each that failed. */
const SOME_LINES = 400;
/** So many are no accident, and not few. */
const OFTEN_SOME = 3;
const MIN_SHARE = 0.1;

/** What it says of those that it could not answer, where it answers others of their kind; undefined: nothing, or few fail. @param lines oldest first */
export function someFail(lines: readonly string[]): FailsAgain | undefined {
  const share = someRequestsFail(lines);
  if (share === undefined) return undefined;
  const lately = lines.slice(-SOME_LINES).map((line) => line.slice(0, 2000));
  const failed = lately.flatMap((line, place) => requestAt(lately, line, place)).filter(({ status }) => status >= 500);
  const [before, last] = failed.slice(-2);
  if (before === undefined || last === undefined) return undefined;
  const near = before.place + 1;
  const own = lately
    .slice(near, last.place + 1 + lengthOfRest(lately.slice(last.place + 1)))
    .filter((line) => statusIn(line) === undefined && !isOfProbe(line));
  const said = lastFailure(own);
  return {
    said: said ?? recordOf(lately, last.place),
    times: share.failed,
    some: share.of,
    answers: last.status,
    isMinor: true,
    ...(said === undefined && { isWordless: true }),
  };
}

/** How many of its last requests it could not answer, where some are; undefined: few or none. @param lines oldest first */
export function someRequestsFail(lines: readonly string[]): FailedShare | undefined {
  const lately = lines.slice(-SOME_LINES).map((line) => line.slice(0, 2000));
  const requests = lately.flatMap((line, place) => requestAt(lately, line, place)).slice(-MAX_REQUESTS);
  const failed = requests.filter(({ status }) => status >= 500).length;
  return failed >= OFTEN_SOME && failed >= requests.length * MIN_SHARE ? { failed, of: requests.length } : undefined;
}

/** Lines that a trace may have. */
const MAX_TRACE = 60;

/** The lines that may belong to the last answer: the other stream may write the trace of an error below it, as a whole. */
function lengthOfRest(lines: readonly string[]): number {
  const next = lines.findIndex((line) => statusIn(line) !== undefined);
  return Math.min(next === -1 ? lines.length : next, MAX_TRACE);
}

/** The requests of one kind that failed since the last that did not, and where that is. */
function failedLast(requests: readonly Request[]): { readonly failed: readonly Request[]; readonly since: number } {
  const lastWell = requests.findLastIndex(({ fault }) => fault === undefined);
  // Another status has another reason: a proxy is refused at first, and given errors later.
  const last = requests.at(-1)?.status;
  const lastOther = requests.findLastIndex(({ status }) => status !== last);
  const from = requests.length - lastOther - 1 >= OFTEN ? Math.max(lastWell, lastOther) : lastWell;
  return { failed: requests.slice(from + 1), since: requests[from]?.place ?? -1 };
}

/** What FPM answers that has no such script, whatever the status is. */
const SCRIPT_UNKNOWN = /"?Primary script unknown"?/;

function isWithoutScript(lines: readonly string[], place: number): boolean {
  return lines.slice(Math.max(0, place - 2), place + 2).some((line) => SCRIPT_UNKNOWN.test(line));
}

function requestAt(lines: readonly string[], line: string, place: number): readonly Request[] {
  const status = isOfHealthChecker(line) ? undefined : statusIn(line);
  if (status === undefined) return [];
  const path = pathIn(line) ?? announced(lines, place);
  if (path !== undefined && isChatter(`${path} `)) return [];
  const isOurs = status >= 500 || (status === 404 && isWithoutScript(lines, place));
  const fault = isOurs ? 'ours' : TURNED_AWAY.has(status) ? 'theirs' : undefined;
  return [{ place, status, kind: path === undefined ? '' : kindOf(path), ...(fault && { fault }) }];
}

/** The path of the nearest line above that announces a request and does not end one. */
function announced(lines: readonly string[], place: number): string | undefined {
  for (let above = place - 1; above >= Math.max(0, place - MAX_LINES_OF_ONE); above -= 1) {
    const line = lines[above] ?? '';
    if (statusIn(line) !== undefined) return undefined;
    const path = pathIn(line);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** "/v1/sessions/17" → "/v1/sessions": what differs from one request to the next is left out. */
function kindOf(path: string): string {
  if (!path.startsWith('/')) return path;
  const parts = path.split('/').slice(1);
  const version = /^(?:api|v\d+)$/i;
  const kept = parts.slice(0, parts.findIndex((part) => !version.test(part)) + 1);
  return `/${(kept.length === 0 ? parts.slice(0, 1) : kept).filter((part) => version.test(part) || !/\d/.test(part)).join('/')}`;
}

/** What it warns of with most of the failed requests: that is why they fail, whatever its words are. */
function ownWarning(lines: readonly string[], failed: number): DecisiveLine | undefined {
  const { roled } = understoodLog(lines);
  const warned = roled.filter(({ role, level }) => role === 'line' && level === 'warning');
  const counts = new Map<string, number>();
  for (const { said } of warned) counts.set(wordsOf(said), (counts.get(wordsOf(said)) ?? 0) + 1);
  const often = warned.findLast(({ said }) => (counts.get(wordsOf(said)) ?? 0) * 2 >= failed);
  return (
    often && { line: maskSecrets(often.said).slice(0, MAX_RECORD), index: often.index, related: [], firmness: 'weak' }
  );
}

/** Its words, without those that have digits, as identifiers do. */
function wordsOf(text: string): string {
  return bareWords(
    text
      .split(/\s+/)
      .filter((word) => !/\d/.test(word))
      .join(' '),
  );
}

/** How a session of HAProxy ended, by who ended it and when: "sH--". */
const HAPROXY_FLAGS = / ([CSPRILKUDcs-][CDHLQRTUP-][A-Z-]{2}) \d+\/\d+\/\d+\/\d+\/\+?\d+ /;

/** The record of an answer, without the address of who asked. */
const FROM_METHOD = /["']?\b(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b/;

function recordOf(lines: readonly string[], place: number): DecisiveLine {
  const line = lines[place] ?? '';
  const begin = FROM_METHOD.exec(line)?.index ?? 0;
  const text = line.slice(begin, begin + MAX_RECORD);
  const flags = HAPROXY_FLAGS.exec(line.slice(0, begin))?.[1];
  return {
    line: `${maskSecrets(text).trim()}${flags === undefined ? '' : ` (${flags})`}`,
    index: place,
    related: [],
    firmness: 'weak',
  };
}

const MAX_RECORD = 300;

/** The error that a program puts behind the status of a request. */
function ownError(lines: readonly string[]): DecisiveLine | undefined {
  const rest = lines.flatMap((line) => {
    const text = behindStatus(line) ?? '';
    return /[a-z]{3}/i.test(text) ? [text.replace(/^[-:,; ]+/, '')] : [];
  });
  const last = rest.at(-1);
  if (last === undefined) return undefined;
  return lastFailure(rest) ?? { line: maskSecrets(last), index: lines.length - 1, related: [], firmness: 'weak' };
}
