/** How much one line says about the end of its program. Pure. */
import { anyOf, whole } from './any-of.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { Level } from './level.ts';
import { SAME_BURST_MS } from './limits.ts';
import { losesLink } from './link-lost.ts';
import { USAGE } from './messages.ts';
import { nameCount } from './names.ts';
import { TAP } from './test-protocol.ts';
import { ASSERTION, TERMINATE, withNext } from './told-whole.ts';
import type { RoledLine } from './traces.ts';
import {
  isAccess,
  isAdvice,
  isBad,
  isClosing,
  isConsequence,
  isOnlyWarning,
  isPointer,
  isRetry,
  isTolerated,
  reasonOfEnd,
} from './grammar/index.ts';

interface Weight {
  readonly score: number;
  readonly firm: boolean;
}

const LEVEL_SCORES: Readonly<Record<Level, number>> = { fatal: 60, error: 50, warning: 22, info: 0, debug: 0 };

/** What programs print of themselves before they say how they are called. */
const BANNER =
  /^(?:running on|built with|status|known bugs|copyright|version|license)\b|\bv(?:ersion )?\d+\.\d|\(c\) |https?:\/\//i;

/** How much a line says about the end; undefined: nothing. */
export function weigh(line: RoledLine, dialects: readonly Dialect[], next: RoledLine | undefined): Weight | undefined {
  const { text, said, level, role } = line;
  const says = (pattern: RegExp | undefined): boolean =>
    pattern !== undefined && (pattern.test(text) || pattern.test(said));
  const decides = dialects.some(({ decisive }) => says(decisive));
  // The message of an error may look like noise when its class is taken off.
  const isNoise = (noise: RegExp | undefined): boolean => (role === 'head' ? noise?.test(said) === true : says(noise));
  if (!decides && dialects.some(({ noise }) => isNoise(noise))) return undefined;
  if (isAccess(text) || isOnlyWarning(text) || isPointer(text)) return undefined;
  if (level === undefined && line.indent > 0 && DUMPED.test(text)) return undefined;
  // The end of a snippet that V8 quotes over several lines belongs to its begin.
  if (/^"? ?is not valid JSON$/.test(text)) return undefined;
  if (text.length < 3 || !/[a-z]{2}/i.test(text)) return undefined;
  const inTrace = role === 'head' || role === 'cause';
  const isError = level === 'error' || level === 'fatal';
  if (!decides && !inTrace && (isClosing(text) || (isAdvice(text) && !isError))) return undefined;
  if (!isError && !inTrace && !decides && isTolerated(text)) return undefined;
  let score = level === undefined ? (isBad(text) ? 40 : 4) : LEVEL_SCORES[level];
  if (level !== undefined && score < 40 && isBad(text)) score += level === 'warning' ? 8 : 14;
  // Programs often write a peer's error status at level info.
  if (level !== 'debug' && ANSWERED_BADLY.test(text)) score = Math.max(score, 40);
  // Clients often write a lost connection at level info.
  if (!isError && level !== 'debug' && losesLink(text)) score = Math.max(score, 36);
  const reason = role === 'line' ? reasonOfEnd(text) : undefined;
  // "could not start, exiting" has only words of failure, and follows from another line.
  const hasReason = reason !== undefined && !isBad(reason);
  if (hasReason) score = Math.max(score, 44);
  if (inTrace) score = Math.max(score, PANIC.test(text) ? 60 : isBareHead(said) ? 40 : 56);
  if (
    decides ||
    TERMINATE.test(said) ||
    ASSERTION.test(said) ||
    COMPILER.test(said) ||
    HEAP_ABORT.test(said) ||
    TAP.test(said)
  )
    score = Math.max(score, 62);
  const isFollowing = isConsequence(text) || isConsequence(messageOf(text));
  if ((isFollowing && !hasReason) || dialects.some(({ consequence }) => says(consequence))) score -= 30;
  if (text.startsWith('what(): ')) return undefined;
  if (isRetry(text)) score -= 6;
  if (score >= 20 && (!inTrace || said.startsWith('Error: ')) && SYSTEM_ERROR.test(text)) score += 5;
  // A server that cannot listen ends for that, whatever else did not go well before.
  if (score >= 40 && CANNOT_LISTEN.test(text)) score += 8;
  // What stands right above a usage says why it is printed.
  if (
    level === undefined &&
    role === 'line' &&
    next?.text !== undefined &&
    USAGE.test(next.text) &&
    !USAGE.test(text) &&
    !BANNER.test(text)
  )
    score = Math.max(score, 42);
  if (score < 20) return undefined;
  // A line that ends with a colon announces the next one.
  if (/[{[(]$/.test(text) && next !== undefined && next.role !== 'frame') score -= 12;
  return { score: score + 4 * nameCount(withNext(line, next)), firm: score >= 46 };
}

/** "payments answered 400 in 43 ms" */
const ANSWERED_BADLY =
  /\b(?:answered|returned|responded|replied|gave)(?: me| us)?(?: with)?(?: an?)?(?: HTTP)?(?: status)?(?: code)?:? (?:4\d\d|5\d\d)\b(?! ?(?:ms|s|rows?|bytes?|items?|entries|results?|[kKMG]i?B)\b)/i;

/** "/app/main.c:3:5: error: expected ';'" */
const COMPILER = /^(?:\[\w{1,20}\] )?\S{1,300}:\d+(?:[:.]\d+)?: (?:fatal )?error:/;

/** A property without words in a printed object: "_hadError: false,", "onerror: [Function],". */
const DUMPED =
  /^\[?[\w$'"()-]{1,60}\]?: (?:false|true|null|undefined|-?\d[\d.]*n?|\[[^\]]{0,200}\]?|\{.{0,200}|<ref \*\d+> .{0,100}|[\w$]{1,60} \{.{0,100}),?$/;

/** What glibc prints before it aborts. */
const HEAP_ABORT = whole(
  /(?:free|malloc|realloc|calloc|munmap_chunk|malloc_consolidate)\(\): .{3,80}/,
  /double free or corruption.{0,20}/,
  /corrupted .{3,60}/,
  /\*\*\* .{3,60} detected \*\*\*: .{3,40}/,
);

export const PANIC =
  /^(?:panic: |fatal error: (?:all goroutines|runtime|concurrent|out of memory|stack|unexpected signal)|thread '[^']*' (?:\(\d+\) )?panicked)/;

/** What the system itself says of a call that failed. */
export const SYSTEM_ERROR = anyOf(
  /address already in use/i,
  /permission denied/i,
  /no such file/i,
  /connection refused/i,
  /not permitted/i,
  /no space left/i,
  /too many open files/i,
  /cannot allocate memory/i,
  /timed out/i,
);

const CANNOT_LISTEN = /address (?:is )?already in use|\bEADDRINUSE\b/i;

/** What follows an error's class. */
export function messageOf(text: string): string {
  const colon = text.indexOf(': ');
  return colon === -1
    ? text
    : text.slice(text.indexOf(': ', /^(?:Caused by|Exception in thread)/.test(text) ? colon + 2 : colon) + 2);
}

/** An error's class without a message. */
export function isBareHead(text: string): boolean {
  return /^[\w$.[\] :"]{1,200}:?(?: \{)?$/.test(text) && !/: \S/.test(text.replace(/ \{$/, ''));
}

/** Errors long before the end are less likely its cause. */
export function agePenalty(
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
