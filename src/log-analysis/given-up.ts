/** Finds the programs that a supervisor in the same container has given up, as its log tells, and what they said before. Pure. */
import type { DecisiveLine } from './describe.ts';
import { isAccess } from './grammar/index.ts';
import { plainLine } from './plain-line.ts';
import { readLog } from './read-log.ts';

export interface GivenUp {
  readonly program: string;
  /** "supervisord" */
  readonly supervisor: string;
  /** The supervisor's own line. */
  readonly line: string;
  /** What the program said, or the supervisor of its start; absent: nothing that stands in this log. */
  readonly because?: DecisiveLine;
}

interface Supervisor {
  readonly name: string;
  /** The first group is the program. */
  readonly gaveUp: RegExp;
  readonly runs: RegExp;
  /** Between these two a program speaks, perhaps beside others. */
  readonly starts?: RegExp;
  readonly ends?: RegExp;
  /** Its own lines, which are no program's. */
  readonly own: RegExp;
}

const SUPERVISORS: readonly Supervisor[] = [
  {
    name: 'supervisord',
    gaveUp: /\bgave up: (\S{1,100}) entered FATAL state/,
    runs: /\bsuccess: (\S{1,100}) entered RUNNING state/,
    starts: /\bspawned: '([^']{1,100})' with pid \d/,
    ends: /\bexited: (\S{1,100}) \(/,
    own: /\b(?:INFO|WARN|CRIT) (?:spawned|exited|success|gave up|reaped|waiting|stopped|supervisord|Set uid|Included|Server|Supervisor|RPC|daemonizing|Closing)\b/,
  },
  {
    name: 'pm2',
    gaveUp: /\bScript (?:\S{0,200}\/)?(\S{1,100}) had too many unstable restarts/,
    runs: /\bnever said by pm2 of a script by its file\b/,
    own: /\bPM2\b/,
  },
  {
    name: 's6-rc',
    gaveUp: /\bs6-rc: warning: unable to start service (\S{1,100}): /,
    runs: /\bs6-rc: info: service (\S{1,100}) (?:successfully )?started/,
    own: /\bs6-(?:rc|supervise|svscan|overlay)\b|\brc\.init: /,
  },
  {
    name: 'systemd',
    gaveUp: /\b([\w@.-]{1,100})\.service: Start request repeated too quickly/,
    runs: /\bStarted ([\w@.-]{1,100})\.service/,
    own: /\bsystemd\[\d+\]: /,
  },
  {
    name: 'monit',
    gaveUp: /'([^']{1,100})' service restarted \d+ times within \d+ cycles?\S{0,3} - unmonitor/,
    runs: /'([^']{1,100})' (?:process is running|start(?:ed)?:? )/,
    own: /\bmonit\b/i,
  },
];

/** Lines of the end that are looked at. */
const MAX_LINES = 1200;
/** Lines above the supervisor's word that may tell why, where it does not say when a program starts. */
const LINES_ABOVE = 40;
/** Why supervisord cannot start a program at all. */
const NOT_STARTED = /\bspawnerr: (.{1,300})/;

/** Each once, in the order of the log; one that runs again is none of them. */
export function givenUpPrograms(given: readonly string[]): readonly GivenUp[] {
  const lines = given.slice(-MAX_LINES).map((line) => plainLine(line));
  return SUPERVISORS.flatMap((supervisor) => {
    const last = new Map<string, number>();
    for (const [index, line] of lines.entries()) {
      const program = supervisor.gaveUp.exec(line)?.[1];
      if (program !== undefined) last.set(program, index);
      const running = supervisor.runs.exec(line)?.[1];
      if (running !== undefined) last.delete(running);
    }
    return [...last].map(([program, index]): GivenUp => {
      const because = reasonOf(lines.slice(0, index), supervisor, program);
      return { program, supervisor: supervisor.name, line: lines[index] ?? '', ...(because && { because }) };
    });
  });
}

function reasonOf(before: readonly string[], supervisor: Supervisor, program: string): DecisiveLine | undefined {
  const { starts, ends } = supervisor;
  const said =
    starts === undefined || ends === undefined
      ? before.slice(-LINES_ABOVE)
      : before.slice(before.findLastIndex((line) => starts.exec(line)?.[1] === program));
  const refused = before.slice(-LINES_ABOVE).findLast((line) => NOT_STARTED.test(line));
  const until = ends === undefined ? -1 : said.findIndex((line) => ends.exec(line)?.[1] === program);
  // What a program wrote in its last moments may stand below the word of its end.
  const own = (until === -1 ? said : said.slice(0, until + LATE_LINES)).filter(
    (line) => !supervisor.own.test(line) && !isAccess(line),
  );
  const { decisive } = readLog(own, { livedMs: 0 });
  if (decisive !== undefined) return decisive;
  const start = NOT_STARTED.exec(refused ?? '')?.[1];
  return start === undefined ? undefined : readLog([start], { livedMs: 0 }).decisive;
}

const LATE_LINES = 3;
