/** Finds what failed in a program that ended as if all were well, such as the dump behind a pipe or a script that goes on after an error. Pure. */
import type { FailsAgain } from './fails-again.ts';
import { isNothingToDo } from './chatter.ts';
import { isAdvice, isOnlyWarning, isRetry } from './grammar/index.ts';
import { lastFailure } from './last-failure.ts';
import { MAX_LINES_READ } from './limits.ts';
import { partsOfMessages } from './messages.ts';
import { requestLines } from './overcome.ts';
import { shape } from './pick.ts';
import type { RoledLine } from './traces.ts';
import { understoodLog } from './understood-log.ts';
import { weigh } from './weigh.ts';

/** Words of failure: less has a line that only mentions one. */
const MIN_SCORE = 40;
/** Lines after a failure in which a program says that it tries again. */
const NEAR = 2;
/** What a program says of what it has got over; "done" and "finished" scripts say in any case. */
const OVERCOME =
  /\b(?:re-?)?connected\b|\bfall(?:s|ing|en)?[ -]?back\b|\bsucceed(?:s|ed)?\b|\brecovered\b|\bunlocked\b|\bignor(?:ed|ing)\b/i;
/** What another one holds is waited for. */
const OF_LOCK = /\block(?:ed|s)?\b(?! tables\b)|\balready running\b/i;

/** None was counted. */
const NO_ERRORS = /^\W{0,4}(?:errors?|failures?)[ -]?(?:count|total)?\s{0,2}[:=]\s{0,2}0\b/i;
/** PHP takes what is undefined for empty, and goes on. */
const OF_PHP = /\bPHP (?:Notice|Warning|Deprecated): {1,4}(?:Undefined|Deprecated)\b|\bPHP (?:Notice|Deprecated):/;

/**
 * What was said once, and not tried again; undefined: there is no such line. What came several times and then no more has been overcome.
 *
 * @param lines the log's last lines, oldest first
 */
export function doneThough(lines: readonly string[]): FailsAgain | undefined {
  const lately = lines.filter((line) => line.trim() !== '').slice(-MAX_LINES_READ);
  const { roled, dialects } = understoodLog(lately);
  const ofRequests = requestLines(roled, dialects);
  const parts = partsOfMessages(roled);
  const isFailure = (line: RoledLine, position: number): boolean =>
    line.role !== 'frame' &&
    line.part !== true &&
    !parts.has(position) &&
    !ofRequests.has(position) &&
    !isOnlyWarning(line.text) &&
    !NO_ERRORS.test(line.text) &&
    !OF_PHP.test(line.text) &&
    !isAdvice(line.text) &&
    (weigh(line, dialects, roled[position + 1])?.score ?? 0) >= MIN_SCORE;
  const failures = roled.flatMap((line, position) => (isFailure(line, position) ? [{ line, position }] : []));
  const counts = new Map<string, number>();
  for (const { line } of failures) counts.set(shape(line.text), (counts.get(shape(line.text)) ?? 0) + 1);
  const overcomeAt = roled.findLastIndex(({ text }) => OVERCOME.test(text));
  const last = failures.findLast(({ line, position }) => {
    const near = roled.slice(position, position + 1 + NEAR).filter(({ role }) => role === 'line');
    const isOver =
      OF_LOCK.test(line.text) ||
      near.some(({ text }) => isRetry(text) || isNothingToDo(text)) ||
      overcomeAt >= position;
    return counts.get(shape(line.text)) === 1 && !isOver;
  });
  if (last === undefined) return undefined;
  const said = lastFailure(lately.slice(0, last.line.index + 1));
  return said === undefined ? undefined : { said, times: 1, isDone: true };
}
