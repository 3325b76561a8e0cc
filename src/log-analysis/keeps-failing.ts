/** Finds what a program fails at again and again amid what else it prints: heartbeats, figures, requests for its health, other work. Pure. */
import { understoodLog } from './understood-log.ts';
import { isChatter, isNothingToDo, isVisit } from './chatter.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { FailsAgain } from './fails-again.ts';
import { isBad, isGoingOn, isOnlyWarning, isReady, isRetry, isServing } from './grammar/index.ts';
import type { DecisiveLine } from './describe.ts';
import { lastFailure } from './last-failure.ts';
import { MAX_LINES_READ } from './limits.ts';
import { maskSecrets } from './mask-secrets.ts';
import { endOfMessage, partsOfMessages } from './messages.ts';
import { requestLines } from './overcome.ts';
import { isRefusal } from './refusals.ts';
import { statusIn } from './request-lines.ts';
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
/** What it asked somebody else for is none of its clients' requests. */
const OF_PEER = /\bhttps?:\/\/(?!localhost\b|127\.|\[?::1)[\w.-]+/i;
/** Words by which failures are the same. */
const WORDS = 9;

/** A log whose lines were compared once. */
interface Compared {
  readonly roled: readonly RoledLine[];
  readonly dialects: readonly Dialect[];
  /** Of each line what makes it the same as another one. */
  readonly keys: readonly string[];
  readonly lines: readonly string[];
}

/** The positions of one failure. */
type Group = readonly number[];

/** What is asked about one failure. */
interface Judged extends Compared {
  readonly positions: Group;
  /** The positions of all failures. */
  readonly failing: ReadonlySet<number>;
}

/**
 * What it keeps failing at, beside other work; undefined: nothing came again, it was overcome, or it concerns few pieces of a work that
 * succeeds otherwise.
 *
 * @param lines the log's last lines, oldest first
 * @param nowMs wall ms, by which a failure that would have come again is over; absent: it is not known
 */
export function keepsFailing(lines: readonly string[], nowMs?: number): FailsAgain | undefined {
  const lately = lines.filter((line) => line.trim() !== '').slice(-MAX_LINES_READ);
  const understood = understoodLog(lately);
  const log: Compared = { ...understood, keys: understood.roled.map(({ said }) => sameness(said)), lines: lately };
  const groups = failuresOf(log);
  const failing = new Set(groups.flat());
  const found = groups
    .map((positions): Judged => ({ ...log, positions, failing }))
    .filter(
      (each) =>
        isOften(each) &&
        isPresent(each) &&
        !isOver(each, nowMs) &&
        !isMinor(each) &&
        !isAnswer(each) &&
        !isRetried(each),
    )
    .toSorted((a, b) => b.positions.length - a.positions.length || firstOf(a) - firstOf(b))[0];
  if (found === undefined) return undefined;
  const end = endOfMessage(log.roled, lastOf(found));
  const said = lastFailure(lately.slice(0, (log.roled[end]?.index ?? lately.length - 1) + 1));
  if (said === undefined || isNothingToDo(said.line)) return undefined;
  return { said: reasonBefore(found, said) ?? said, times: found.positions.length, isBesideWork: true };
}

/** A word that an error quotes as a name. */
const QUOTED = /(?:\\?"|'|`)([\w./@-]{4,100})(?:\\?"|'|`)/g;
/** It says why. */
const REASON = /\bbecause\b|\bdue to\b|: (?:unable|cannot|can't|could not|failed|permission|no such|invalid|not )/i;

/** The error above the first of them that says of a name which they tell why it is not there: "resolver "acme" is skipped because …". */
function reasonBefore(found: Judged, said: DecisiveLine): DecisiveLine | undefined {
  const { roled, lines, positions } = found;
  const above = roled.findLastIndex(({ role, level, said: text }, position) => {
    if (position >= firstOf(found) || role !== 'line' || (level !== 'error' && level !== 'fatal')) return false;
    if (!REASON.test(text) || positions.includes(position)) return false;
    return [...text.matchAll(QUOTED)].some(([, name = '']) => wordIn(said.line, name));
  });
  const index = roled[above]?.index;
  const reason = index === undefined ? undefined : lastFailure(lines.slice(0, index + 1));
  return reason === undefined || said.line.includes(reason.line)
    ? undefined
    : { ...reason, line: `${reason.line} (${said.line})`, related: [...reason.related, said.line] };
}

function wordIn(text: string, word: string): boolean {
  const at = text.indexOf(word);
  return at !== -1 && !/[\w-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + word.length] ?? ' ');
}

function firstOf({ positions }: Judged): number {
  return positions[0] ?? 0;
}

function lastOf({ positions }: Judged): number {
  return positions.at(-1) ?? 0;
}

/** The failures by what they say, without those of single requests, which `requestsFail` judges. */
function failuresOf({ roled, dialects, keys, lines }: Compared): readonly Group[] {
  const ofRequests = requestLines(roled, dialects);
  const parts = partsOfMessages(roled);
  const groups = new Map<string, number[]>();
  for (const [position, line] of roled.entries()) {
    if (line.role === 'frame' || line.part === true || parts.has(position)) continue;
    if (ofRequests.has(position) && !OF_PEER.test(lines[line.index] ?? '')) continue;
    if (isOnlyWarning(line.text) || isVisit(line.text)) continue;
    if ((weigh(line, dialects, roled[position + 1])?.score ?? 0) < MIN_SCORE) continue;
    const key = keys[position] ?? '';
    const known = groups.get(key);
    if (known !== undefined) known.push(position);
    else if (key !== '') groups.set(key, [position]);
  }
  return [...groups.values()];
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

function isOften(log: Judged): boolean {
  const { positions, roled } = log;
  if (positions.length < TWICE || isBurst(log)) return false;
  if (positions.length >= OFTEN) return true;
  const [first, last] = [firstOf(log), lastOf(log)];
  if (roled.slice(last + 1).some(({ role }) => role === 'line')) return false;
  const before = keysBetween(log, 0, first);
  return [...keysBetween(log, first + 1, last)].every((key) => before.has(key));
}

/** Whether all were said at once: of the parts of one thing, and not of several tries. */
function isBurst(log: Judged): boolean {
  const [from, to] = [log.roled[firstOf(log)]?.atMs, log.roled[lastOf(log)]?.atMs];
  if (from !== undefined && to !== undefined) return Math.abs(to - from) < BURST_MS;
  return countBetween(log, firstOf(log), lastOf(log)) === 0;
}

/** Whether it would have come again since the last time only if it had been overcome. */
function isPresent(log: Judged): boolean {
  const { roled, positions, failing, keys } = log;
  const gaps = positions.slice(1).map((position, at) => countBetween(log, (positions[at] ?? 0) + 1, position));
  const last = lastOf(log);
  if (countBetween(log, last + 1, roled.length) > Math.max(MIN_AFTER, LATE * Math.max(...gaps))) return false;
  // A word of success that came between the earlier failures as well is about something else.
  const between = keysBetween(log, firstOf(log), last);
  const isNews = (line: RoledLine, position: number): boolean =>
    position > last && isSuccess(line) && !failing.has(position) && !between.has(keys[position] ?? '');
  return !roled.some((line, position) => isNews(line, position));
}

/** Zones of the clock differ by multiples of this, ms: what zone the log's times have is not known. */
const ZONE_STEP_MS = 900_000;
/** It is late by so many gaps, and by so long at least, ms. */
const LATE_GAPS = 3;
const MIN_LATE_MS = 60_000;

/** Whether it would have come again by now, as its lines have times. */
function isOver({ roled, positions }: Judged, nowMs: number | undefined): boolean {
  const times = positions.flatMap((position) => roled[position]?.atMs ?? []);
  const last = times.at(-1);
  if (nowMs === undefined || last === undefined || times.length !== positions.length) return false;
  const gapMs = Math.max(...times.slice(1).map((each, at) => Math.abs(each - (times[at] ?? each))));
  const agoMs = (((nowMs - last) % ZONE_STEP_MS) + ZONE_STEP_MS) % ZONE_STEP_MS;
  return gapMs * LATE_GAPS < ZONE_STEP_MS / 2 && agoMs > Math.max(MIN_LATE_MS, gapMs * LATE_GAPS);
}

/** Of the failures so many were followed by the same word of work. */
const MOST = 0.8;

/** Whether the program says that it tries again, and the next thing that it says is each time the same word of work: the second try succeeds. */
function isRetried({ roled, positions, keys, failing }: Judged): boolean {
  const says = (position: number): boolean =>
    [position - 1, position].some((at) => roled[at] !== undefined && isRetry(roled[at].text));
  if (positions.filter((each) => says(each)).length < positions.length * MOST) return false;
  const next = positions.map((position) => {
    const at = roled.findIndex((line, place) => place > position && line.role === 'line' && !failing.has(place));
    return at === -1 || at > (positions.find((each) => each > position) ?? roled.length) ? undefined : at;
  });
  const last = next.at(-1);
  const line = last === undefined ? undefined : roled[last];
  if (line === undefined || line.level === 'warning' || isRetry(line.text) || isBad(line.text)) return false;
  return next.filter((at) => at !== undefined && keys[at] === keys[last ?? -1]).length >= positions.length * MOST;
}

function isSuccess({ role, text, level }: RoledLine): boolean {
  return (
    role === 'line' && level !== 'error' && level !== 'fatal' && (isReady(text) || isGoingOn(text) || isServing(text))
  );
}

/** Whether most of the failures are answered as faults of those who ask. */
function isAnswer({ roled, positions, lines }: Judged): boolean {
  const answered = positions.filter((position, at) => {
    const index = roled[position]?.index ?? 0;
    const next = roled[positions[at + 1] ?? roled.length]?.index ?? lines.length;
    const statuses = lines
      .slice(index, Math.min(next, index + MAX_TO_ANSWER))
      .flatMap((line) => (OF_PEER.test(line) ? [] : (statusIn(line) ?? [])));
    return statuses.some((status) => status >= 400 && status < 500);
  });
  return answered.length * 2 > positions.length;
}

/** Whether another work is done far more often than this fails: then it concerns single pieces of it, unless it needs what it is refused. */
function isMinor(log: Judged): boolean {
  if (isRefusal(log.roled[lastOf(log)]?.text ?? '')) return false;
  const counts = new Map<string, number>();
  for (const [at, line] of log.roled.entries()) {
    if (at < firstOf(log) || log.failing.has(at) || !isWork(line)) continue;
    const key = log.keys[at] ?? '';
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values()) > SHARE * log.positions.length;
}

function isWork({ role, text, level, part, indent }: RoledLine): boolean {
  return (
    role === 'line' && part !== true && indent === 0 && level !== 'debug' && !isChatter(text) && /[a-z]{3}/i.test(text)
  );
}

/** The lines that tell of no failure, between two positions. */
function countBetween({ roled, failing }: Judged, from: number, to: number): number {
  return roled.slice(from, to).filter(({ role }, at) => role === 'line' && !failing.has(from + at)).length;
}

function keysBetween({ roled, failing, keys }: Judged, from: number, to: number): ReadonlySet<string> {
  const isOther = ({ role }: RoledLine, at: number): boolean => role === 'line' && !failing.has(from + at);
  return new Set(roled.slice(from, to).flatMap((line, at) => (isOther(line, at) ? [keys[from + at] ?? ''] : [])));
}
