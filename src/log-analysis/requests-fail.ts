/** Finds that a server answers each request with an error of its own, and what it says of that. Pure. */
import type { FailsAgain } from './fails-again.ts';
import { lastFailure } from './last-failure.ts';

/** The status of a request: of the common format of NGINX, Apache and Caddy's text, of HAProxy, and of JSON. */
const STATUSES: readonly RegExp[] = [
  /" ([1-5]\d\d) (?:\d+|-)(?: |$)/,
  /\s\S{1,100}\/\S{1,100} [-\d/+]{5,60} ([1-5]\d\d) \d+ /,
  /"status":\s?"?([1-5]\d\d)\b/,
];
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
  const said = lastFailure(lately.filter((line, place) => place > from && statusOf(line) === undefined));
  if (said === undefined) return undefined;
  return { said, times: failed.length, answers: failed.at(-1)?.status ?? first.status };
}

function statusOf(line: string): number | undefined {
  const found = STATUSES.flatMap((pattern) => pattern.exec(line)?.[1] ?? [])[0];
  return found === undefined ? undefined : Number(found);
}
