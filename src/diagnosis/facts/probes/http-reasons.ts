/** Finds in an HTTP server's own log why it answered a client with an error, and what it answers to a health check. Pure. */
import { complaintIn, httpStatusIn, isAccessLine, maskSecrets, pathIn, statusIn } from '../../../log-analysis/index.ts';
import { hasAddress, quotable } from '../words/text.ts';

/** What servers and proxies log of a request that they refuse, in their own words; the first group is the sentence. */
const REFUSALS: readonly { readonly status: RegExp; readonly said: RegExp }[] = [
  { status: /40[13]/, said: /\b(access forbidden by rule)\b/i },
  { status: /40[13]/, said: /\b(client denied by server configuration: \S{1,200})/i },
  { status: /403/, said: /\b(directory index of "[^"]{1,200}" is forbidden)/i },
  { status: /403/, said: /(["']?[^\s"']{1,200}["']? (?:failed|is forbidden) \(13: Permission denied\))/i },
  {
    status: /40[137]/,
    said: /\b((?:Unauthorized|Rejected|Denied) (?:connection|client|access) from "?[\w.:-]{1,100}"?)/i,
  },
  { status: /403/, said: /\b(Proxying refused on filtered (?:domain|url) "[^"]{1,200}")/i },
  { status: /40[37]/, said: /\b(TCP_DENIED\/\d{3} \d{1,9} [A-Z]{3,8} \S{1,200})/ },
  { status: /401/, said: /\b(user "[^"]{1,64}"(?: was not found in "[^"]{1,200}"|: password mismatch))/i },
  { status: /401/, said: /\b(user [\w.-]{1,64}(?: not found| ?: authentication failure\b[^,]{0,100}))/i },
  { status: /401/, said: /\b(no user\/password was provided for basic authentication)/i },
  { status: /4(?:00|95|96)/, said: /\b(client sent no required SSL certificate)/i },
  { status: /4(?:00|97)/, said: /\b(client sent plain HTTP request to HTTPS port)/i },
  { status: /4(?:00|95)/, said: /\b(client SSL certificate verify error: \([^)]{1,200}\))/i },
  { status: /413/, said: /\b(client intended to send too large (?:chunked )?body: \d{1,15} bytes)/i },
  {
    status: /4(?:29|03)|503/,
    said: /\b(limiting (?:requests|connections)\b[^,]{0,100}(?:, excess: [\d.]{1,20} by zone "[^"]{1,60}")?)/i,
  },
  { status: /40[03]|421/, said: /\b(Hostname \S{1,100} provided via SNI[^.]{0,200})/i },
  { status: /400/, said: /\b(Invalid HTTP_HOST header: '[^']{1,200}'[^.]{0,150})/i },
  { status: /403/, said: /\b(Forbidden \((?:CSRF|Origin|Referer)[^)]{0,150}\))/i },
  { status: /404/, said: /(open\(\) "[^"]{1,300}" failed \(2: No such file or directory\))/i },
  {
    status: /50[234]/,
    said: /\b((?:connect\(\) failed \([^)]{1,80}\)|upstream (?:timed out|prematurely closed|sent (?:too big|invalid))[^,]{0,100}|no live upstreams) while [^,]{1,100}(?:.{0,300}?upstream: "[^"]{1,200}")?)/i,
  },
];
/** Words of a refusal beside its status, in the log of a program of one's own. */
const OF_REFUSAL =
  /\b(?:expired?|invalid|denied|deny|den(?:ies|ying)|forbidden|unauthori[sz]ed|not (?:allowed|permitted|authori[sz]ed|valid|accepted|found|known|in)|signature|missing|lacks?|unknown|revoked|disabled|suspended|blocked|reject(?:ed|ing|s)?|refus(?:ed|ing|es)|mismatch|wrong|bad|required|requires?|no such|rate|quota|limit|too (?:many|large|big)|failed|cannot|must)\b/i;
/** Lines of the end that are looked at. */
const LINES = 160;
const MAX_SAID = 200;
/** "client: 10.2.0.9", "[client 10.2.0.9:4711]", 'from "10.2.0.9"', and a line that begins with an address. */
const CLIENT = /(?:\bclient:? ?"?|\bfrom "?|^(?:[\d.]{1,20} {1,8}\d{1,9} )?)\[?(?:\d{1,3}\.){3}\d{1,3}\b/i;

export interface HttpClient {
  /** The status that it got. */
  readonly status: number;
  /** The address of its pod. */
  readonly address?: string;
}

/** The last such sentence, secrets masked; undefined: its log does not say why. */
export function httpReason(lines: readonly string[], { status, address }: HttpClient): string | undefined {
  // Others may be refused as well, such as probes.
  const isOfOther = (line: string): boolean => address !== undefined && CLIENT.test(line) && !hasAddress(line, address);
  const late = lines
    .slice(-LINES)
    .filter((line) => !isOfOther(line))
    .toReversed();
  const known = late.flatMap((line) => {
    const said = REFUSALS.find((each) => each.status.test(String(status)) && each.said.test(line))?.said.exec(
      line,
    )?.[1];
    return said === undefined ? [] : [{ line, said }];
  });
  const sentence = known[0]?.said ?? late.flatMap((line) => ownWords(line, status) ?? [])[0];
  const told = sentence ?? (status >= 500 ? complaintIn(lines.slice(-LINES)) : undefined);
  return told === undefined ? undefined : quotable(maskSecrets(told).slice(0, MAX_SAID)).replace(/\.+$/, '');
}

/** "401 jwt expired", of a line that is more than the record of a request. */
function ownWords(line: string, status: number): string | undefined {
  if (line.length > MAX_LINE || isAccessLine(line) || !OF_REFUSAL.test(line)) return undefined;
  const isOfStatus =
    new RegExp(String.raw`(?<![\w.:/-])${status}(?![\w./-])(?!:\d)`).test(line) || httpStatusIn(line) === status;
  return isOfStatus ? line.trim() : undefined;
}

const MAX_LINE = 400;
/** The status that the server gave last for a path, as its access log tells. */
export function statusOfPath(lines: readonly string[], path: string): number | undefined {
  for (const line of lines.slice(-LINES).toReversed()) {
    const status = statusIn(line);
    if (status !== undefined && pathIn(line) === path) return status;
    if (NO_ROUTE.exec(line)?.[1] === path) return 404;
  }
  return undefined;
}

/** What frameworks say of a path that nobody serves, whose access logs have no status: Rails, Express, Spring, Django. */
const NO_ROUTE =
  /\b(?:No route matches \[\w{1,7}\] "|Cannot (?:GET|HEAD|POST) |No mapping for (?:GET|HEAD|POST) |Not Found: |no handler found for (?:GET|HEAD|POST) )(\/[^"\s?]{0,200})/i;

/** A path of the same server that it answers well. */
export function pathAnswered(lines: readonly string[], like: string): string | undefined {
  const begin = like.slice(0, Math.max(2, Math.min(like.length, SAME_LETTERS)));
  for (const line of lines.slice(-LINES).toReversed()) {
    const asked = pathIn(line) ?? '';
    const isAnswered = String(statusIn(line)).startsWith('2');
    if (isAnswered && asked !== like && asked.startsWith(begin)) return asked;
  }
  return undefined;
}

const SAME_LETTERS = 5;
