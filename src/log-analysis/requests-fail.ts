/** Finds that a server answers each request with an error of its own, or turns away each, and what it says of that, if it says anything. Pure. */
import type { DecisiveLine } from './describe.ts';
import type { FailsAgain } from './fails-again.ts';
import { bareWords } from './bare-words.ts';
import { lastFailure } from './last-failure.ts';
import { maskSecrets } from './mask-secrets.ts';
import { isOfProbe } from './probe-lines.ts';
import { behindStatus, statusIn } from './request-lines.ts';
import { lengthOfRest, MAX_RECORD, recordOf, type Request, requestsIn } from './requests-in.ts';
import { understoodLog } from './understood-log.ts';

const LATELY_LINES = 240;
/** So many in a row, with none that was answered well, are no accident. */
const OFTEN = 5;
/** So many are enough where the server says each time what went wrong. */
const OFTEN_EXPLAINED = 3;
/** So many are enough where nobody caught the error, and no request was ever answered well. */
const OFTEN_UNCAUGHT = 2;
const UNCAUGHT = /\buncaught\b|\bunhandled\b|\bpanic\b/i;

/** @param lines oldest first */
export function requestsFail(lines: readonly string[]): FailsAgain | undefined {
  const { lately, requests } = requestsIn(lines, LATELY_LINES);
  const kinds = [...new Set(requests.map(({ kind }) => kind))];
  const found = kinds
    .map((kind) => failedLast(requests.filter((request) => request.kind === kind)))
    .filter(({ failed, since }) => failed.length >= (since === -1 ? OFTEN_UNCAUGHT : OFTEN_EXPLAINED))
    .toSorted((a, b) => b.failed.length - a.failed.length)[0];
  if (found === undefined) return undefined;
  const { failed, since } = found;
  const { kind = '' } = failed[0] ?? {};
  const last = failed.at(-1)?.place ?? 0;
  // What was said before many of them is about another time.
  const recent = failed.at(-OFTEN - 1)?.place ?? since;
  const after = lately.slice(recent + 1, last + 1 + lengthOfRest(lately.slice(last + 1)));
  const own = after.filter((line) => statusIn(line) === undefined && !isOfProbe(line));
  const often = Math.min(failed.length, OFTEN);
  const said = lastFailure(own) ?? ownError(after) ?? ownWarning(own, often) ?? ownRequest(own, often);
  const answers = failed.at(-1)?.status ?? 500;
  const isTheirs = failed.at(-1)?.fault !== 'ours';
  if (failed.length < OFTEN && (said === undefined || isTheirs)) return undefined;
  if (failed.length < OFTEN_EXPLAINED && !UNCAUGHT.test(said?.line ?? '')) return undefined;
  return {
    said: said ?? recordOf(lately, failed.at(-1)?.place ?? 0),
    times: failed.length,
    answers,
    ...(said === undefined && { isWordless: true }),
    ...(isTheirs && { isMinor: true }),
    ...(kind !== '' && kind !== '/' && { path: kind }),
  };
}

/** The requests of one kind that failed since the last that did not, and where that is. */
function failedLast(requests: readonly Request[]): { readonly failed: readonly Request[]; readonly since: number } {
  const lastWell = requests.findLastIndex(({ fault }) => fault === undefined);
  // Another status has another reason: a proxy is refused at first, and given errors later.
  const last = requests.at(-1)?.status;
  const lastOther = requests.findLastIndex(({ status }) => status !== last);
  const from = requests.length - lastOther - 1 >= OFTEN ? Math.max(lastWell, lastOther) : lastWell;
  return { failed: requests.slice(from + 1), since: requests[from]?.place ?? -1 };
}

/** What it warns of with most of the failed requests: that is why they fail, whatever its words are. */
function ownWarning(lines: readonly string[], failed: number): DecisiveLine | undefined {
  const { roled } = understoodLog(lines);
  const warned = roled.filter(({ role, level }) => role === 'line' && level === 'warning');
  const counts = new Map<string, number>();
  for (const { said } of warned) counts.set(wordsOf(said), (counts.get(wordsOf(said)) ?? 0) + 1);
  const often = warned.findLast(({ said }) => (counts.get(wordsOf(said)) ?? 0) * 2 >= failed);
  return (
    often && { line: maskSecrets(often.said).slice(0, MAX_RECORD), index: often.index, related: [], firmness: 'weak' }
  );
}

/** A request of its own to another server, and how that answered: "GET http://orders:8080/orders 401, token dropped". */
const ASKED =
  /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD) https?:\/\/[\w.-]{1,253}(?::\d{1,5})?(?:\/\S{0,500})?"? (?:-> |=> |- |: |returned |answered )?[45]\d\d\b/;

/** What another server answers to it with most of the failed requests, which many programs log at level info. */
function ownRequest(lines: readonly string[], failed: number): DecisiveLine | undefined {
  const { roled } = understoodLog(lines);
  const asked = roled.filter(({ role, text }) => role === 'line' && ASKED.test(text));
  const last = asked.length * 2 >= failed ? asked.at(-1) : undefined;
  return (
    last && { line: maskSecrets(last.said).slice(0, MAX_RECORD), index: last.index, related: [], firmness: 'weak' }
  );
}

/** Its words, without those that have digits, as identifiers do. */
function wordsOf(text: string): string {
  return bareWords(
    text
      .split(/\s+/)
      .filter((word) => !/\d/.test(word))
      .join(' '),
  );
}

/** The error that a program puts behind the status of a request. */
function ownError(lines: readonly string[]): DecisiveLine | undefined {
  const rest = lines.flatMap((line) => {
    const text = behindStatus(line) ?? '';
    return /[a-z]{3}/i.test(text) ? [text.replace(/^[-:,; ]+/, '')] : [];
  });
  const last = rest.at(-1);
  if (last === undefined) return undefined;
  return lastFailure(rest) ?? { line: maskSecrets(last), index: lines.length - 1, related: [], firmness: 'weak' };
}
