/** Finds that a server answers each request with an error of its own, and what it says of that. Pure. */
import type { DecisiveLine } from './describe.ts';
import type { FailsAgain } from './fails-again.ts';
import { lastFailure } from './last-failure.ts';
import { maskSecrets } from './mask-secrets.ts';

/** The status of a request: of the common format of NGINX, Apache and Caddy's text, of HAProxy, and of JSON. */
const STATUSES: readonly RegExp[] = [
  /" ([1-5]\d\d) (?:\d+|-)(?: |$)/,
  /\s\S{1,100}\/\S{1,100} [-\d/+]{5,60} ([1-5]\d\d) \d+ /,
  /"status":\s?"?([1-5]\d\d)\b/,
];
/** "GET /orders 500 Sequel::PoolTimeout: timeout: 3.0": what a program says itself of a request, with its error. */
const WITH_ERROR = /\b(?:GET|POST|PUT|DELETE|PATCH|HEAD) \/\S{0,200}(?: HTTP\/[\d.]{1,3})? (?:-> |=> |- |: )?(5\d\d)\b/;
/** The node asks for pages of its own. */
const OF_PROBE = /kube-probe|GoogleHC|ELB-HealthChecker/;
const LATELY_LINES = 160;
/** So many in a row, with none that was answered well, are no accident. */
const OFTEN = 5;

/** @param lines the log's last lines, oldest first */
export function requestsFail(lines: readonly string[]): FailsAgain | undefined {
  const lately = lines.slice(-LATELY_LINES).map((line) => line.slice(0, 2000));
  const requests = lately.flatMap((line, place) => {
    const status = OF_PROBE.test(line) ? undefined : statusOf(line);
    return status === undefined ? [] : [{ place, status }];
  });
  const lastWell = requests.findLastIndex(({ status }) => status < 500);
  const failed = requests.slice(lastWell + 1);
  const [first] = failed;
  if (first === undefined || failed.length < OFTEN) return undefined;
  const from = requests[lastWell]?.place ?? -1;
  const after = lately.slice(from + 1);
  const said = lastFailure(after.filter((line) => statusOf(line) === undefined)) ?? ownError(after);
  if (said === undefined) return undefined;
  return { said, times: failed.length, answers: failed.at(-1)?.status ?? first.status };
}

/** The error that a program puts behind the status of a request. */
function ownError(lines: readonly string[]): DecisiveLine | undefined {
  const rest = lines.flatMap((line) => {
    const match = WITH_ERROR.exec(line);
    const text = match === null ? '' : line.slice(match.index + match[0].length).trim();
    return /[a-z]{3}/i.test(text) ? [text.replace(/^[-:,; ]+/, '')] : [];
  });
  const last = rest.at(-1);
  if (last === undefined) return undefined;
  return lastFailure(rest) ?? { line: maskSecrets(last), index: lines.length - 1, related: [], firmness: 'weak' };
}

function statusOf(line: string): number | undefined {
  const found = [...STATUSES, WITH_ERROR].flatMap((pattern) => pattern.exec(line)?.[1] ?? [])[0];
  return found === undefined ? undefined : Number(found);
}
