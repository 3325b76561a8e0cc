/** Finds that a server fails some of its requests, and what it says of those, while it answers others of their kind. Pure. */
import type { FailsAgain } from './fails-again.ts';
import { lastFailure } from './last-failure.ts';
import { isOfProbe } from './probe-lines.ts';
import { statusIn } from './request-lines.ts';
import { lengthOfRest, recordOf, type Request, requestsIn } from './requests-in.ts';

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
  const { lately, requests } = requestsIn(lines, SOME_LINES);
  const failed = requests.filter(({ status }) => status >= 500);
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

/** So many times the longest row of good answers between two failures are more than chance. */
const LONGER = 3;
/** Fewer good answers at the end say nothing. */
const MIN_GOOD = 6;

/** Whether it has answered so many of the kind that failed last since then that the failures have come to their end. */
function isOver(requests: readonly Request[]): boolean {
  const last = requests.findLast(({ status }) => status >= 500);
  const ofKind = requests.filter(({ kind }) => kind === last?.kind);
  const rows = ofKind
    .map(({ status }) => (status >= 500 ? '!' : '.'))
    .join('')
    .split('!');
  const between = Math.max(0, ...rows.slice(1, -1).map(({ length }) => length));
  return (rows.at(-1)?.length ?? 0) >= Math.max(MIN_GOOD, LONGER * between);
}

/** How many of its last requests it could not answer, where some are; undefined: few or none. @param lines oldest first */
export function someRequestsFail(lines: readonly string[]): FailedShare | undefined {
  const requests = requestsIn(lines, SOME_LINES).requests.slice(-MAX_REQUESTS);
  const failed = requests.filter(({ status }) => status >= 500).length;
  if (isOver(requests)) return undefined;
  return failed >= OFTEN_SOME && failed >= requests.length * MIN_SHARE ? { failed, of: requests.length } : undefined;
}
