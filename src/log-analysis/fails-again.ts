/** Finds what a program that runs on fails at with each try, and at nothing else: it works for nobody, though nothing ended. Pure. */
import { bareWords } from './bare-words.ts';
import { isNothingToDo } from './chatter.ts';
import { hasSucceeded, isAccess, isAdvice, isGoingOn, isReady, isRetry, isServing } from './grammar/index.ts';
import { lastFailure } from './last-failure.ts';
import { partsOfMessages } from './messages.ts';
import { requestLines } from './overcome.ts';
import { shape } from './pick.ts';
import type { DecisiveLine } from './describe.ts';
import type { RoledLine } from './traces.ts';
import { understoodLog } from './understood-log.ts';
import { weigh } from './weigh.ts';

export interface FailsAgain {
  /** Secrets masked. */
  readonly said: DecisiveLine;
  /** How often among the last lines. */
  readonly times: number;
  /** Other work succeeds meanwhile, as far as its log tells. */
  readonly isBesideWork?: true;
  /** It was said once, of a part of its work that it does not do from then on. */
  readonly isStanding?: true;
  /** The status with which it answers each request of others, who are what fails. */
  readonly answers?: number;
  /** Of so many requests, of which the others were answered well. */
  readonly some?: number;
  /** The beginning of the paths that are answered so, as others may be answered well. */
  readonly path?: string;
  /** It does not say why: what it said is only the record of such an answer. */
  readonly isWordless?: true;
  /** It says that it waits, of a program that should come to its end. */
  readonly isWaiting?: true;
  /** It has ended with exit code 0, as if all were well. */
  readonly isDone?: true;
  /** It does all that it did before, as after a reload that failed. */
  readonly isMinor?: true;
}

/** Lines of the end that are looked at. */
const LATELY_LINES = 120;
/** A failure that comes so often in a row, with no work between, is no accident. */
const OFTEN = 3;
/** Lines that a trace and a new try may put below the last one. */
const MAX_AFTER = 20;
const MIN_SCORE = 30;
/**
 * What it fails at; undefined: its last lines tell of work, of requests of others, or of different failures.
 *
 * @param lines the log's last lines, oldest first
 */
export function failsAgain(lines: readonly string[]): FailsAgain | undefined {
  const lately = lines.slice(-LATELY_LINES);
  const { roled, dialects } = understoodLog(lately);
  const ofRequests = requestLines(roled, dialects);
  const isFailure = (line: RoledLine, position: number): boolean =>
    line.role !== 'frame' &&
    !MARKUP.test(line.text) &&
    !DEPRECATED.test(line.text) &&
    !DEPRECATED.test(roled[position - 1]?.text ?? '') &&
    (weigh(line, dialects, roled[position + 1])?.score ?? 0) >= MIN_SCORE;
  const failures = roled.flatMap((line, position) => (isFailure(line, position) ? [{ line, position }] : []));
  const last = failures.at(-1);
  if (last === undefined || roled.length - last.position > MAX_AFTER) return undefined;
  const said = lastFailure(lately);
  if (said === undefined || isNothingToDo(said.line)) return undefined;
  const same = failures.filter(({ line }) => isSame(line, last.line));
  const [first] = same.slice(-OFTEN);
  if (same.length < OFTEN || first === undefined || same.some(({ position }) => ofRequests.has(position)))
    return undefined;
  const failing = new Set(failures.map(({ position }) => position));
  const parts = partsOfMessages(roled);
  const isOther = (line: RoledLine, position: number): boolean =>
    position > first.position && !failing.has(position) && !parts.has(position) && isWork(line);
  return roled.some(isOther) ? undefined : { said, times: same.length };
}

function isSame(one: RoledLine, other: RoledLine): boolean {
  return shape(one.text) === shape(other.text) || bareWords(one.text) === bareWords(other.text);
}

/** A program's word about something else than its next try: then it also does what succeeds. */
function isWork({ role, text, level, part, indent }: RoledLine): boolean {
  if (MARKUP.test(text)) return false;
  if (role !== 'line' || part === true || indent > 0 || level === 'error' || level === 'fatal') return false;
  if (isReady(text) || isGoingOn(text) || isServing(text) || isAccess(text)) return true;
  if (level === 'warning' || !/[a-z]{3}/i.test(text) || isRetry(text) || isAdvice(text)) return false;
  return !TRIES.test(text) || hasSucceeded(text);
}

/** What a library says of a call that it will not take for ever: the call stands in the line below. */
const DEPRECATED = /\bdeprecat(?:ed|ion)\b|\(called from: \S/i;

/** A page that was answered instead, which is part of the message that quotes it. */
const MARKUP = /^<\/?(?:!doctype|html|head|title|meta|body|h\d|p|center|hr|address|pre|div|span|br)\b/i;

/** The words before or after a try that fails. */
const TRIES =
  /\b(?:re-?)?connect(?:ing|ion)?\b|\btrying\b|\battempt|\bstarting\b|\bchecking\b|\bwaiting\b|\bsleeping\b|\bpaus\w+|\bback(?:ing)? ?-?off\b|\bretr(?:y|ies)/i;
