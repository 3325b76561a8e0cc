/** Finds errors of a program that worked already and of which nothing says that they ended it. Pure. */
import { beginning, words } from './any-of.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { RoledLine } from './traces.ts';
import {
  advises,
  isAboutConnection,
  isBad,
  isClosing,
  isConsequence,
  isFigure,
  isReady,
  isServing,
  isTidying,
  saysWhyItEnds,
} from './grammar/index.ts';

export interface Life {
  /** How long the program ran. */
  readonly livedMs?: number;
  /** How long before the end of the program each of the given lines was written, where it is known. */
  readonly agesMs?: readonly (number | undefined)[];
}

/** A program that lived no longer had hardly begun to work: each of its errors may have ended it. */
export const SHORT_LIFE_MS = 10_000;
/** A program that lived so long had begun to work, whatever its log says. */
const LONG_LIFE_MS = 600_000;
/** An error that a program wrote so shortly before its end is what it said about that. */
const LAST_WORDS_MS = 2000;
/** A program that went on so long after its last line did not end for what that says. */
const SILENT_MS = 60_000;
/** What comes so soon after the first sign of work belongs to the start, ms. */
const START_MS = 1000;
/** A message that is repeated so often did not end the program the times before. */
const REPEATED = 3;

/** The error says itself that the program ends. */
const ENDS = words(
  /exiting/i,
  /aborting/i,
  /terminating/i,
  /giving up/i,
  /gave up/i,
  /quitting/i,
  /cannot continue/i,
  /can't continue/i,
  /shutting down/i,
  /stopping/i,
  /unrecoverable/i,
  /uncaught/i,
  /unhandled/i,
  /fatal/i,
  /panic(?:ked)?/i,
  /assertion/i,
  /out of memory/i,
  /segmentation fault/i,
  /core dumped/i,
);
/** What runtimes print of an error that nobody caught. */
const UNCAUGHT = beginning(
  /Exception in thread "/,
  /Unhandled exception\. /,
  /Traceback \(most recent call last\):$/,
  /panic: /,
  /fatal error: /,
  /thread '[^']{0,100}' (?:\(\d+\) )?(?:panicked|has overflowed)/,
  /terminate called/,
  /(?:PHP )?(?:Fatal|Parse) error: /,
  /Uncaught /,
  /Node\.js v\d/,
  /\S{1,300}:\d+:in [`']/,
);
/** Ends of what clients began are no end of the program. */
const OF_CLIENTS = /\b(?:connections?|sessions?|clients?|sockets?|peers?|streams?|channels?|requests?)\b/i;

/**
 * The positions of errors after the first sign of work that neither say that the program ends nor are followed by its end.
 * They may be mistakes of clients, or troubles that the program lives with.
 */
export function errorsWhileWorking(
  roled: readonly RoledLine[],
  dialects: readonly Dialect[],
  { livedMs, agesMs = [] }: Life,
): ReadonlySet<number> {
  if (livedMs !== undefined && livedMs < SHORT_LIFE_MS) return new Set();
  const begin = roled.findIndex((line) => isWorking(line, dialects));
  // A program that lived for long worked, though its log does not say so.
  if (begin === -1 && (livedMs ?? 0) < LONG_LIFE_MS) return new Set();
  const lastWork = roled.findLastIndex((line) => isOrdinaryWork(line));
  const lastEnd = roled.findLastIndex((line, at) => isEnd(line) || (line.level === 'fatal' && at > lastWork));
  const shapes = countShapes(roled);
  const uncaught = uncaughtTraces(roled);
  const lastSaid = roled.findLastIndex(({ role }) => role !== 'frame');
  const found = new Set<number>();
  for (const [position, line] of roled.entries()) {
    if (position <= begin || position < lastEnd || line.role === 'frame') continue;
    if (line.trace !== undefined && uncaught.has(line.trace)) continue;
    if (position === lastEnd && saysWhyItEnds(line.text)) continue;
    if (position > lastWork && (line.level === 'fatal' || ENDS.test(line.text) || isSoon(line, roled[begin]))) continue;
    const ageMs = agesMs[line.index];
    if (position > lastWork && ageMs !== undefined && ageMs <= LAST_WORDS_MS) continue;
    const isLastWord =
      (ageMs ?? 0) < SILENT_MS &&
      isPlain(line) &&
      line.ofBackend !== true &&
      !isAboutConnection(line.said) &&
      line.trace === undefined &&
      position === lastSaid;
    if (isLastWord && (shapes.get(shapeOf(line)) ?? 0) < REPEATED) continue;
    found.add(position);
  }
  return found;
}

function isWorking({ role, text, said, level, part }: RoledLine, dialects: readonly Dialect[]): boolean {
  if (role !== 'line' || part === true || level === 'error' || level === 'fatal') return false;
  if (dialects.some(({ noise }) => noise?.test(text) === true || noise?.test(said) === true)) return false;
  if (dialects.some(({ recovery }) => recovery?.test(text) === true || recovery?.test(said) === true)) return true;
  return (isReady(text) || (isServing(text) && !isBad(text))) && !isClosing(text);
}

function isEnd({ role, text }: RoledLine): boolean {
  if (role !== 'line') return false;
  if (isConsequence(text) || saysWhyItEnds(text)) return true;
  return (isClosing(text) || isTidying(text)) && !OF_CLIENTS.test(text);
}

function isOrdinaryWork({ role, text, level, indent, part }: RoledLine): boolean {
  if (role !== 'line' || part === true || indent > 0 || (level !== undefined && level !== 'info' && level !== 'debug'))
    return false;
  return (
    /^\W{0,3}[a-z]{3}/i.test(text) &&
    !isBad(text) &&
    !saysWhyItEnds(text) &&
    !isClosing(text) &&
    !isTidying(text) &&
    !isConsequence(text) &&
    !isFigure(text) &&
    !advises(text)
  );
}

/** Without a level of a logger: "Error: no plan" is how a program speaks itself. */
function isPlain({ level, said, text, atMs }: RoledLine): boolean {
  return level === undefined || (said !== text && (atMs === undefined || !/^[A-Z]{4,}:/.test(said)));
}

/** The start goes on for a moment after a program says that it is ready, but not after its first client. */
function isSoon({ atMs }: RoledLine, begin: RoledLine | undefined): boolean {
  if (begin !== undefined && isServing(begin.text)) return false;
  return atMs !== undefined && begin?.atMs !== undefined && Math.abs(atMs - begin.atMs) < START_MS;
}

function uncaughtTraces(roled: readonly RoledLine[]): ReadonlySet<number> {
  const found = new Set<number>();
  let trace: number | undefined;
  let announced = false;
  for (const line of roled) {
    if (line.trace !== undefined && line.trace !== trace)
      announced = line.level !== undefined && line.said === line.text;
    trace = line.trace ?? trace;
    // A logger printed the trace, so somebody caught the error.
    if (!announced && trace !== undefined && UNCAUGHT.test(line.said)) found.add(trace);
  }
  return found;
}

function countShapes(roled: readonly RoledLine[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of roled) counts.set(shapeOf(line), (counts.get(shapeOf(line)) ?? 0) + 1);
  return counts;
}

function shapeOf({ text }: RoledLine): string {
  return text.slice(0, 60).replace(/[\d.:]+/g, '0');
}
