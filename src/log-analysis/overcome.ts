/** Which errors of a log were overcome: what was tried again and worked, what a request had, after what the program went on. Pure. */
import type { Dialect } from './dialects/dialect.ts';
import type { RoledLine } from './traces.ts';
import { tracesOfMain } from './uncaught.ts';
import {
  advises,
  isAboutClient,
  isAboutRequest,
  isBad,
  isClosing,
  isConsequence,
  isFigure,
  isGoingOn,
  isReady,
  isReload,
  isRetry,
  isTidying,
  saysWhyItEnds,
} from './grammar/index.ts';

/** The position of the last line after which the program worked; -1: there is none. */
export function overcome(roled: readonly RoledLine[], dialects: readonly Dialect[]): number {
  const lastEnd = roled.findLastIndex(({ role, text }) => role === 'line' && saysWhyItEnds(text));
  return roled.findLastIndex(({ role, text, said, level, part }, position) => {
    if (role !== 'line' || part === true || level === 'error' || level === 'fatal') return false;
    if (dialects.some(({ noise }) => noise?.test(text) === true || noise?.test(said) === true)) return false;
    if (dialects.some(({ recovery }) => recovery?.test(text) === true || recovery?.test(said) === true)) return true;
    // A detail of the line above: "-> Applied to database : 1".
    if (DETAIL.test(text)) return false;
    // What is told below the reason of an end may speak of work, as a dump of threads does.
    return (
      (isReady(text) || (isGoingOn(text) && (lastEnd === -1 || position < lastEnd))) &&
      !isClosing(text) &&
      !advises(text)
    );
  });
}

const DETAIL = /^(?:->|=>|\u2192|\|) /;

/** The fields of a structured line about one request, which was answered. */
const ANSWERED = /(?:^|\s)(?:\w{1,20}_)?status(?:_code)?=[1-5]\d\d\b/;
/** The fields of a structured line about one piece of work that was timed. */
const TIMED = /\b(?:duration|elapsed|latency|took)\w*=/;

/** A client that left or was sent away. */
const OF_CLIENT =
  /^(?:\d{1,3}\.){3}\d{1,3} - \S{1,60} \[\d{1,2}\/\w{3}\/\d{4}|^(?:LOG\d\[\d+\]: )?SSL_accept: |TLS handshake error from |^client \S{1,100} (?:disconnected|closed|has exceeded|sent|rejected)/i;

const NOBODY_CAUGHT = /\b(?:unhandled|uncaught)\b|\bmain loop\b/i;

/** The access log of a request that was answered with an error of the server. */
const FAILED_ANSWER =
  /"(?:GET|POST|PUT|HEAD|DELETE|PATCH) \S{1,500}(?: HTTP\/[\d.]+)?"(?: from \S{1,80} -)? 5\d\d\b|\b(?:GET|POST|PUT|HEAD|DELETE|PATCH) \/\S{0,500} (?:-> )?5\d\d\b/;

/** The positions of the trace right above an access log: what its request died of. */
function traceAbove(roled: readonly RoledLine[], position: number): readonly number[] {
  const trace = roled.slice(Math.max(0, position - 3), position).findLast((line) => line.trace !== undefined)?.trace;
  if (trace === undefined) return [];
  return roled.flatMap((line, at) => (at < position && line.trace === trace ? [at] : []));
}

/** A trace that is logged with less than an error, and the client's trace under it, end no program that works already. */
function announcesTrace(roled: readonly RoledLine[], position: number, isReadyYet: boolean): boolean {
  const level = roled[position]?.level;
  // Nobody caught it, so it was no request's alone.
  if (NOBODY_CAUGHT.test(roled[position]?.text ?? '')) return false;
  if (level !== 'warning' && !((level === 'info' || level === 'debug') && isBad(roled[position]?.text ?? '')))
    return false;
  const next = roled.slice(position + 1, position + 3).find(({ role }) => role !== 'line');
  return next !== undefined && next.level === undefined && (isReadyYet || isAboutClient(next.text));
}

/** The positions of errors of single requests, and of the traces that follow them. */
export function requestLines(roled: readonly RoledLine[], dialects: readonly Dialect[]): ReadonlySet<number> {
  const found = new Set<number>();
  const serving = dialects.filter(
    ({ ofServer }) =>
      ofServer === undefined || roled.some(({ text, said }) => ofServer.test(text) || ofServer.test(said)),
  );
  const ofMain = tracesOfMain(roled);
  let isReadyYet = false;
  // Words such as "listening" come before the start of some servers has come to its end.
  const ready = new Set(serving.filter(({ recovery }) => recovery === undefined));
  let inside = false;
  for (const [position, { role, text, said, indent, level, fields = '', ofClient, trace }] of roled.entries()) {
    if (role === 'line' && !(inside && indent > 0)) {
      const says = (pattern: RegExp | undefined): boolean =>
        pattern !== undefined && (pattern.test(text) || pattern.test(said));
      inside =
        serving.some(
          (dialect) => says(dialect.request) || (isReadyYet && ready.has(dialect) && says(dialect.requestWhenReady)),
        ) ||
        ANSWERED.test(fields) ||
        ofClient === true ||
        OF_CLIENT.test(text) ||
        announcesTrace(roled, position, isReadyYet) ||
        // What ends a program is no matter of one request, whatever else the line tells.
        (isReadyYet &&
          level !== 'fatal' &&
          !serving.some(({ decisive }) => says(decisive)) &&
          (isReload(text) || isAboutClient(text) || isAboutRequest(text) || TIMED.test(fields)));
      for (const dialect of serving) if (says(dialect.recovery)) ready.add(dialect);
      if (dialects.some(({ recovery }) => says(recovery)) || isReady(text)) isReadyYet = true;
    }
    if (inside && (trace === undefined || !ofMain.has(trace))) found.add(position);
    if (isReadyYet && role === 'line' && FAILED_ANSWER.test(text))
      for (const each of traceAbove(roled, position)) found.add(each);
  }
  return found;
}

/** Ordinary lines after which a program counts as going on, when its last lines say nothing of an end. */
const ORDINARY_LINES = 2;

/** The position of the last line before which errors are overcome because the program simply went on; -1: there is none. */
export function wentOn(roled: readonly RoledLine[], dialects: readonly Dialect[]): number {
  let ordinary = 0;
  let next: RoledLine | undefined;
  for (let position = roled.length - 1; position >= 0; position--) {
    const line = roled[position];
    if (line === undefined) return -1;
    if (line.role === 'line' && (line.part === true || isFigure(line.text))) continue;
    if (!isOrdinary(line, dialects)) {
      // What a program tidies up after its last words is no work.
      const isEnd =
        line.level === 'fatal' || [isClosing, isTidying, isConsequence, saysWhyItEnds].some((says) => says(line.text));
      return ordinary >= (isOvercomeBy(line, next) ? 1 : ORDINARY_LINES) && !isEnd ? position : -1;
    }
    ordinary += 1;
    next = line;
  }
  return -1;
}

/** One line of work is enough after a warning, after a try that is repeated, and after a pause. */
function isOvercomeBy({ text, level, atMs }: RoledLine, next: RoledLine | undefined): boolean {
  if (next === undefined || !isLogged(next)) return false;
  const pauseMs = atMs === undefined || next.atMs === undefined ? 0 : next.atMs - atMs;
  return level === 'warning' || isRetry(text) || pauseMs >= PAUSE_MS;
}

/** Nobody needs so long to end, ms. */
const PAUSE_MS = 1000;

/** A logger wrote it, and no advice below an error is of that form. */
export function isLogged({ level, atMs, said, text }: RoledLine): boolean {
  return atMs !== undefined || (level !== undefined && said === text);
}

/** A line without words of failure, of an end or of advice. */
function isOrdinary({ role, text, said, level, indent, unfolded }: RoledLine, dialects: readonly Dialect[]): boolean {
  if (
    role !== 'line' ||
    indent > 0 ||
    unfolded === true ||
    level === 'error' ||
    level === 'fatal' ||
    level === 'warning'
  )
    return false;
  if (
    !/^\W{0,3}[a-z]/i.test(text) ||
    !/[a-z]{3}/i.test(text) ||
    isBad(text) ||
    DETAIL.test(text) ||
    saysWhyItEnds(text) ||
    isClosing(text) ||
    isTidying(text) ||
    advises(text) ||
    isRetry(text) ||
    text.endsWith(':')
  )
    return false;
  return !dialects.some(({ noise, consequence, decisive }) =>
    [noise, consequence, decisive].some((each) => each?.test(text) === true || each?.test(said) === true),
  );
}
