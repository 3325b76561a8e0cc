/** Finds that the workers of a server die again and again, each soon after its start, and what they say before. Pure. */
import type { DecisiveLine } from './describe.ts';
import type { FailsAgain } from './fails-again.ts';
import { lastFailure } from './last-failure.ts';
import { maskSecrets } from './mask-secrets.ts';
import { parseLine } from './parse-line.ts';

/** gunicorn, uvicorn, uWSGI, Puma, PHP-FPM, nginx, Apache, Node.js' cluster: the process is group 1 or 2. */
const DIES =
  /\b(?:worker|child|process)\b[^\n]{0,40}?(?:\bpid:? ?|[([])?(\d{1,9})[\])]?[^\n]{0,30}?\b(?:exited (?:unexpectedly|on signal|with (?:code |status |exit ?code |exit status |')(?!0\b)\w)|died\b|exit signal\b|was sent SIG(?:KILL|SEGV|ABRT|BUS)|was terminated by signal)/i;
const BOOTS =
  /\b(?:booting worker with pid:? ?|started (?:child|server|worker) process \[?|spawned uWSGI worker \d{1,4} \(pid: |new pid: |start worker process |child )(\d{1,9})(?:\]| started|\)|,|$|\s)/i;
/** One may die by an accident. */
const OFTEN = 2;
/** No worker says more before it has started. */
const MAX_SAID = 60;
/** The server's own word about its end, after which others speak. */
const GOES = /\bworker exiting\b|\bshutting down\b/i;
/** A rule of a box. */
const NO_WORDS = /^\W*$/;

/** The last words of those that died; undefined: fewer than two died since the last good start. @param lines the log's last lines, oldest first */
export function workersDie(lines: readonly string[]): FailsAgain | undefined {
  const deaths = new Map<string, number>();
  for (const [place, line] of lines.entries()) {
    const process = DIES.exec(line)?.[1];
    if (process !== undefined && !deaths.has(process)) deaths.set(process, place);
  }
  const places = [...deaths.values()];
  const last = places.at(-1);
  if (places.length < OFTEN || last === undefined) return undefined;
  // Who lives as long as several before it did is well.
  if (lines.length - last > Math.max(MAX_SAID, last - (places.at(-OFTEN) ?? 0))) return undefined;
  const process = [...deaths.keys()].at(-1) ?? '';
  const boot = lines.findLastIndex((line, place) => place < last && BOOTS.exec(line)?.[1] === process);
  const from = Math.max(boot + 1, (places.at(-OFTEN) ?? -1) + 1, last - MAX_SAID);
  const life = lines.slice(from, last);
  const goes = life.findIndex((line) => GOES.test(line));
  const before = goes === -1 ? life : life.slice(0, goes);
  return { said: said(before, from) ?? deathOf(lines[last] ?? '', last), times: places.length };
}

/** What it says of a failure, else its last words that no logger wrote. */
function said(before: readonly string[], from: number): DecisiveLine | undefined {
  const failure = lastFailure(before);
  if (failure !== undefined) return { ...failure, index: failure.index + from };
  const words = before.findLastIndex((line) => {
    const [parsed] = parseLine(line, 0);
    return (
      parsed !== undefined && parsed.level === undefined && parsed.atMs === undefined && !NO_WORDS.test(parsed.said)
    );
  });
  const line = before[words];
  return line === undefined ? undefined : plain(line, from + words);
}

function deathOf(line: string, index: number): DecisiveLine {
  return plain(parseLine(line, 0)[0]?.said ?? line, index);
}

const MAX_LINE = 300;

function plain(line: string, index: number): DecisiveLine {
  return { line: maskSecrets(line.trim()).slice(0, MAX_LINE), index, related: [], firmness: 'weak' };
}
