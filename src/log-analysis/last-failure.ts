/** Finds what a program that still works says of a request that it fails just now, such as a probe that is answered with 500. Pure. */
import { withReasonOfClose } from './closed-channels.ts';
import type { Candidate } from './candidate.ts';
import { type DecisiveLine, describe } from './describe.ts';
import { partsOfMessages } from './messages.ts';
import { notLoaded } from './not-loaded.ts';
import { pick, shape } from './pick.ts';
import { isAnsweredSince } from './request-lines.ts';
import type { RoledLine } from './traces.ts';
import { understoodLog } from './understood-log.ts';
import { weigh } from './weigh.ts';

/** Lines of the end that are looked at. */
const LATELY_LINES = 80;
/** Lines that one failure has at the most, its trace included. */
const LINES_OF_ONE = 40;
/** Below this a line has no words of failure. */
const MIN_SCORE = 30;

/**
 * The latest failure, secrets masked; undefined: no line tells of one. Other than the decisive line of a program that ended, it may be
 * about a single request, and other requests may have been answered well after it.
 *
 * @param lines the log's last lines, oldest first
 */
export function lastFailure(lines: readonly string[]): DecisiveLine | undefined {
  const { roled, dialects } = understoodLog(lines.slice(-LATELY_LINES));
  const parts = partsOfMessages(roled);
  const candidates = roled.flatMap((line, position): readonly Candidate[] => {
    if (line.role === 'frame' || line.part === true || parts.has(position)) return [];
    if (NAMES_REQUEST.test(line.text) && isAnsweredSince(line.text, textsAfter(roled, position))) return [];
    const weight = weigh(line, dialects, roled[position + 1]);
    return weight === undefined || weight.score < MIN_SCORE ? [] : [{ line, position, ...weight }];
  });
  const last = candidates.at(-1);
  if (last === undefined) return undefined;
  // What stands before the same failure an earlier time is about another one, or about the start.
  const before = candidates.findLast(
    ({ line, position }) => position < last.position && shape(line.text) === shape(last.line.text),
  );
  const from = Math.max(before?.position ?? -1, last.position - LINES_OF_ONE);
  const ofOne = candidates.filter(({ position, line }) =>
    line.trace === undefined ? position > from : line.trace === last.line.trace,
  );
  const best = pick(ofOne);
  if (best === undefined) return undefined;
  // A line of a request may only point to what the start said.
  const atStart = POINTS_BACK.test(best.line.text) ? notLoaded(lines) : undefined;
  if (atStart !== undefined) return atStart;
  const told = withReasonOfClose(describe(best, roled, ofOne, dialects), roled);
  return { ...told, index: told.index + Math.max(0, lines.length - LATELY_LINES) };
}

function textsAfter(roled: readonly RoledLine[], position: number): readonly string[] {
  return roled.slice(position + 1).map(({ text }) => text);
}

/** As the error logs of proxies do: 'upstream timed out, request: "GET /orders HTTP/1.1"'. */
const NAMES_REQUEST = /\brequest: "[A-Z]{3,7} \//;

/** "check your startup logs for errors", "no application loaded" */
const POINTS_BACK =
  /\b(?:check|see|consult) (?:the |your )?(?:start-?up |server |previous |error )*(?:logs?|messages?|errors?)\b|\bno (?:\w{1,20} )?app(?:lication)? (?:found|loaded|available)\b|\bapp(?:lication)? (?:is |was )?not (?:loaded|started|initiali[sz]ed)\b/i;
