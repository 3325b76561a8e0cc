/** Reads with which status a line of a log says that a request was answered. Pure. */

/** The status of a request: of the common format of NGINX, Apache and Caddy's text, of HAProxy, uWSGI, Rails, and of fields. */
const STATUSES: readonly RegExp[] = [
  /" ([1-5]\d\d) (?:\d+|-)(?: |$)/,
  /\s[\w.~-]{1,100}\/[\w.:<>~-]{1,100} [-\d/+]{5,60} ([1-5]\d\d) \d+ /,
  /["'](?:http_?)?status_?(?:code)?["']:\s?"?([1-5]\d\d)\b/i,
  /(?:^|[\s,])(?:http\.|http_|response[._])?status_?(?:code)?=([1-5]\d\d)\b/i,
  /\(HTTP\/[\d.]{1,3} ([1-5]\d\d)\)/,
  /\bCompleted ([1-5]\d\d)\b/,
];
/** "GET /orders 500 Sequel::PoolTimeout: timeout: 3.0": what a program says itself of a request, with its error. */
export const WITH_ERROR =
  /\b(?:GET|POST|PUT|DELETE|PATCH|HEAD) \/\S{0,200}(?: HTTP\/[\d.]{1,3})? (?:-> |=> |- |: )?([1-5]\d\d)\b/;
/** The status; undefined: the line tells of no answer. */
export function statusOf(line: string): number | undefined {
  const found = [...STATUSES, WITH_ERROR].flatMap((pattern) => pattern.exec(line)?.[1] ?? [])[0];
  return found === undefined ? undefined : Number(found);
}
