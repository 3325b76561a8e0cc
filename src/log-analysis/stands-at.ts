/** Finds at what a program stands that works, ends nothing and does not come on: it waits, tries again, or fell silent. Pure. */
import { words } from './any-of.ts';
import { type DecisiveLine, describe } from './describe.ts';
import { isAccess, isBad, isClosing, isFigure, isGoingOn, isReady, isTidying } from './grammar/index.ts';
import { requestLines } from './overcome.ts';
import { partsOfMessages } from './messages.ts';
import { shape } from './pick.ts';
import type { RoledLine } from './traces.ts';
import { understoodLog } from './understood-log.ts';

export interface StandsAt {
  /** waits: it says so; repeats: it says the same again and again; silent: its last line, after which there is none. */
  readonly how: 'waits' | 'repeats' | 'silent';
  /** Secrets masked. */
  readonly said: DecisiveLine;
  /** How often the line stands among the last ones. */
  readonly times: number;
}

/** Lines of the end that are looked at. */
const LATELY_LINES = 60;
/** Own lines at the end among which the one that tells may be. */
const LAST_LINES = 3;
/** A line that stands there so often is said again and again. */
const OFTEN = 3;

/** What programs say while somebody or something else is to act first. */
const WAITS = words(
  /wait(?:ing|s)? (?:\w+ ){0,3}(?:for|on|until|to)/i,
  /waiting[.…!]*$/i,
  /(?:is |are |still )?(?:held|locked|blocked|owned|taken|used|in use) by/i,
  /not (?:\w+ )?(?:ready|available|reachable|up|there|found|migrated|initiali[sz]ed) yet/i,
  /still (?:waiting|locked|pending|missing|not)/i,
  /acquiring (?:\w+ ){0,3}(?:lock|lease|leadership)/i,
  /(?:will|going to) (?:retry|try again|wait)/i,
  /retrying/i,
  /trying again/i,
  /try again in/i,
  /(?:blocked|stuck) (?:on|by|in)/i,
);

/** A line of a program at its work: it waits for what clients send, or offers something. */
function isAtWork({ text }: RoledLine): boolean {
  return isReady(text) || isGoingOn(text) || IDLE.test(text);
}

const IDLE =
  /\b(?:waiting|listening|polling|idle|ready) (?:for|on) (?:new |incoming |more )?(?:jobs?|requests?|connections?|messages?|work|events?|clients?|tasks?|commands?|signals?)\b/i;

/**
 * The last line that says at what the program stands; undefined: its last lines are of work, or say nothing.
 *
 * @param lines the log's last lines, oldest first
 */
export function standsAt(lines: readonly string[]): StandsAt | undefined {
  const { roled, dialects } = understoodLog(lines.slice(-LATELY_LINES));
  const ofRequests = requestLines(roled, dialects);
  const parts = partsOfMessages(roled);
  const own = roled.flatMap((line, position) =>
    (ofRequests.has(position) && !isComplaint(line)) || parts.has(position) || !isOwnWord(line)
      ? []
      : [{ line, position }],
  );
  const counts = new Map<string, number>();
  for (const { line } of own) counts.set(shape(line.text), (counts.get(shape(line.text)) ?? 0) + 1);
  const lately = own.slice(-LAST_LINES).filter(({ line }) => !isAtWork(line));
  const timesOf = (line: RoledLine): number => counts.get(shape(line.text)) ?? 1;
  const waits = lately.findLast(({ line }) => WAITS.test(line.text));
  const often = lately.filter(({ line }) => timesOf(line) >= OFTEN);
  const repeats = often.findLast(({ line }) => isComplaint(line) || isBad(line.text)) ?? often.at(-1);
  const last = own.at(-1);
  const silent = last !== undefined && !isAtWork(last.line) ? last : undefined;
  const found = waits ?? repeats ?? silent;
  if (found === undefined) return undefined;
  return {
    how: found === waits ? 'waits' : found === repeats ? 'repeats' : 'silent',
    said: describe({ ...found, score: 0, firm: false }, roled, [], dialects),
    times: timesOf(found.line),
  };
}

/** What a program complains of in a request of its own looks like an answer to somebody else's. */
function isComplaint({ level }: RoledLine): boolean {
  return level === 'warning' || level === 'error' || level === 'fatal';
}

/** Whether a line is the program's own word, and none about its end, a request or figures. */
function isOwnWord({ role, text, part, indent, unfolded }: RoledLine): boolean {
  if (role !== 'line' || part === true || unfolded === true || indent > 0 || !/[a-z]{3}/i.test(text)) return false;
  return !isAccess(text) && !isClosing(text) && !isTidying(text) && !isFigure(text) && !SIGNALLED.test(text);
}

/** What a program says when it is asked to end. */
const SIGNALLED = /\bsig(?:term|int|kill|quit)\b|\bsignal\b.{0,20}\b(?:15|2|received)\b|\bgraceful(?:ly)?\b/i;
