/** Finds what a program that works complains of again and again, which is no matter of one request. Pure. */
import { saysAgain } from './bare-words.ts';
import { lastFailure } from './last-failure.ts';
import { isOfProbe } from './probe-lines.ts';

/** The address of a client, by its port: the trouble of the one who asks is no cause. */
const OF_CLIENT = /\b(?:\d{1,3}\.){3}\d{1,3}:(?:3[2-9]\d{3}|[45]\d{4}|6[0-5]\d{3})\b/;
/** What is said so often is no matter of one request. */
const OFTEN = 2;

/**
 * The complaint, secrets masked; undefined: there is none.
 *
 * @param lines the log's last lines, oldest first
 */
export function complaintIn(lines: readonly string[]): string | undefined {
  const own = lines.filter((line) => !OF_CLIENT.test(line) && !isOfProbe(line));
  const said = lastFailure(own)?.line;
  if (said === undefined) return undefined;
  return own.filter((line) => saysAgain(line, said)).length >= OFTEN ? said : undefined;
}
