/**
 * Finds the decisive line at the end of a log: what the program said about why it ended. Errors that were overcome, closings,
 * advice and what only follows from another error do not count. Linear in the length of the text. Pure.
 */
import { errorsWhileWorking, type Life, SHORT_LIFE_MS } from './after-ready.ts';
import type { Candidate } from './candidate.ts';
import { type DecisiveLine, describe, shortened } from './describe.ts';
import { understoodLog } from './understood-log.ts';
import { withReasonOfClose } from './closed-channels.ts';
import { maskSecrets } from './mask-secrets.ts';
import { partsOfMessages, USAGE } from './messages.ts';
import { overcome, requestLines, wentOn } from './overcome.ts';
import { lastDeadly } from './uncaught.ts';
import { pick } from './pick.ts';
import type { RoledLine } from './traces.ts';
import { agePenalty, weigh } from './weigh.ts';
import { isAccess, isAdvice, isClosing, isConsequence, isFigure, isTidying } from './grammar/index.ts';

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

/**
 * @param lines the log's last lines, oldest first; only the last `MAX_LINES_READ` are read
 * @param life what is known of the times of its life; without it the lines alone decide
 */
export function readLog(lines: readonly string[], life: Life = {}): LogReading {
  const { roled, dialects } = understoodLog(lines);
  const hardlyLived = life.livedMs !== undefined && life.livedMs < SHORT_LIFE_MS;
  // What the other stream held back may stand below the words of an end.
  const deadly = hardlyLived ? lastDeadly(roled) : -1;
  const readyAt = overcome(roled, dialects);
  const isReadyAt = deadly === -1 ? readyAt : Math.min(readyAt, deadly - 1);
  const isOver = Math.max(isReadyAt, hardlyLived ? -1 : wentOn(roled, dialects));
  const ofRequest = requestLines(roled, dialects);
  const endMs = roled.findLast(({ atMs }) => atMs !== undefined)?.atMs;
  const belongsAbove = partsOfMessages(roled);
  const candidateAt = (line: RoledLine, position: number): readonly Candidate[] => {
    if (line.role === 'frame' || line.part === true || ofRequest.has(position) || belongsAbove.has(position)) return [];
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
    const lastLine =
      lastError === undefined && (hardlyLived || roled.length <= FEW_LINES) ? lastSaid(roled, ofRequest) : undefined;
    return { ...(lastError && { lastError }), ...(lastLine && { lastLine }), others: [], live, dialects: names };
  }
  const decisive = describe(best, roled, candidates, dialects);
  const others = candidates
    .filter(({ line, score }) => line.index !== decisive.index && score >= best.score - 25 && !isConsequence(line.text))
    .map(({ line }) => line.said)
    .toReversed();
  return {
    decisive: withReasonOfClose(decisive, roled),
    others: [...new Set(others)].slice(0, 10),
    live,
    dialects: names,
  };
}

/** What a program says in so few lines is told, however long it lived. */
const FEW_LINES = 3;

/** The last line that may mean something. */
function lastSaid(roled: readonly RoledLine[], ofRequest: ReadonlySet<number>): string | undefined {
  const at = roled.findLastIndex(
    ({ role, text }, position) =>
      role === 'line' &&
      !ofRequest.has(position) &&
      /[a-z]{3}/i.test(text) &&
      !isClosing(text) &&
      !isAdvice(text) &&
      !isFigure(text) &&
      !isTidying(text) &&
      !text.endsWith(':') &&
      !isAccess(text),
  );
  // A program that only prints how it is called was called in another way.
  const usage = roled.findIndex(({ text }) => USAGE.test(text));
  const last = roled[usage > at ? usage : at];
  return last === undefined ? undefined : shortened(maskSecrets(last.said));
}

/** The decisive line of a log, secrets masked; undefined when no line says what went wrong. */
export function decisiveLine(lines: readonly string[], life?: Life): DecisiveLine | undefined {
  return readLog(lines, life).decisive;
}
