/** Finds what a program fails at again and again amid what else it prints: heartbeats, figures, requests for its health, other work. Pure. */
import { understoodLog } from './understood-log.ts';
import { isChatter, isNothingToDo, isVisit } from './chatter.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { FailsAgain } from './fails-again.ts';
import { isGoingOn, isOnlyWarning, isReady, isServing } from './grammar/index.ts';
import { lastFailure } from './last-failure.ts';
import { MAX_LINES_READ } from './limits.ts';
import { maskSecrets } from './mask-secrets.ts';
import { endOfMessage, partsOfMessages } from './messages.ts';
import { requestLines } from './overcome.ts';
import { statusOf } from './request-status.ts';
import type { RoledLine } from './traces.ts';
import { weigh } from './weigh.ts';

/** So often it is no accident. */
const OFTEN = 3;
/** So often is enough where the program does the same each time, and its last word is the failure. */
const TWICE = 2;
/** Words of failure: less has a line that only mentions one. */
const MIN_SCORE = 30;
/** A failure that comes so many times less often than one kind of work concerns single pieces of that work. */
const SHARE = 3;
/** What came after the last failure may be this many times longer than what came between two. */
const LATE = 1.5;
/** Lines after the last failure, at least. */
const MIN_AFTER = 4;
/** Lines from a failure to the answer that tells of it. */
const MAX_TO_ANSWER = 4;
/** No program waits so little between its tries, all of them together, ms. */
const BURST_MS = 2000;
/** Words by which failures are the same. */
const WORDS = 9;

interface Group {
  readonly key: string;
  readonly positions: readonly number[];
}

/**
 * What it keeps failing at, beside other work; undefined: nothing came again, it was overcome, or it concerns few pieces of a work that
 * succeeds otherwise.
 *
 * @param lines the log's last lines, oldest first
 */
export function keepsFailing(lines: readonly string[]): FailsAgain | undefined {
  const lately = lines.filter((line) => line.trim() !== '').slice(-MAX_LINES_READ);
  const { roled, dialects } = understoodLog(lately);
  const failures = failuresOf(roled, dialects);
  const failing = new Set(failures.flatMap(({ positions }) => positions));
  const found = failures
    .filter(
      (group) =>
        isOften(roled, group, failing) &&
        isPresent(roled, group, failing) &&
        !isMinor(roled, group, failing) &&
        !isAnswer(roled, group, lately),
    )
    .toSorted((a, b) => b.positions.length - a.positions.length || (a.positions[0] ?? 0) - (b.positions[0] ?? 0))[0];
  if (found === undefined) return undefined;
  const last = found.positions.at(-1) ?? 0;
  const end = endOfMessage(roled, last);
  const said = lastFailure(lately.slice(0, (roled[end]?.index ?? lately.length - 1) + 1));
  if (said === undefined || isNothingToDo(said.line)) return undefined;
  return { said, times: found.positions.length, isBesideWork: true };
}

/** The failures by what they say, without those of single requests, which `requestsFail` judges. */
function failuresOf(roled: readonly RoledLine[], dialects: readonly Dialect[]): readonly Group[] {
  const ofRequests = requestLines(roled, dialects);
  const parts = partsOfMessages(roled);
  const groups = new Map<string, number[]>();
  for (const [position, line] of roled.entries()) {
    if (line.role === 'frame' || line.part === true || parts.has(position) || ofRequests.has(position)) continue;
    if (
      isOnlyWarning(line.text) ||
      isVisit(line.text) ||
      (weigh(line, dialects, roled[position + 1])?.score ?? 0) < MIN_SCORE
    )
      continue;
    const key = sameness(line.said);
    if (key === '') continue;
    groups.set(key, [...(groups.get(key) ?? []), position]);
  }
  return [...groups].map(([key, positions]) => ({ key, positions }));
}

/** Its words, without what differs from one time to the next: quoted values, addresses, numbers and what has digits in it. */
function sameness(text: string): string {
  return maskSecrets(text.slice(0, 300))
    .replaceAll(/"[^"]{0,200}"|'[^']{0,200}'|<[^>]{0,200}>|\[[^\]]{0,200}\]|\S+@\S+/g, ' ')
    .split(/[\s/=:,;]+/)
    .filter((word) => /^\W*[a-z_.-]{2,}\W*$/i.test(word))
    .slice(0, WORDS)
    .join(' ');
}

function isOften(roled: readonly RoledLine[], { positions }: Group, failing: ReadonlySet<number>): boolean {
  if (positions.length < TWICE || isBurst(roled, positions, failing)) return false;
  if (positions.length >= OFTEN) return true;
  const [first = 0, last = 0] = positions;
  if (roled.slice(last + 1).some(({ role }) => role === 'line')) return false;
  const before = keysOf(roled, 0, first, failing);
  return [...keysOf(roled, first + 1, last, failing)].every((key) => before.has(key));
}

/** Whether all were said at once: of the parts of one thing, and not of several tries. */
function isBurst(roled: readonly RoledLine[], positions: readonly number[], failing: ReadonlySet<number>): boolean {
  const [first = 0, last = 0] = [positions[0], positions.at(-1)];
  const [from, to] = [roled[first]?.atMs, roled[last]?.atMs];
  if (from !== undefined && to !== undefined) return Math.abs(to - from) < BURST_MS;
  return !roled.slice(first, last).some(({ role }, at) => role === 'line' && !failing.has(first + at));
}

/** Whether it would have come again since the last time only if it had been overcome. */
function isPresent(roled: readonly RoledLine[], { positions }: Group, failing: ReadonlySet<number>): boolean {
  const lineCount = (from: number, to: number): number =>
    roled.slice(from, to).filter(({ role }, at) => role === 'line' && !failing.has(from + at)).length;
  const gaps = positions.slice(1).map((position, at) => lineCount((positions[at] ?? 0) + 1, position));
  const last = positions.at(-1) ?? 0;
  if (lineCount(last + 1, roled.length) > Math.max(MIN_AFTER, LATE * Math.max(...gaps))) return false;
  // A word of success that came between the earlier failures as well is about something else.
  const between = keysOf(roled, positions[0] ?? 0, last, failing);
  return !roled
    .slice(last + 1)
    .some((line, at) => isSuccess(line) && !failing.has(last + 1 + at) && !between.has(sameness(line.said)));
}

function isSuccess({ role, text, level }: RoledLine): boolean {
  return (
    role === 'line' && level !== 'error' && level !== 'fatal' && (isReady(text) || isGoingOn(text) || isServing(text))
  );
}

/** Whether most of the failures are answered as faults of those who ask. */
function isAnswer(roled: readonly RoledLine[], { positions }: Group, lines: readonly string[]): boolean {
  const answered = positions.filter((position, at) => {
    const index = roled[position]?.index ?? 0;
    const next = roled[positions[at + 1] ?? roled.length]?.index ?? lines.length;
    const statuses = lines.slice(index, Math.min(next, index + MAX_TO_ANSWER)).flatMap((line) => statusOf(line) ?? []);
    return statuses.some((status) => status >= 400 && status < 500);
  });
  return answered.length * 2 > positions.length;
}

/** Whether another work is done far more often than this fails: then it concerns single pieces of it. */
function isMinor(roled: readonly RoledLine[], { positions }: Group, failing: ReadonlySet<number>): boolean {
  const counts = new Map<string, number>();
  for (let at = positions[0] ?? 0; at < roled.length; at += 1) {
    const line = roled[at];
    if (line === undefined || failing.has(at) || !isWork(line)) continue;
    const key = sameness(line.said);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values()) > SHARE * positions.length;
}

function isWork({ role, text, level, part, indent }: RoledLine): boolean {
  return (
    role === 'line' && part !== true && indent === 0 && level !== 'debug' && !isChatter(text) && /[a-z]{3}/i.test(text)
  );
}

function keysOf(
  roled: readonly RoledLine[],
  from: number,
  to: number,
  failing: ReadonlySet<number>,
): ReadonlySet<string> {
  return new Set(
    roled
      .slice(from, to)
      .flatMap(({ role, said }, at) => (role === 'line' && !failing.has(from + at) ? [sameness(said)] : [])),
  );
}
