/** Finds what the system or a peer refuses to a program again and again, while it goes on with other work. Pure. */
import { anyOf } from './any-of.ts';
import { saysAgain } from './bare-words.ts';
import type { FailsAgain } from './fails-again.ts';
import { lastFailure } from './last-failure.ts';

/** What no program can do without, whatever else it does: faults of business may come as often as they like. */
const REFUSED = anyOf(
  /permission denied/i,
  /not permitted/i,
  /read-only file system/i,
  /no space left/i,
  /no such file or directory/i,
  /too many open files/i,
  /cannot allocate memory/i,
  /connection refused/i,
  /name or service not known|could not resolve host|no such host/i,
  /authentication failed|access denied for user|WRONGPASS|NOAUTH|\bAccess ?Denied\b|\b401 unauthori[sz]ed\b|\b403 forbidden\b/i,
  /\bNoSuchBucket\b|\b(?:relation|table|database) ["'\w.]{1,100} does(?:n't| not) exist|unknown (?:database|table)|no such (?:table|database|bucket|queue|topic)\b/i,
  /\bconnection (?:was |is )?blocked\b|\bblocked connection\b|ConnectionBlocked/i,
  // Servers that end their own workers
  /\bWORKER TIMEOUT\b|\bHARAKIRI\b|\bexecution timed out \([\d.]+ sec\), terminating|Terminating timed out worker/i,
  /certificate (?:has expired|verify failed|verification failed)|x509: /i,
);
/** What a client asked a server for is its own matter. */
const OF_REQUEST = /\bclient: \d|\brequest: "|"(?:GET|POST|HEAD|PUT|DELETE) |\b404\b|favicon/i;
const LATELY_LINES = 120;
const OFTEN = 3;

/**
 * The complaint; undefined: there is none, or it has not come again where it would have.
 *
 * @param lines the log's last lines, oldest first
 */
export function complainsAgain(lines: readonly string[]): FailsAgain | undefined {
  const lately = lines.slice(-LATELY_LINES).filter((line) => line.trim() !== '');
  const said = lastFailure(lately);
  if (said === undefined || !REFUSED.test(said.line) || OF_REQUEST.test(said.line)) return undefined;
  const places = lately.flatMap((line, place) => (saysAgain(line, said.line) ? [place] : []));
  const last = places.at(-1);
  if (last === undefined || places.length < OFTEN) return undefined;
  const between = places.slice(1).map((place, index) => place - (places[index] ?? 0));
  // What would have come again by now has been overcome.
  return lately.length - last > Math.max(...between) ? undefined : { said, times: places.length, isBesideWork: true };
}
