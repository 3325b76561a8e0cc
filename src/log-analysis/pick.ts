/** Picks the decisive line among those that say something about the end. Pure. */
import { anyOf, words } from './any-of.ts';
import type { Candidate } from './candidate.ts';
import { nameCount, worldNames } from './names.ts';
import { isBareHead, messageOf, PANIC, SYSTEM_ERROR } from './weigh.ts';
import { isBad, isConsequence } from './grammar/index.ts';

/**
 * The best candidate. Of a chain of causes the deepest that holds names counts; of equal errors that repeat, the last; of
 * different errors of the same weight, the first, from which the others follow; of mere words of failure, the last.
 */
export function pick(candidates: readonly Candidate[]): Candidate | undefined {
  const tops = rootsOf(candidates);
  const most = Math.max(...tops.map(({ score }) => score));
  const [first] = tops.filter(({ score }) => score >= most - 1);
  if (first === undefined) return undefined;
  const same = shape(first.line.text);
  const best =
    tops.findLast(({ line, score, firm }) => score >= most - 1 && (!firm || shape(line.text) === same)) ?? first;
  const announcement = tops.find(({ position, line }) => position === best.position - 1 && line.said.endsWith(':'));
  return (
    announcement ??
    pointedAt(best, tops) ??
    lastTry(best, tops) ??
    traceAbove(best, tops) ??
    causeAbove(best, tops) ??
    namedBelow(best, tops) ??
    toldAgain(best, tops) ??
    best
  );
}

/** "You must address the points described in the following lines" */
const POINTS_BELOW = words(
  /(?:the|these) following (?:\[?\d+\]? )?(?:lines?|errors?|problems?|points?|checks?|issues?)/i,
);

/** "[1] bootstrap checks failed", "3 errors found": each of them stands below. */
const COUNTS_BELOW =
  /^\[?\d{1,3}\]? (?:[a-z-]{2,20} ){0,2}(?:(?:checks?|tests?|validations?) failed|(?:errors?|problems?|issues?) (?:found|occurred))$/i;

/** The error right below one that only points there. */
function pointedAt({ position, line }: Candidate, tops: readonly Candidate[]): Candidate | undefined {
  // A line that ends with a colon is told with the next one.
  if (!(POINTS_BELOW.test(line.text) || COUNTS_BELOW.test(line.text)) || line.said.endsWith(':')) return undefined;
  return tops.find((each) => each.position === position + 1);
}

/** That a peer was not reached in the end, or that tries were given up: each try has said why. */
const GIVES_UP = words(
  /giv(?:ing|en|es) up/i,
  /gave up/i,
  /failed (?:too many times|repeatedly)/i,
  /(?:un|not )(?:reachable|available|ready)/i,
  /unavailable/i,
  /never (?:became|came|got)/i,
  /did not (?:become|come)/i,
  /(?:after|in) \d+ (?:\w+ )?(?:attempts|tries|retries)/i,
  /(?:retries|attempts|tries) (?:exhausted|exceeded|failed|left|used up)/i,
  /exhausted (?:all )?(?:\w+ )?(?:retries|attempts|tries)/i,
  /too many (?:\w+ )?(?:retries|attempts|failures)/i,
  /max(?:imum)? (?:number of )?(?:\w+ )?(?:retries|attempts|tries)/i,
  /(?:could not|cannot|can't|unable to|failed to) (?:connect|reach)/i,
  /no connection/i,
  /connection (?:is |was )?(?:closed|ended|lost)/i,
);
/** A try among others; its number may stand in a field. */
const TRY = /\b(?:attempt|try|tries|retry|retries|retrying|again)\b|\(\d{1,4}\/\d{1,4}\)/i;

/** The last try before the words that tries were given up. */
function lastTry(best: Candidate, tops: readonly Candidate[]): Candidate | undefined {
  const { text } = best.line;
  // What stands behind the last colon is the cause, if there is one.
  const innermost = text.slice(text.lastIndexOf(': ') + 1);
  if (!GIVES_UP.test(innermost) || worldNames(text) > 0 || SYSTEM_ERROR.test(text)) return undefined;
  const before = tops.filter(({ position, line }) => position < best.position && line !== best.line);
  const counts = new Map<string, number>();
  for (const { line } of before) counts.set(shape(line.text), (counts.get(shape(line.text)) ?? 0) + 1);
  // What is said again and again is a try, too.
  const isTry = ({ line }: Candidate): boolean =>
    TRY.test(`${line.said} ${line.fields ?? ''}`) || (counts.get(shape(line.text)) ?? 0) > 1;
  return before.findLast((each) => isBad(each.line.text) && isTry(each));
}

/** A fatal error of so many words is no mere consequence of a warning. */
const WORDS_OF_REASON = 9;

/** Lines between an error and the one that it led to. */
const NEAR_LINES = 3;

/**
 * The first of the errors right above one that holds no name: "could not open ports" or a panic only follows from what was
 * logged before.
 */
function causeAbove(best: Candidate, tops: readonly Candidate[]): Candidate | undefined {
  if (nameCount(best.line.text) > 0 || best.line.trace !== undefined) return nearestNamed(best, tops);
  let found: Candidate | undefined;
  let below = best;
  for (const above of tops.filter((each) => each.position < best.position).toReversed()) {
    const lines = below.position - above.position;
    if (lines > NEAR_LINES || above.line.role !== 'line' || isLongBefore(above, below)) break;
    // The warning of an earlier try is none of this one.
    if (!above.firm && best.firm && isLongBefore(above, below, WARNED_WITHIN_MS)) break;
    // A warning that holds the names is told when no error below it has one.
    const isReason =
      best.line.level === 'fatal' &&
      !above.firm &&
      !isConsequence(best.line.text) &&
      best.line.text.split(' ').length >= WORDS_OF_REASON &&
      !SYSTEM_ERROR.test(above.line.text);
    const mayTell = lines <= 2 && saysMore(above, best) && !HAS_PORT.test(best.line.text) && !isReason;
    if (isConsequence(above.line.text)) continue;
    if (!above.firm && !(mayTell && nameCount(found?.line.text ?? '') === 0)) continue;
    if (found === undefined || nameCount(above.line.text) >= Math.min(1, nameCount(found.line.text))) found = above;
    below = above;
  }
  return found;
}

/** An error that led to another one comes shortly before it, ms. */
const LEADS_WITHIN_MS = 60_000;

/** The same of a warning. */
const WARNED_WITHIN_MS = 3000;

function isLongBefore({ line: { atMs } }: Candidate, below: Candidate, mostMs = LEADS_WITHIN_MS): boolean {
  return atMs !== undefined && below.line.atMs !== undefined && below.line.atMs - atMs > mostMs;
}

/** The trace that ends right above a logged error without names: "Connection refused" above "the feed has ended". */
function traceAbove(best: Candidate, tops: readonly Candidate[]): Candidate | undefined {
  if (best.line.role !== 'line' || nameCount(best.line.text) > 0 || SYSTEM_ERROR.test(best.line.text)) return undefined;
  const above = tops.findLast(({ position }) => position < best.position);
  const isRightAbove = above !== undefined && above.line.afterFrames === true && above.position === best.position - 1;
  return isRightAbove && above.firm ? above : undefined;
}

/** A plain error without names above one that names what is wrong: "schema validation", "variable not found: DATABASE_URL". */
function namedBelow(best: Candidate, tops: readonly Candidate[]): Candidate | undefined {
  if (nameCount(best.line.said) > 0 || best.line.atMs !== undefined) return undefined;
  const below = tops.find(({ position, firm }) => firm && position > best.position);
  if (below === undefined || below.position - best.position > NEAR_LINES) return undefined;
  const isAlike =
    below.line.level === best.line.level && below.line.atMs === undefined && below.line.trace === undefined;
  return isAlike && nameCount(below.line.text) > 0 ? below : undefined;
}

/** Shorter words may stand in another message by chance. */
const MIN_TOLD_AGAIN = 12;

/** The same error told below with more names: "FAILED cart.py::prices - assert 2 == 3". */
function toldAgain(best: Candidate, tops: readonly Candidate[]): Candidate | undefined {
  const { text } = best.line;
  if (nameCount(text) > 0 || text.length < MIN_TOLD_AGAIN) return undefined;
  return tops.find(
    ({ position, line }) =>
      position > best.position && line.role === 'line' && line.text.length > text.length && line.text.includes(text),
  );
}

export const HAS_PORT = /\bport \d{2,5}\b/;

/** A failure with names, or the system's own words for it, above an error that has neither. */
function saysMore({ line: { text } }: Candidate, below: Candidate): boolean {
  return isBad(text) && (nameCount(text) > 0 || (SYSTEM_ERROR.test(text) && !SYSTEM_ERROR.test(below.line.text)));
}

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
    const scored = chain.map((each, place) => ({ each, value: chainScore(each, place) + rootBonus(chain, place) }));
    const root = scored.reduce((best, one) => (one.value >= best.value ? one : best)).each;
    return { ...fuller(root, chain), score: top };
  });
  return [...plain, ...roots].toSorted((a, b) => a.position - b.position);
}

/** A message that is longer says more than is worth it. */
const MAX_FULLER = 240;

/** The error above a cause that has all of its words and more: "Text '2026-02-30' could not be parsed: Invalid date 'FEBRUARY 30'". */
function fuller(root: Candidate, chain: readonly Candidate[]): Candidate {
  if (root.line.role !== 'cause') return root;
  const message = messageOf(root.line.text);
  const above = chain.findLast(
    ({ position, line }) =>
      position < root.position &&
      line.text.length <= MAX_FULLER &&
      messageOf(line.text).length > message.length &&
      messageOf(line.text).includes(message) &&
      worldNames(line.text) + quotedCount(line.text) > worldNames(root.line.text) + quotedCount(root.line.text),
  );
  return message.length < MIN_TOLD_AGAIN || above === undefined ? root : above;
}

function quotedCount(text: string): number {
  return text.match(/'[^']{1,100}'|"[^"]{1,100}"/g)?.length ?? 0;
}

/** The deepest of a chain only follows from nothing, whatever its words are. */
function rootBonus(chain: readonly Candidate[], place: number): number {
  const root = chain[place];
  return place > 0 &&
    place === chain.length - 1 &&
    root?.line.role === 'cause' &&
    isConsequence(messageOf(root.line.text))
    ? 30
    : 0;
}

function chainScore({ line, score }: Candidate, place: number): number {
  // Python ends a chain with the error that ended the program.
  return (
    score -
    // A logger's own level says nothing of the error that it announces.
    (line.role === 'line' && line.level === 'fatal' ? 10 : 0) -
    (OF_LIBRARIES.test(line.said) ? 12 : 0) +
    4 * nameCount(line.text) +
    (isWrapperOfParts(line.text) ? -12 : 0) +
    (line.afterFrames === true ? 12 * place : RUBY.test(line.said) ? -12 * place : 0) +
    (TELLING_CLASS.test(line.said) && isBareHead(line.said) ? 5 : 0) -
    (PANIC.test(line.said) && nameCount(line.text) === 0 ? 8 : 0)
  );
}

/** What a library says of its own inside when the key, the password or the file is wrong that the error above it names. */
export const OF_LIBRARIES = anyOf(
  /BadPaddingException|BadTagException/,
  /failed to decrypt safe contents entry/,
  /DerInputStream|DerValue|extra data at the end|Tag mismatch/,
  /ClosedChannelException/,
);

/** What a framework says of its own parts when something below them fails: "Error creating bean with name 'ledger'". */
const WRAPPER =
  /\b(?:error|failed|failure|unable|could not|cannot) (?:to )?(?:creat\w+|instantiat\w+|start\w*|initiali[sz]\w+|load\w*|inject\w*|build|resolv\w+|invok\w+)\b.{0,40}\b(?:bean|application|context|factory|component|plugin|module|service|server|dependenc\w+|parameter|value|session|initiali[sz]er)\b|^\S{0,200}(?:BeanCreation|UnsatisfiedDependency|ApplicationContext)Exception\b/i;

function isWrapperOfParts(text: string): boolean {
  return WRAPPER.test(text) && worldNames(text) === 0;
}

/** Ruby prints the error that ended the program first, and its cause below. */
const RUBY = /^\S{1,300}:\d+:in [`']/;

/** Classes of errors that say much without a message. */
const TELLING_CLASS =
  /(?:Connect|UnknownHost|Timeout|AccessDenied|NoSuchFile|Bind|FileNotFound|Authentication|SSL|Certificate|OutOfMemory)\w*(?:Exception|Error)\b/;

/** The text without numbers, so that tries of one thing are alike. */
export function shape(text: string): string {
  return text.slice(0, 120).replace(/\d+/g, '0');
}
