/** Finds what a server says once of a part of its work that it does not do from then on, though it runs. Pure. */
import type { DecisiveLine } from './describe.ts';
import { lastFailure } from './last-failure.ts';
import { maskSecrets } from './mask-secrets.ts';
import { endOfMessage } from './messages.ts';
import { parseLine } from './parse-line.ts';
import { understoodLog } from './understood-log.ts';
import type { FailsAgain } from './fails-again.ts';

interface Standing {
  /** Group 1, where there is one: the part of which it is said. */
  readonly says: RegExp;
  /** What takes it back, of the same part where that is named ("%" stands for it). */
  readonly over: string;
  /** The line above or below that says why. */
  readonly why?: RegExp;
  /** The line in words, where it has none of its own. */
  readonly as?: (line: string, part: string) => string;
  /** The cause stands in the trace below. */
  readonly hasTrace?: true;
  /** It does all that it did before. */
  readonly isMinor?: true;
}

const STANDING: readonly Standing[] = [
  // HAProxy
  {
    says: /\b(?:backend|proxy) '?([\w.-]{1,100})'? has no server available/i,
    over: String.raw`\bServer %\/\S+ is UP\b|\bserver %\/\S+ (?:is )?UP\b`,
    why: /\bServer \S+ is DOWN\b/,
  },
  // Varnish, by varnishlog
  {
    says: /\bBackend_health\s+- (\S{1,100}) (?:Went|Still) sick\b/,
    over: String.raw`\bBackend_health\s+- % (?:Back|Still) healthy\b`,
    as: (line, backend) => {
      const answer = /"(HTTP\/[^"]{1,100})"/.exec(line)?.[1];
      return `backend ${backend} is sick: its probe gets ${answer === undefined ? 'no answer' : answer}`;
    },
  },
  // BIND
  {
    says: /\bzone ([\w.-]{1,255})\/IN(?:\/\w+)?: (?:not loaded due to errors|loading from master file \S+ failed)/i,
    over: String.raw`\bzone %\/IN(?:\/\w+)?: loaded serial`,
    why: /\b(?:dns_master_load|dns_rdata_fromtext|zone \S+\/IN: (?!not loaded|loading from master)|\.db:\d+:|db\.\S+:\d+:|:\d+: )/i,
  },
  // RabbitMQ
  {
    says: /\b(memory|disk) resource limit alarm set\b/i,
    over: String.raw`\b% resource limit alarm cleared\b|\b%\b.{0,40}alarm (?:is )?cleared`,
    why: /\bfree (?:disk )?space is insufficient\b|\bhigh watermark (?:is )?set\b.{0,80}\bexceed|\bmemory high watermark\b/i,
  },
  // cron and its likes
  {
    says: /\b(?:bad (?:minute|hour|day-of-month|month|day-of-week|command|file mode|username)|errors? in crontab(?: file)?|crontab .{0,80}(?:ignored|syntax error))\b/i,
    over: String.raw`\b(?:RELOAD|reloaded)\b.{0,80}cron`,
  },
  // A thread that ended by an error of its own, while the others go on
  {
    says: /\bthread '(?!main\b)([^']{1,100})' (?:\(\d{1,10}\) )?panicked at/,
    over: String.raw`\bthread '?%'? (?:re-?started|respawned)\b`,
    hasTrace: true,
  },
  {
    says: /\bException in thread "?(?!main\b)([\w.@#-]{1,80})/,
    over: String.raw`\b(?:thread )?"?%"? (?:re-?started|respawned)\b`,
    hasTrace: true,
  },
  {
    says: /#<(Thread):[^>]{1,300}> terminated with exception \(report_on_exception is true\)/,
    over: String.raw`\bthread re-?started\b`,
    hasTrace: true,
  },
  // PostgreSQL says once of a statement that it waits for a lock, however long that is.
  {
    says: /\bprocess (\d{1,9}) still waiting for \w+ on \w+/,
    over: String.raw`\bprocess % (?:acquired|detected deadlock|avoided deadlock)\b|\[%\].{0,200}\b(?:canceling statement|terminating connection|disconnection)\b`,
  },
  // A part that gives up its work for good, or is left out, by an error that says why.
  {
    says: /\b(?:error|err|fatal|severe|critical|E)\b.{0,200}\b(?:halting|is skipped\b.{0,60}\bbecause|(?:is |has been |was )?disabled (?:because|due to)|(?:will|is) not (?:be )?(?:started|loaded|used|retried) (?:because|due to|again)|stopp(?:ed|ing) (?:consum|process|replicat)ing)/i,
    over: String.raw`\b(?:resum(?:ed|ing)|re-?enabled|restarted)\b`,
    isMinor: true,
  },
  // A reload that failed, after which the old configuration goes on.
  {
    says: /\b(?:could not|cannot|can't|failed to|unable to|error) (?:re-?load|apply(?:ing)?|re-?read)(?:ing)?(?: the| new| its)? (?:config\w*|settings|rules|zone|file|plugin)\b|\b(?:config(?:uration)?|settings|rules) (?:re-?load|update) (?:has )?failed\b/i,
    over: String.raw`\b(?:re-?load(?:ed)?|applied|re-?read)\b.{0,60}\b(?:success|complete|config)`,
    isMinor: true,
  },
];
/** The end of a log, and before it the beginning of one that is longer. */
const MAX_LINES = 1200;
/** Lines around it in which the cause may stand. */
const NEAR = 6;
/** Lines of one trace. */
const MAX_TRACE = 60;
const MAX_LINE = 2000;

/** The newest fault that nothing has taken back; undefined: there is none. @param lines the log's first lines, where they are known, and its last ones */
export function standingFault(lines: readonly string[]): FailsAgain | undefined {
  const lately = lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_LINE));
  for (let place = lately.length - 1; place >= 0; place -= 1) {
    for (const { says, over, why, as, hasTrace, isMinor } of STANDING) {
      const match = says.exec(lately[place] ?? '');
      if (match === null) continue;
      const back = new RegExp(over.replaceAll('%', escaped(match[1] ?? '')), 'i');
      if (lately.slice(place + 1).some((line) => back.test(line))) return undefined;
      const own = as?.(lately[place] ?? '', match[1] ?? '') ?? textOf(lately[place] ?? '');
      const cause = hasTrace === true ? ofTrace(lately, place) : why && nearest(lately, place, why, says);
      const line = cause === undefined || own.includes(textOf(cause)) ? own : `${textOf(cause)} (${own})`;
      const said: DecisiveLine = {
        line: maskSecrets(line),
        index: place,
        related: [maskSecrets(own)],
        firmness: 'firm',
      };
      const times = lately.filter((line) => says.test(line)).length;
      return { said, times, isStanding: true, ...(isMinor && { isMinor }) };
    }
  }
  return undefined;
}

/** What the trace that begins there says of its error. */
function ofTrace(lines: readonly string[], place: number): string | undefined {
  const below = lines.slice(place, place + MAX_TRACE);
  const { roled } = understoodLog(below);
  const end = roled[endOfMessage(roled, 0)]?.index ?? 0;
  const announces = (below[0] ?? '').endsWith(':');
  // Rust and Ruby put the message below, without a sign that it goes on.
  return (
    lastFailure(below.slice(announces ? 1 : 0, Math.max(end, announces ? 1 : 0) + 1))?.line ??
    (announces ? below[1] : undefined)
  );
}

/** The nearest line above, else below, that says why. */
function nearest(lines: readonly string[], place: number, why: RegExp, says: RegExp): string | undefined {
  const isWhy = (line: string): boolean => why.test(line) && !says.test(line);
  const above = lines.slice(Math.max(0, place - NEAR), place).findLast(isWhy);
  return above ?? lines.slice(place + 1, place + 1 + NEAR).find(isWhy);
}

function textOf(line: string): string {
  return (parseLine(line, 0)[0]?.said ?? line).replace(/\.+$/, '');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
