/** Reads which request a line of a log tells of, and how it was answered. Pure. */

/** The status of a request: of the common format of NGINX, Apache and Caddy's text, of HAProxy, uWSGI, Rails, and of fields. */
const STATUSES: readonly RegExp[] = [
  /" ([1-5]\d\d) (?:\d+|-)(?: |$)/,
  /\s[\w.~-]{1,100}\/[\w.:<>~-]{1,100} [-\d/+]{5,60} ([1-5]\d\d) \d+ /,
  /["'](?:http_?)?status_?(?:code)?["']:\s?"?([1-5]\d\d)\b/i,
  /(?:^|[\s,])(?:http\.|http_|response[._])?status_?(?:code)?=([1-5]\d\d)\b/i,
  /\(HTTP\/[\d.]{1,3} ([1-5]\d\d)\)/,
  /\bCompleted ([1-5]\d\d)\b/,
  // Squid
  /\bTCP_[A-Z_]{2,30}\/([1-5]\d\d)\b/,
];
/** "GET /orders 500 Sequel::PoolTimeout: timeout: 3.0": what a program says itself of a request, with its error. */
const WITH_ERROR =
  /\b(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS) \/\S{0,200}(?: HTTP\/[\d.]{1,3})? (?:-> |=> |- |: )?([1-5]\d\d)\b/;
/** '"GET /health HTTP/1.1" 404' at the end of a line, and "404 GET /healthz" of a program that prints the status first. */
const SHORT: readonly RegExp[] = [
  /\b(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS) \/\S{0,400}(?: HTTP\/[\d.]{1,3})?"? (?:-> |=> |- )?([1-5]\d\d)\b/,
  /(?<![\w.])([1-5]\d\d)(?: -)? (?:GET|HEAD|OPTIONS|POST) \//,
];
/** What was asked for, in the line itself or in one that announces the request. */
const ASKED =
  /\b(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)["']? ["']?(\/[^\s"'?]{0,200})|["']?(?:url|uri|path|request_uri)["']?[:=]\s?["']?(\/[^\s"'?,}]{0,200})/i;
/** No line is read further, characters. */
const MAX_LINE = 2000;

/** The status; undefined: the line tells of no answer. */
export function statusIn(line: string): number | undefined {
  const text = line.slice(0, MAX_LINE);
  const found = [...STATUSES, WITH_ERROR, ...SHORT].flatMap((pattern) => pattern.exec(text)?.[1] ?? [])[0];
  return found === undefined ? undefined : Number(found);
}

/** Statuses from this on are failures, of the client or of the server. */
const FAILED = 400;

/** Whether a later line records that the request was answered well which a line names: its trouble is over. */
export function isAnsweredSince(complaint: string, later: readonly string[]): boolean {
  const path = pathIn(complaint);
  return path !== undefined && later.some((line) => pathIn(line) === path && (statusIn(line) ?? FAILED) < FAILED);
}

/** The host and port that a proxy is asked to connect to. */
const CONNECTED = /\bCONNECT ([\w.-]{1,253}:\d{1,5})\b/;

/** The path that was asked for, without its query; of a connection through a proxy the host and port. */
export function pathIn(line: string): string | undefined {
  const through = CONNECTED.exec(line.slice(0, MAX_LINE))?.[1];
  if (through !== undefined) return through;
  const match = ASKED.exec(line.slice(0, MAX_LINE));
  return match?.[1] ?? match?.[2];
}

/** What a program puts behind the status of a request. */
export function behindStatus(line: string): string | undefined {
  const match = WITH_ERROR.exec(line);
  return match === null ? undefined : line.slice(match.index + match[0].length).trim();
}
