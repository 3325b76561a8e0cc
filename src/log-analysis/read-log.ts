/**
 * Finds the decisive line at the end of a log: what the program said about why it ended. Errors that were overcome, closings,
 * advice and what only follows from another error do not count. Linear in the length of the text. Pure.
 */
import { errorsWhileWorking, type Life, SHORT_LIFE_MS } from './after-ready.ts';
import { withCategories, withCauses } from './categories.ts';
import { DIALECTS } from './dialects/all.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { Level } from './level.ts';
import { MAX_DECISIVE_CHARACTERS, MAX_LINES_READ, MAX_RELATED_LINES, SAME_BURST_MS } from './limits.ts';
import { maskSecrets } from './mask-secrets.ts';
import { fileIn, nameCount, peerIn } from './names.ts';
import { partsOfMessages, withoutHelp, withParts } from './messages.ts';
import { parseLine } from './parse-line.ts';
import { type RoledLine, traceRoles } from './traces.ts';
import {
  advises,
  isAboutClient,
  isAboutRequest,
  isAccess,
  isAdvice,
  isBad,
  isClosing,
  isConsequence,
  isFigure,
  isGoingOn,
  isOnlyWarning,
  isPointer,
  isReady,
  isReload,
  isRetry,
  isTolerated,
  isTidying,
} from './words.ts';

export interface DecisiveLine {
  /** Without time and process, secrets masked. */
  readonly line: string;
  /** The place of its line among the lines given. */
  readonly index: number;
  /** The lines that belong to it: wrappers, causes, DETAIL; secrets masked. */
  readonly related: readonly string[];
  /** "server.js:12": the innermost place in the user's own code. */
  readonly place?: string;
  /** firm: the error of a trace, or of level error; weak: a line with words of failure. */
  readonly firmness: 'firm' | 'weak';
}

export interface LogReading {
  readonly decisive?: DecisiveLine;
  /** The last error of a program that worked already, when nothing says that it ended the program; secrets masked. */
  readonly lastError?: DecisiveLine;
  /** The last line of a program that ended soon, when no line tells of an error; secrets masked. */
  readonly lastLine?: string;
  /** Other errors that were not overcome and are no mere consequence, newest first; secrets are not masked. */
  readonly others: readonly string[];
  /** All lines that are no frames and came after what was overcome, oldest first; secrets are not masked. */
  readonly live: readonly string[];
  /** Names of the dialects. */
  readonly dialects: readonly string[];
}

interface Candidate {
  readonly line: RoledLine;
  readonly position: number;
  readonly score: number;
  readonly firm: boolean;
}

/**
 * @param lines the log's last lines, oldest first; only the last `MAX_LINES_READ` are read
 * @param life what is known of the times of its life; without it the lines alone decide
 */
export function readLog(lines: readonly string[], life: Life = {}): LogReading {
  const from = Math.max(0, lines.length - MAX_LINES_READ);
  const parsed = withCauses(withCategories(lines.slice(from).flatMap((line, index) => parseLine(line, from + index))));
  const roled = withoutHelp(traceRoles(parsed));
  const dialects = dialectsOf(lines.slice(from), roled);
  const hardlyLived = life.livedMs !== undefined && life.livedMs < SHORT_LIFE_MS;
  const isReadyAt = overcome(roled, dialects);
  const isOver = Math.max(isReadyAt, hardlyLived ? -1 : wentOn(roled, dialects));
  const ofRequest = requestLines(roled, dialects);
  const endMs = roled.findLast(({ atMs }) => atMs !== undefined)?.atMs;
  const belongsAbove = partsOfMessages(roled);
  const candidateAt = (line: RoledLine, position: number): readonly Candidate[] => {
    if (line.role === 'frame' || ofRequest.has(position) || belongsAbove.has(position)) return [];
    const weight = weigh(line, dialects, roled[position + 1]);
    if (weight === undefined) return [];
    return [{ line, position, score: weight.score - agePenalty(line, roled, position, endMs), firm: weight.firm }];
  };
  const candidates = roled.flatMap((line, position) => (position <= isOver ? [] : candidateAt(line, position)));
  const unsure = errorsWhileWorking(roled, dialects, life);
  const best = pick(candidates.filter(({ position }) => !unsure.has(position)));
  const names = dialects.map(({ name }) => name);
  // What only follows from the decisive line is no cause.
  const follows = (text: string): boolean => best !== undefined && isConsequence(text);
  const live = roled.flatMap(({ role, said, text }, position) =>
    position <= isOver ||
    role === 'frame' ||
    [ofRequest, unsure, belongsAbove].some((set) => set.has(position)) ||
    follows(text)
      ? []
      : [said],
  );
  if (best === undefined) {
    // Errors after which the program only went on.
    const before = roled.flatMap((line, position) =>
      candidates.length > 0 || position <= isReadyAt || position > isOver ? [] : candidateAt(line, position),
    );
    const last = pick(candidates.length > 0 ? candidates : before.filter(({ firm }) => firm));
    const lastError = last === undefined ? undefined : describe(last, roled, candidates, dialects);
    const lastLine = lastError === undefined && hardlyLived ? lastSaid(roled, ofRequest) : undefined;
    return { ...(lastError && { lastError }), ...(lastLine && { lastLine }), others: [], live, dialects: names };
  }
  const decisive = describe(best, roled, candidates, dialects);
  const others = candidates
    .filter(({ line, score }) => line.index !== decisive.index && score >= best.score - 25 && !isConsequence(line.text))
    .map(({ line }) => line.said)
    .toReversed();
  return { decisive, others: [...new Set(others)].slice(0, 10), live, dialects: names };
}

/** The last line that may mean something. */
function lastSaid(roled: readonly RoledLine[], ofRequest: ReadonlySet<number>): string | undefined {
  const last = roled.findLast(
    ({ role, text }, position) =>
      role === 'line' &&
      !ofRequest.has(position) &&
      /[a-z]{3}/i.test(text) &&
      !isClosing(text) &&
      !isAdvice(text) &&
      !isFigure(text) &&
      !isTidying(text) &&
      !isAccess(text),
  );
  return last === undefined ? undefined : shortened(maskSecrets(last.said));
}

/** The decisive line of a log, secrets masked; undefined when no line says what went wrong. */
export function decisiveLine(lines: readonly string[], life?: Life): DecisiveLine | undefined {
  return readLog(lines, life).decisive;
}

function dialectsOf(lines: readonly string[], roled: readonly RoledLine[]): readonly Dialect[] {
  const heads = lines.map((line) => line.slice(0, 400));
  return DIALECTS.filter(
    ({ recognises }) =>
      heads.some((line) => recognises.test(line)) ||
      roled.some(({ text, said }) => recognises.test(text) || recognises.test(said)),
  );
}

/** The position of the last line after which the program worked; -1: there is none. */
function overcome(roled: readonly RoledLine[], dialects: readonly Dialect[]): number {
  return roled.findLastIndex(({ role, text, said, level }) => {
    if (role !== 'line' || level === 'error' || level === 'fatal') return false;
    if (dialects.some(({ noise }) => noise?.test(text) === true || noise?.test(said) === true)) return false;
    if (dialects.some(({ recovery }) => recovery?.test(text) === true || recovery?.test(said) === true)) return true;
    return (isReady(text) || isGoingOn(text)) && !isClosing(text) && !advises(text);
  });
}

/** The fields of a structured line about one request, which was answered. */
const ANSWERED = /\bstatus(?:_code)?=[1-5]\d\d\b/;
/** The fields of a structured line about one piece of work that was timed. */
const TIMED = /\b(?:duration|elapsed|latency|took)\w*=/;

/** A client that left or was sent away. */
const OF_CLIENT =
  /^(?:LOG\d\[\d+\]: )?SSL_accept: |TLS handshake error from |^client \S{1,100} (?:disconnected|closed|has exceeded|sent|rejected)/i;

/** A trace that is logged with less than an error, and the client's trace under it, end no program that works already. */
function announcesTrace(roled: readonly RoledLine[], position: number, isReadyYet: boolean): boolean {
  const level = roled[position]?.level;
  if (level !== 'warning' && !((level === 'info' || level === 'debug') && isBad(roled[position]?.text ?? '')))
    return false;
  const next = roled.slice(position + 1, position + 3).find(({ role }) => role !== 'line');
  return next !== undefined && next.level === undefined && (isReadyYet || isAboutClient(next.text));
}

/** The positions of errors of single requests, and of the traces that follow them. */
function requestLines(roled: readonly RoledLine[], dialects: readonly Dialect[]): ReadonlySet<number> {
  const found = new Set<number>();
  let isReadyYet = false;
  let inside = false;
  for (const [position, { role, text, said, indent, fields = '', ofClient }] of roled.entries()) {
    if (role === 'line' && !(inside && indent > 0)) {
      const says = (pattern: RegExp | undefined): boolean =>
        pattern !== undefined && (pattern.test(text) || pattern.test(said));
      inside =
        dialects.some(({ request, requestWhenReady }) => says(request) || (isReadyYet && says(requestWhenReady))) ||
        ANSWERED.test(fields) ||
        ofClient === true ||
        OF_CLIENT.test(text) ||
        announcesTrace(roled, position, isReadyYet) ||
        (isReadyYet && (isReload(text) || isAboutClient(text) || isAboutRequest(text) || TIMED.test(fields)));
      if (dialects.some(({ recovery }) => says(recovery)) || isReady(text)) isReadyYet = true;
    }
    if (inside) found.add(position);
  }
  return found;
}

/** Ordinary lines after which a program counts as going on, when its last lines say nothing of an end. */
const ORDINARY_LINES = 2;

/** The position of the last line before which errors are overcome because the program simply went on; -1: there is none. */
function wentOn(roled: readonly RoledLine[], dialects: readonly Dialect[]): number {
  let ordinary = 0;
  let next: RoledLine | undefined;
  for (let position = roled.length - 1; position >= 0; position--) {
    const line = roled[position];
    if (line === undefined) return -1;
    if (line.role === 'line' && isFigure(line.text)) continue;
    if (!isOrdinary(line, dialects)) {
      // What a program tidies up after its last words is no work.
      const isEnd = line.level === 'fatal' || isClosing(line.text) || isTidying(line.text) || isConsequence(line.text);
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
function isLogged({ level, atMs, said, text }: RoledLine): boolean {
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

interface Weight {
  readonly score: number;
  readonly firm: boolean;
}

const LEVEL_SCORES: Readonly<Record<Level, number>> = { fatal: 60, error: 50, warning: 22, info: 0, debug: 0 };

/** How much a line says about the end; undefined: nothing. */
function weigh(line: RoledLine, dialects: readonly Dialect[], next: RoledLine | undefined): Weight | undefined {
  const { text, said, level, role } = line;
  const says = (pattern: RegExp | undefined): boolean =>
    pattern !== undefined && (pattern.test(text) || pattern.test(said));
  const decides = dialects.some(({ decisive }) => says(decisive));
  // The message of an error may look like noise when its class is taken off.
  const isNoise = (noise: RegExp | undefined): boolean => (role === 'head' ? noise?.test(said) === true : says(noise));
  if (!decides && dialects.some(({ noise }) => isNoise(noise))) return undefined;
  if (isAccess(text) || isOnlyWarning(text) || isPointer(text)) return undefined;
  if (text.length < 3 || !/[a-z]{2}/i.test(text)) return undefined;
  const inTrace = role === 'head' || role === 'cause';
  const isError = level === 'error' || level === 'fatal';
  if (!decides && !inTrace && (isClosing(text) || (isAdvice(text) && !isError))) return undefined;
  if (!isError && !inTrace && !decides && isTolerated(text)) return undefined;
  let score = level === undefined ? (isBad(text) ? 40 : 4) : LEVEL_SCORES[level];
  if (level !== undefined && score < 40 && isBad(text)) score += level === 'warning' ? 8 : 14;
  if (inTrace) score = Math.max(score, PANIC.test(text) ? 60 : isBareHead(text) ? 40 : 56);
  if (decides || TERMINATE.test(said) || ASSERTION.test(said) || COMPILER.test(said)) score = Math.max(score, 62);
  if (isConsequence(text) || isConsequence(messageOf(text)) || dialects.some(({ consequence }) => says(consequence)))
    score -= 30;
  if (text.startsWith('what(): ')) return undefined;
  if (isRetry(text)) score -= 3;
  if (score < 20) return undefined;
  // A line that ends with a colon announces the next one.
  if (/[{[(]$/.test(text) && next !== undefined && next.role !== 'frame') score -= 12;
  return { score: score + 4 * nameCount(withNext(line, next)), firm: score >= 46 };
}

/** "/app/main.c:3:5: error: expected ';'" */
const COMPILER = /^\S{1,300}:\d+(?:[:.]\d+)?: (?:fatal )?error:/;

const PANIC =
  /^(?:panic: |fatal error: (?:all goroutines|runtime|concurrent|out of memory|stack|unexpected signal)|thread '[^']*' (?:\(\d+\) )?panicked)/;

/** What follows an error's class. */
function messageOf(text: string): string {
  const colon = text.indexOf(': ');
  return colon === -1
    ? text
    : text.slice(text.indexOf(': ', /^(?:Caused by|Exception in thread)/.test(text) ? colon + 2 : colon) + 2);
}

/** An error's class without a message. */
function isBareHead(text: string): boolean {
  return /^[\w$.[\] :"]{1,200}:?(?: \{)?$/.test(text) && !/: \S/.test(text.replace(/ \{$/, ''));
}

/** Errors long before the end are less likely its cause. */
function agePenalty(
  { atMs, role }: RoledLine,
  roled: readonly RoledLine[],
  position: number,
  endMs: number | undefined,
): number {
  const after = roled
    .slice(position + 1, position + 80)
    .filter(
      (line) => line.role === 'line' && line.level !== 'error' && line.level !== 'fatal' && !isBad(line.text),
    ).length;
  const idle = Math.min(20, after) * (role === 'line' ? 0.7 : 0.4);
  if (atMs === undefined || endMs === undefined) return idle;
  const ago = (endMs - atMs + 86_400_000) % 86_400_000;
  return idle + (ago > SAME_BURST_MS ? 12 : 0);
}

/**
 * The best candidate. Of a chain of causes the deepest that holds names counts; of equal errors that repeat, the last; of
 * different errors of the same weight, the first, from which the others follow; of mere words of failure, the last.
 */
function pick(candidates: readonly Candidate[]): Candidate | undefined {
  const tops = rootsOf(candidates);
  const most = Math.max(...tops.map(({ score }) => score));
  const [first] = tops.filter(({ score }) => score >= most - 1);
  if (first === undefined) return undefined;
  const same = shape(first.line.text);
  const best =
    tops.findLast(({ line, score, firm }) => score >= most - 1 && (!firm || shape(line.text) === same)) ?? first;
  const announcement = tops.find(({ position, line }) => position === best.position - 1 && line.said.endsWith(':'));
  return announcement ?? causeAbove(best, tops) ?? best;
}

/** Lines between an error and the one that it led to. */
const NEAR_LINES = 3;

/**
 * The first of the errors right above one that holds no name: "could not open ports" or a panic only follows from what was
 * logged before.
 */
function causeAbove(best: Candidate, tops: readonly Candidate[]): Candidate | undefined {
  if (nameCount(best.line.text) > 0 || best.line.trace !== undefined) return nearestNamed(best, tops);
  let found: Candidate | undefined;
  let position = best.position;
  for (const above of tops.filter((each) => each.position < best.position).toReversed()) {
    if (position - above.position > NEAR_LINES || above.line.role !== 'line') break;
    // A warning that holds the names is told when the error below it has none.
    if (!above.firm && !(position - above.position === 1 && saysMore(above, best) && !HAS_PORT.test(best.line.text)))
      continue;
    if (found === undefined || nameCount(above.line.text) >= Math.min(1, nameCount(found.line.text))) found = above;
    position = above.position;
  }
  return found;
}

const HAS_PORT = /\bport \d{2,5}\b/;

/** A failure with names, or the system's own words for it, above an error that has neither. */
function saysMore({ line: { text } }: Candidate, below: Candidate): boolean {
  return isBad(text) && (nameCount(text) > 0 || (SYSTEM_ERROR.test(text) && !SYSTEM_ERROR.test(below.line.text)));
}

const SYSTEM_ERROR =
  /address already in use|permission denied|no such file|connection refused|not permitted|no space left|too many open files|cannot allocate memory|timed out/i;

/** The error right above a panic, which often repeats it without its names. */
function nearestNamed(best: Candidate, tops: readonly Candidate[]): Candidate | undefined {
  if (nameCount(best.line.text) > 0 || !PANIC.test(best.line.text)) return undefined;
  const above = tops.findLast(({ position }) => position < best.position);
  const isNear = above !== undefined && best.position - above.position <= NEAR_LINES && above.line.role === 'line';
  return isNear && above.firm && nameCount(above.line.text) > 0 ? above : undefined;
}

/** One candidate for each trace. */
function rootsOf(candidates: readonly Candidate[]): readonly Candidate[] {
  const byTrace = new Map<number, Candidate[]>();
  const plain: Candidate[] = [];
  for (const candidate of candidates) {
    const { trace } = candidate.line;
    if (trace === undefined) plain.push(candidate);
    else byTrace.set(trace, [...(byTrace.get(trace) ?? []), candidate]);
  }
  const roots = [...byTrace.values()].map((chain) => {
    const top = Math.max(...chain.map(({ score }) => score));
    const scored = chain.map((each, place) => ({ each, value: chainScore(each, place) }));
    const root = scored.reduce((best, one) => (one.value >= best.value ? one : best)).each;
    return { ...root, score: top };
  });
  return [...plain, ...roots].toSorted((a, b) => a.position - b.position);
}

function chainScore({ line, score }: Candidate, place: number): number {
  // Python ends a chain with the error that ended the program.
  return (
    score +
    4 * nameCount(line.text) +
    (line.afterFrames === true ? 12 * place : RUBY.test(line.said) ? -12 * place : 0) +
    (TELLING_CLASS.test(line.said) && isBareHead(line.said) ? 5 : 0) -
    (PANIC.test(line.said) && nameCount(line.text) === 0 ? 8 : 0)
  );
}

/** Ruby prints the error that ended the program first, and its cause below. */
const RUBY = /^\S{1,300}:\d+:in [`']/;

/** Classes of errors that say much without a message. */
const TELLING_CLASS =
  /(?:Connect|UnknownHost|Timeout|AccessDenied|NoSuchFile|Bind|FileNotFound|Authentication|SSL|Certificate|OutOfMemory)\w*(?:Exception|Error)\b/;

/** The text without numbers, so that tries of one thing are alike. */
function shape(text: string): string {
  return text.slice(0, 120).replace(/\d+/g, '0');
}

function describe(
  { line, position, firm }: Candidate,
  roled: readonly RoledLine[],
  candidates: readonly Candidate[],
  dialects: readonly Dialect[],
): DecisiveLine {
  const own = line.trace === undefined ? [] : roled.filter(({ trace }) => trace === line.trace);
  const place = own.find((each) => each.place !== undefined && isBelow(each, line, own))?.place ?? placeOf(own);
  const said = toldWhole(roled, position);
  const context = roled
    .slice(Math.max(0, position - 3), position)
    .findLast((each) => contextOf(each, dialects) !== undefined);
  const about =
    context === undefined
      ? aboutOf(line, said, roled.slice(Math.max(0, position - 6), position))
      : ` (${contextOf(context, dialects)})`;
  const wrappers = candidates.filter(
    (each) => each.line.trace !== undefined && each.line.trace === line.trace && each.position !== position,
  );
  const details = roled.slice(position + 1, position + 5).filter((each) => DETAIL.test(each.said));
  const code = codeBelow(roled, own, place);
  const related = [...wrappers.map((each) => each.line.said), ...details.map((each) => each.said), ...code];
  return {
    line: shortened(maskSecrets(`${said.replace(PREFIX, '')}${about}`)),
    index: line.index,
    related: [...new Set(related)].slice(0, MAX_RELATED_LINES).map((each) => shortened(maskSecrets(each))),
    ...(place === undefined ? {} : { place }),
    firmness: firm ? 'firm' : 'weak',
  };
}

/** The line of the user's own code that a trace quotes: "server.listen(8080)" names what the error does not. */
function codeBelow(
  roled: readonly RoledLine[],
  own: readonly RoledLine[],
  place: string | undefined,
): readonly string[] {
  const frame = place === undefined ? undefined : own.findLast((each) => each.place === place);
  const code = frame === undefined ? undefined : roled[roled.indexOf(frame) + 1];
  return code?.role === 'frame' && code.place === undefined && code.indent > (frame?.indent ?? 0) ? [code.said] : [];
}

/** Errors of the system that name no file. */
const NAMELESS = /no such file|permission denied|not a directory|is a directory|mismatch/i;
const BIND_FAILS = /address already in use|cannot assign requested/i;
/** "Setting up socket for 127.0.0.1:9999", "Starting on port 8080". */
const LISTENS_AT =
  /\b(?:socket|listen\w*|bind\w*|start\w*|serv\w*)\b.{0,40}?\b(?:for|on|to|at)\b.{0,10}?((?:[\w.*[\]:]{1,60}:|port )\d{2,5})\b/i;
const HANDLES = /\b(?:load|read|open|us|writ|pars|includ)(?:ing|ed)?\b.{0,60}[: ]["']?(\/[\w./@-]{3,300})/i;

/** The names that a line lacks: those in its fields, else the file that was being read. */
function aboutOf({ fields = '' }: RoledLine, said: string, before: readonly RoledLine[]): string {
  const own = nameCount(said) === 0 || (peerIn(said).port === undefined && REFUSAL.test(said));
  const named = own ? fields.split(' ').filter((field) => NAMING_FIELD.test(field) && !said.includes(field)) : [];
  if (named.length > 0) return ` (${named.slice(0, 2).join(' ')})`;
  const listens = BIND_FAILS.test(said) && !HAS_PORT.test(said) && peerIn(said).port === undefined;
  const where = listens ? before.flatMap((line) => LISTENS_AT.exec(line.said)?.[1] ?? []).at(-1) : undefined;
  if (where !== undefined) return ` (${where})`;
  if (!NAMELESS.test(said) || fileIn(said.replace(SOURCE_PLACE, ' ')) !== undefined) return '';
  const file = before
    .flatMap((line) => (line.level === 'error' ? [] : [HANDLES.exec(line.said)?.[1] ?? []]))
    .flat()
    .at(-1);
  return file === undefined ? '' : ` (${file})`;
}

const REFUSAL = /refused|timed out|unreachable/i;
const NAMING_FIELD =
  /^[\w.-]*(?:peer|addr(?:ess)?|host|server|upstream|endpoint|url|uri|dsn|broker|target|path|file(?:name)?|key|variable)=\S*[/:.\w]{3}/i;
/** A place in a program's own source: "../crypto/bio/bss_file.c:308". */
const SOURCE_PLACE = /\S+\.(?:c|cc|cpp|h|go|rs):\d+/g;

/** What a line says the next ones are about, by its dialect. */
function contextOf({ text }: RoledLine, dialects: readonly Dialect[]): string | undefined {
  for (const { context } of dialects) {
    const found = context?.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a runtime prints before an error. */
const PREFIX = /^(?:Caused by: |\[cause\]: |---> |Exception in thread "[^"]{0,100}" |Unhandled exception\. |Uncaught )/;
const DETAIL = /^(?:DETAIL|HINT|CONTEXT|CAUSE|REASON): /;
/** What the C++ runtime and assert() print before they abort. */
const TERMINATE = /^terminate called after throwing an instance of '([^']{1,200})'$/;
const ASSERTION = /: Assertion [`'].{1,300}' failed\.$/;
const PANICKED_AT = /^thread '[^']*' (?:\(\d+\) )?panicked at (\S+?):(\d+):\d+:$/;

/** A line that ends with a colon is told with the next: "panicked at src/main.rs:3:5:". */
function withNext({ said, role }: RoledLine, next: RoledLine | undefined): string {
  const panicked = PANICKED_AT.exec(said);
  if (panicked !== null && next !== undefined) return `panic: ${next.said} (${panicked[1]}:${panicked[2]})`;
  const thrown = TERMINATE.exec(said)?.[1];
  const what = /^what\(\): +(.*)$/.exec(next?.said ?? '')?.[1];
  if (thrown !== undefined && what !== undefined) return what.includes(thrown) ? what : `${thrown}: ${what}`;
  if (next === undefined || next.role === 'frame') return said;
  const isAnnounced =
    said.endsWith(':') || ERROR_AT.test(said) || (role === 'head' && next.role === 'line' && isClassAlone(said));
  const isPlace = next.indent > 0 && /^in ["']\/[^"']{1,300}["'], line \d+/.test(next.said);
  const detail = /^(?:DETAIL|CONTEXT): +(.*)$/.exec(next.said)?.[1];
  if (detail !== undefined) return `${said} (${detail.replace(/\.$/, '')})`;
  return isAnnounced || isPlace ? `${said} ${next.said}` : said;
}

/** "Execution error (FileNotFoundException) at a.B/c (B.java:1)." */
const ERROR_AT = /^[A-Z]\w{1,30} error\b.{0,200}\(\S{1,200}:-?\d+(?::\d+)?\)\.$/;

/** An error's class, with its message in the next line. */
function isClassAlone(said: string): boolean {
  return /^[\w$.\\/]{1,200}(?:Error|Exception)$/.test(said);
}

/** Where a parser stopped, below what it says. */
const PLACE_BELOW = /^\(?(?:in |at |-->? )?["']?\/[^\s"']{1,300}["']?(?:,? line \d+|:\d+)/i;

/** A line with all that belongs to it and stands below: what it announces, the rest of a message of several lines, its place. */
function toldWhole(roled: readonly RoledLine[], position: number): string {
  const line = roled[position];
  if (line === undefined) return '';
  const block = blockAround(roled, position) ?? withParts(roled, position) ?? restOfMessage(roled, position);
  if (block !== undefined) return block;
  let said = withNext(line, roled[position + 1]);
  let at = said === line.said ? position : position + 1;
  const isAnnounced = at > position;
  for (let next = roled[at + 1]; next !== undefined && at < position + 4; next = roled[at + 1]) {
    const isPlain = next.role === 'line' && next.level === undefined && next.atMs === undefined;
    if (!isPlain || !belongs({ line, said, next, isAnnounced })) break;
    said = `${said} ${next.said}`;
    at += 1;
  }
  return said;
}

/** Lines of a message that are told with its first. */
const MESSAGE_LINES = 4;

/** A logged message over several lines, of which the first holds no name: the others are indented, or of the same field. */
function restOfMessage(roled: readonly RoledLine[], position: number): string | undefined {
  const line = roled[position];
  if (line === undefined || line.role !== 'line' || !isLogged(line) || nameCount(line.said) > 0) return undefined;
  const below = roled.slice(position + 1, position + 1 + MESSAGE_LINES);
  const end = below.findIndex(
    ({ role, level, atMs, indent, unfolded, index }) =>
      role !== 'line' ||
      level !== undefined ||
      atMs !== undefined ||
      !(indent > 0 || (unfolded === true && index === line.index)),
  );
  const rest = end === -1 ? below : below.slice(0, end);
  return rest.length === 0 ? undefined : [line, ...rest].map(({ said }) => said).join(' ');
}

interface Below {
  readonly line: RoledLine;
  readonly said: string;
  readonly next: RoledLine;
  readonly isAnnounced: boolean;
}

function belongs({ line, said, next, isAnnounced }: Below): boolean {
  if (said.endsWith(':')) return true;
  if (PLACE_BELOW.test(next.said)) return fileIn(said) === undefined;
  // Python prints no frames below an error, so what stands there belongs to its message.
  if (line.afterFrames === true && line.role === 'head') return !isClosing(next.text) && !advises(next.text);
  if (line.role === 'head' && next.indent > 0) return /^\(.{1,300}\)$/.test(next.said);
  return isAnnounced && nameCount(next.said) === 0 && isBad(next.text) && !isConsequence(next.text);
}

/** Lines above and below a member of a printed object that are told with it. */
const BLOCK_LINES = 16;

/** The whole of an object that an error's message prints over several lines: 'ZodError: [ { "path": [ "PORT" ] } ]'. */
function blockAround(roled: readonly RoledLine[], position: number): string | undefined {
  const line = roled[position];
  if (line === undefined || !/^"[\w-]{1,60}": /.test(line.said)) return undefined;
  const from = Math.max(0, position - BLOCK_LINES);
  const begin = roled
    .slice(from, position)
    .findLastIndex(({ said }) => /[\w:] ?[[{]$/.test(said) && !said.startsWith('"'));
  if (begin === -1) return undefined;
  const lines = roled.slice(from + begin, position + 1).map(({ said }) => said);
  return lines.join(' ');
}

/** Python prints the innermost frame last and the error below; others print it first, below the error. */
function isBelow(frame: RoledLine, head: RoledLine, own: readonly RoledLine[]): boolean {
  return own.indexOf(frame) > own.indexOf(head);
}

function placeOf(own: readonly RoledLine[]): string | undefined {
  return own.findLast(({ place }) => place !== undefined)?.place;
}

function shortened(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length <= MAX_DECISIVE_CHARACTERS ? flat : `${flat.slice(0, MAX_DECISIVE_CHARACTERS - 1)}…`;
}
