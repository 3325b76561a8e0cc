/** Reads the requests that a log records, with how they were answered and who is at fault. Pure. */
import { isChatter } from './chatter.ts';
import type { DecisiveLine } from './describe.ts';
import { maskSecrets } from './mask-secrets.ts';
import { isOfHealthChecker } from './probe-lines.ts';
import { pathIn, statusIn } from './request-lines.ts';

/** Answers that a server gives to everybody when it is set up wrongly; else they are the clients' own. */
const TURNED_AWAY: ReadonlySet<number> = new Set([400, 401, 403, 405, 407, 409, 415, 421, 422, 426]);
/** Lines between the announcement of a request and its end. */
const MAX_LINES_OF_ONE = 12;
/** No line is read further, characters. */
const MAX_LINE = 2000;

export interface Request {
  readonly place: number;
  readonly status: number;
  /** ours: the server is at fault; theirs: who asks may be. Absent: it was answered well. */
  readonly fault?: 'ours' | 'theirs';
  /** The first part of the path, by which requests are of one kind; "": it is not known. */
  readonly kind: string;
}

/** The last lines as far as they are read, and the requests that they record, oldest first. */
export function requestsIn(
  lines: readonly string[],
  most: number,
): { readonly lately: readonly string[]; readonly requests: readonly Request[] } {
  const lately = lines.slice(-most).map((line) => line.slice(0, MAX_LINE));
  return { lately, requests: lately.flatMap((line, place) => requestAt(lately, line, place)) };
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

/** Lines that a trace may have. */
const MAX_TRACE = 60;

/** The lines that may belong to the last answer: the other stream may write the trace of an error below it, as a whole. */
export function lengthOfRest(lines: readonly string[]): number {
  const next = lines.findIndex((line) => statusIn(line) !== undefined);
  return Math.min(next === -1 ? lines.length : next, MAX_TRACE);
}

/** How a session of HAProxy ended, by who ended it and when: "sH--". */
const HAPROXY_FLAGS = / ([CSPRILKUDcs-][CDHLQRTUP-][A-Z-]{2}) \d+\/\d+\/\d+\/\d+\/\+?\d+ /;

/** The record of an answer, without the address of who asked. */
const FROM_METHOD = /["']?\b(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b/;

export function recordOf(lines: readonly string[], place: number): DecisiveLine {
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

export const MAX_RECORD = 300;
