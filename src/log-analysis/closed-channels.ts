/**
 * Finds why a channel or session was closed whose user only says that it is closed: a client library tells the reason when it comes, at
 * times long before the program uses the channel again. Pure.
 */
import type { DecisiveLine } from './describe.ts';
import { maskSecrets } from './mask-secrets.ts';
import type { RoledLine } from './traces.ts';

/** Clients of AMQP in Python, Node.js, Java and Go. */
const IS_CLOSED =
  /\bChannelWrongStateError\b|\b[Cc]hannel(?: is)?(?: already)? closed\b|\bchannel\/connection is not open\b|\bAlreadyClosedException\b/;
/** What the broker said with it. */
const SAYS_WHY =
  /\b(?:Channel|Connection)\.Close \(\d{3}\)|\b[Cc]hannel closed by server: \d{3}\b|\breply-code=\d{3}, reply-text=|\bException \(\d{3}\) Reason: "(?!channel\/connection is not open)|\b(?:PRECONDITION_FAILED|ACCESS_REFUSED|NOT_FOUND|RESOURCE_LOCKED) - /;
/** How a library prints the channel itself. */
const OF_OBJECT = / on <Channel number=.*$/;
const MAX_LINE = 500;

/** The line, or the reason of the close that it only tells of. */
export function withReasonOfClose(decisive: DecisiveLine, roled: readonly RoledLine[]): DecisiveLine {
  if (!IS_CLOSED.test(decisive.line) || SAYS_WHY.test(decisive.line)) return decisive;
  const reason = roled.findLast(({ text, index }) => index < decisive.index && SAYS_WHY.test(text));
  if (reason === undefined) return decisive;
  const line = maskSecrets(reason.said.replace(OF_OBJECT, '')).slice(0, MAX_LINE);
  return { ...decisive, line, index: reason.index, related: [decisive.line, ...decisive.related] };
}
