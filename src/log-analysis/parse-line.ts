/** Takes the head off a line: time, process, thread and level. What is left is what the program says. Pure. */
import { type Level, levelOfWord } from './level.ts';
import { MAX_LINE_CHARACTERS, MAX_STRUCTURED_CHARACTERS, MAX_UNFOLDED_LINES } from './limits.ts';
import { maskSecrets } from './mask-secrets.ts';
import { withoutContext } from './monolog-line.ts';
import { withoutBrackets } from './bracketed-line.ts';
import { plainLine } from './plain-line.ts';
import { structuredLine } from './structured-line.ts';

export interface LogLine {
  /** Its place among the lines given. */
  readonly index: number;
  /** Without time, process and level. */
  readonly text: string;
  /** Without time and process: what is quoted. */
  readonly said: string;
  readonly level?: Level;
  readonly indent: number;
  /** Ms of the day, when the line has a time. */
  readonly atMs?: number;
  /** Other fields of a structured line. */
  readonly fields?: string;
  /** Its head names a client. */
  readonly ofClient?: true;
  /** Its head names the one behind a proxy. */
  readonly ofBackend?: true;
  /** It was part of a structured line before. */
  readonly unfolded?: true;
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const CLOCK = String.raw`\d{1,2}:\d\d(?::\d\d)?(?:[.,:]\d{1,9})?`;
const ZONE = String.raw`(?:[ ]?(?:Z|[+-]\d\d:?\d\d|(?!(?:INFO|INF|WARN|WRN|ERR|ERRO|CRIT|CRT|LOG|NOTE|DBG|TRC|FTL|FAIL)\b)[A-Z]{3,4}(?=[\]\s:])))?`;
/** Each time stamp, at the beginning of what is left. */
const STAMPS: readonly RegExp[] = [
  new RegExp(String.raw`^[[(<]?\d{4}[-/.]\d\d[-/.]\d\d[T _]{1,2}${CLOCK}${ZONE}[\])>]?[:,|]?`),
  new RegExp(
    String.raw`^[[(]?(?:[A-Z][a-z]{2},? )?${MONTH} {1,2}\d{1,2},?(?: \d{4})? ${CLOCK}(?: [AP]M)?(?: \d{4})?[\])]?:?`,
  ),
  new RegExp(String.raw`^[[(]?\d{1,2}[ /-]${MONTH}[a-z]{0,6}[ /-]\d{4}[: ]${CLOCK}${ZONE}[\])]?:?`),
  new RegExp(String.raw`^\[?\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\]?(?=[\s:|])`),
  /^[[(]?1[5-9]\d{8}(?:\d{3})?(?:\.\d{1,9})?[\])]?:?(?=\s)/,
  new RegExp(String.raw`^\[?\d{1,2}/\d{1,2}/\d{4},? ${CLOCK}(?: [AP]M)?[\]:]?`),
  /^\d{8}T\d{6}(?:\.\d{1,9})?Z?(?=\s)/,
  /^\d{6} {1,2}\d{1,2}:\d\d:\d\d/,
  // OpenLDAP's: seconds, their parts and the thread.
  /^[\da-f]{8}\.[\da-f]{8} 0x[\da-f]{6,16}(?=\s)/,
];
const TIME_OF_DAY = /(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,3}))?(?:\d*)(?: ([AP])M)?/;

/** The request, by which Rails tags each line about it. */
const REQUEST_TAG = /^\[[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\](?=\s|$)/;
/** Processes, threads and separators between time and level, or after the level. */
const HEADS: readonly RegExp[] = [
  /^\d+\(\d+\)(?=\s)/,
  /^\[[A-Z]\w{1,20}\] \d{1,9} {1,3}-(?= {1,3}\d)/,
  /^==\d+==(?=\S)/,
  /^\[ +\d+\](?=\s)/,
  REQUEST_TAG,
  /^\[[^\]]{1,80}\](?=\s+(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE)\s)/,
  /^\[(?:pid )?\d+(?:[:,#] ?(?:tid )?[\d.:]+)?\](?=[\s:[])/,
  /^(?:[a-z]{1,20}=\S{1,60} ){1,6}(?=(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL): )/,
  /^\[\d+\.\d+\](?=\s)/,
  /^\d+#\d+:(?: \*\d+(?=\s))?/,
  /^\d+:[A-Z](?=\s)/,
  /^\d+ (?=\[)/,
  /^\(\d+\) ?:/,
  /^<0\.\d+\.\d+>/,
  /^#\d+\](?=\s)/,
  // Akka's actors.
  /^\[[\w.$]{0,100}(?:\(?akka(?:\.\w{1,10})?:\/\/[^\]]{1,200}|\([\w-]{1,60}\))\](?=\s)/,
  /^[a-z][\w.-]{1,30}\[[\d:]+\]:?(?=\s)/,
];
/** The same, which only count behind a time, a level or another head: at the beginning of a line they may be what a program says. */
const LATER_HEADS: readonly RegExp[] = [
  /^\[ *(?:main|[a-z]+[\w-]*-\d+(?:-[\w-]+)?|[\w-]*thread[\w-]*|Thread-\d+|client [^\]]{1,60}|MainThread|ForkPoolWorker-\d+|MY-\d+|Server|InnoDB|Repl)\](?=[\s:])/,
  /^\[[\w.$-]{2,120} {0,30}\](?=:?\s|\[)/,
  /^\((?:main|[\w-]*thread[\w-]*|[a-z]+-\d+)\)(?=\s)/i,
  /^\{[\w-]{1,30}\}:?(?=\s)/,
  /^(?:[a-z]{1,20} )?pid \d{1,9}:(?=\s)/,
  /^\d{1,9}(?=\s+(?:\d{1,9}|[\da-f]{8,16})\s)/,
  /^[\da-f]{8,16}(?=\s+[A-Z])/,
  /^\([\w/.-]{1,80}\.(?:cc|cpp|c|h|go|rs|py):\d+\)(?=\s)/,
  /^(?:-{1,3}|\||::?)(?=\s)/,
  /^\d+ ---(?=\s)/,
  /^[#*.-](?=\s)/,
  /^[\w$-]+(?:\.[\w$[\]/-]+)+ +(?:-{1,2}|:)(?=\s)/,
  /^\[?[\w/.-]+\.(?:go|rs|py|c|cc|cpp|h|java):\d+\]?:?(?=\s)/,
  // The class and method that java.util.logging and Tomcat name.
  /^(?:[a-z]\w{0,40}\.){2,10}[A-Z][\w$]{0,80}\.[a-z<][\w$<>]{0,80}(?= [A-Z"'`[(])/,
];
const ALL_HEADS = [...HEADS, ...LATER_HEADS];
/** Stunnel's, with the level of syslog and the connection. */
const STUNNEL_HEAD = /^LOG([0-7])\[[\w:]{1,40}\]: /;
const SYSLOG_LEVELS: readonly Level[] = ['fatal', 'fatal', 'fatal', 'error', 'warning', 'info', 'info', 'debug'];
const RUBY_HEAD = /^[DIWEFA], \[[^\]]{1,60}\] +([A-Z]+) -- [^:]{0,60}:/;
const KLOG_HEAD = /^([IWEF])\d{4} (\d\d:\d\d:\d\d)\.\d+ +\d+ [\w./-]+:\d+\] /;
/** Tornado's and Jupyter's. */
const BRACKET_LETTER = /^\[([DIWECF]) [\d-]{6,10} (\d\d:\d\d:\d\d)[.\d]* [^\]]{1,60}\](?=\s)/;
/** etcd's old form: "C | etcdmain: …". */
const LETTER_HEAD = /^([DINWEC]) \| /;
const LETTERS: Readonly<Record<string, Level>> = {
  D: 'debug',
  I: 'info',
  N: 'info',
  W: 'warning',
  E: 'error',
  C: 'fatal',
  F: 'fatal',
};
const BRACKET_LEVEL = /^[[(<] ?(?:[\w.-]{1,30}[:/])?([A-Za-z]{3,13}|\d) {0,5}[\])>]:?(?=[\s[]|$)/;
/** Gitea's place before its level: "...ations/migrations.go:552:Migrate() [F] ". */
const PLACE_LETTER = /^\.{0,3}[\w./-]{1,100}\.go:\d{1,6}:\w{1,60}\(\) \[([DIWECFN])\] /;
/** What is left of "[10:20:30 ERR]", as Serilog writes it. */
const CLOSED_LEVEL = /^([A-Z]{3,11})\](?=\s)/;
/** What is left of "[2026-01-31 12:00:00,000: ERROR/MainProcess]". */
const SLASH_LEVEL = /^([A-Z]{4,8})\/[\w-]{1,40}\]:?(?=\s)/;
/** GLib's: "** (shop:36): CRITICAL **: 04:17:28.305: …", "(shop:36): Gtk-WARNING **: …". */
const GLIB_LEVEL =
  /^(?:\*\* )?\([\w./-]{1,60}:\d+\): (?:[\w.-]{1,40}-)?([A-Za-z]{4,8}) \*\*: (?:\d\d:\d\d:\d\d\.\d+: )?/;
/** "critical/config: …": a level with its facility. */
const FACILITY_LEVEL = /^([a-z]{4,11})\/[\w-]{1,40}:(?=\s)/i;
/** "[!] cannot bind", "[*] starting". */
const MARK = /^\[([ .*+!])\](?=\s)/;
/** "E! cannot read", "✗ failed", "❌ failed": letters and signs that command lines put before a message. */
const SIGNS: Readonly<Record<string, Level>> = {
  'E!': 'error',
  // Below a test that failed.
  E: 'error',
  'W!': 'warning',
  'I!': 'info',
  'D!': 'debug',
  '✗': 'error',
  '✘': 'error',
  '✖': 'error',
  '⨯': 'error',
  '❌': 'error',
  '✔': 'info',
  '✓': 'info',
  '⚠': 'warning',
};
const SIGN = /^([EWID]!|E(?= {3,}\S)|[✗✘✖⨯❌✔✓⚠])\uFE0F?(?=\s)/u;
/** Monolog's channel and level: "app.ERROR: …". */
const CHANNEL_LEVEL = /^[\w-]{1,40}\.([A-Z]{4,9}):(?=\s)/;
const PROGRAM_LEVEL = /^[\w.-]{1,30}: \[([a-z]{3,7})\](?=\s)/;
const COLON_LEVEL = /^([A-Za-z]{3,13})(?: ERROR| error|\[[A-Z]{1,4}\d{2,6}\])? ?:(?=\s|$)/;
/** "nginx: error: …", "/etc/a.conf:3: error: …". */
const NAMED_COLON_LEVEL =
  /^(?:[\w.-]{1,30}|\/[^\s:]{1,200}:\d+(?::\d+)?): ([A-Za-z]{3,13})(?: ERROR| error)? ?:(?=\s|$)/;
const PLAIN_LEVEL = /^([A-Z]{3,13})(?:!{1,3})?(?=[\s|])(?! ERROR:)/;
const LOWER_LEVEL = /^(error|warn|warning|info|fatal|debug)(?=\s)/;
/** "error during start", "error reading the file": the word is a part of the sentence. */
const GOES_ON = /^ (?:during|while|when|[a-z]{2,20}ing)\b/;
const PYTHON_LEVEL = /^([A-Z]{4,8}):[\w.]{1,60}:/;

/** Lines of one given line: one, or more for a structured line with a stack trace. */
export function parseLine(given: string, index: number): readonly LogLine[] {
  const plain = withoutVersions(plainLine(given));
  if (plain.trim() === '') return [];
  const structured = plain.length > MAX_STRUCTURED_CHARACTERS ? undefined : structuredAfterHead(plain);
  if (structured !== undefined) return structuredLines(structured.line, index, structured.atMs);
  const line = textLine(withoutMiddle(withoutContext(plain)), index);
  return isTagAlone(line.text) ? [] : [line];
}

/** Whether it is an empty line of a message that is tagged with its request. */
function isTagAlone(text: string): boolean {
  return REQUEST_TAG.exec(text)?.[0] === text && text !== '';
}

/** The folder of one version of a ConfigMap's files, behind the link that a pod's programs follow. */
const VERSION_FOLDER = /\/\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\w{1,20}(?=\/)/g;

/** "/app/main.py" for "/app/..2026_01_31_12_00_00.123456789/main.py". */
function withoutVersions(text: string): string {
  return text.includes('/..') ? text.replace(VERSION_FOLDER, '') : text;
}

/** A line in JSON may follow a time and a level: "2026-… ERROR {…}". */
function structuredAfterHead(plain: string) {
  const stamped = cutStamp(plain);
  const line = structuredLine(plain) ?? (stamped === undefined ? undefined : structuredLine(stamped.rest));
  if (line === undefined) return undefined;
  return { line, atMs: stamped?.atMs ?? timeOfDay(/T\d\d:\d\d:\d\d[.\d]*/.exec(plain.slice(0, 300))?.[0] ?? '') };
}

function structuredLines(
  line: NonNullable<ReturnType<typeof structuredLine>>,
  index: number,
  atMs?: number,
): readonly LogLine[] {
  const head: LogLine = {
    ...textLine(withoutMiddle(line.message), index),
    ...(line.level === undefined ? {} : { level: line.level }),
    ...(atMs === undefined ? {} : { atMs }),
    fields: line.fields,
  };
  const more = line.stack.slice(0, MAX_UNFOLDED_LINES).flatMap((each): readonly LogLine[] => {
    const text = withoutMiddle(plainLine(each));
    return text.trim() === ''
      ? []
      : [{ index, text: text.trim(), said: text.trim(), indent: indentOf(text), unfolded: true }];
  });
  // The stack of a structured line often begins with the error's message, which the head has already.
  return [head, ...(more[0] !== undefined && head.text.includes(more[0].text) ? more.slice(1) : more)];
}

export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** What PHP-FPM puts before the words of PHP itself, whose level is another. */
const OF_FPM = /^NOTICE: PHP message: /;

function textLine(plain: string, index: number): LogLine {
  const indent = indentOf(plain);
  let rest = plain.trim().replace(OF_FPM, '');
  let said = rest;
  let level: Level | undefined;
  let atMs: number | undefined;
  let begun = false;
  let ofClient = false;
  let ofBackend = false;
  for (let step = 0; step < 9; step++) {
    const cut = cutStamp(rest) ?? cutLevel(rest, step, atMs !== undefined) ?? cutHead(rest, begun);
    if (cut === undefined || cut.rest.trim() === '') break;
    rest = cut.rest.trimStart();
    begun = true;
    atMs ??= cut.atMs;
    ofClient ||= cut.ofClient === true;
    ofBackend ||= cut.ofBackend === true;
    if (cut.level !== undefined && isWorse(cut.level, level)) level = cut.level;
    if (cut.keep !== true) said = rest;
    // A word before a colon begins what is said: times after it are part of that.
    else break;
  }
  const bare = level === undefined ? rest : withoutBrackets(rest);
  return {
    index,
    text: bare,
    said: bare === rest ? said : bare,
    indent,
    ...(level && { level }),
    ...(atMs !== undefined && { atMs }),
    ...(ofClient && { ofClient }),
    ...(ofBackend && { ofBackend }),
  };
}

interface Cut {
  readonly rest: string;
  readonly atMs?: number;
  readonly level?: Level;
  readonly ofClient?: boolean;
  readonly ofBackend?: boolean;
  /** The word is quoted with the line: "FATAL: …". */
  readonly keep?: boolean;
}

const ORDER: readonly Level[] = ['debug', 'info', 'warning', 'error', 'fatal'];

function isWorse(level: Level, than: Level | undefined): boolean {
  return than === undefined || ORDER.indexOf(level) > ORDER.indexOf(than);
}

function cutStamp(text: string): Cut | undefined {
  if (!/^[[(<]?[\dA-Z]/.test(text)) return undefined;
  for (const pattern of STAMPS) {
    const match = pattern.exec(text);
    if (match !== null) return { rest: text.slice(match[0].length).trimStart(), atMs: timeOfDay(match[0]) };
  }
  return undefined;
}

function timeOfDay(stamp: string): number | undefined {
  const match = TIME_OF_DAY.exec(stamp);
  if (match === null) return undefined;
  const hours = (Number(match[1]) % (match[5] === undefined ? 24 : 12)) + (match[5] === 'P' ? 12 : 0);
  return ((hours * 60 + Number(match[2])) * 60 + Number(match[3])) * 1000 + Number((match[4] ?? '').padEnd(3, '0'));
}

/** One letter after the time: "2026/01/31 12:00:00 E webhook server stopped". */
const STAMPED_LETTER = /^([EWFID]) (?=[a-z][\w-]{2})/;

function cutLevel(text: string, step: number, isStamped = false): Cut | undefined {
  const letter = isStamped ? STAMPED_LETTER.exec(text) : null;
  if (letter !== null) return { rest: text.slice(letter[0].length), level: LETTERS[letter[1] ?? ''] };
  const klog = KLOG_HEAD.exec(text) ?? BRACKET_LETTER.exec(text) ?? LETTER_HEAD.exec(text) ?? PLACE_LETTER.exec(text);
  if (klog !== null) {
    return { rest: text.slice(klog[0].length), level: LETTERS[klog[1] ?? ''], atMs: timeOfDay(klog[2] ?? '') };
  }
  const ruby = RUBY_HEAD.exec(text);
  if (ruby !== null)
    return { rest: text.slice(ruby[0].length), level: levelOfWord(ruby[1] ?? ''), atMs: timeOfDay(ruby[0]) };
  const stunnel = STUNNEL_HEAD.exec(text);
  if (stunnel !== null) return { rest: text.slice(stunnel[0].length), level: SYSLOG_LEVELS[Number(stunnel[1])] };
  const sign = SIGN.exec(text);
  if (sign !== null) return { rest: text.slice(sign[0].length), level: SIGNS[sign[1] ?? ''] };
  const mark = MARK.exec(text);
  if (mark !== null) return { rest: text.slice(mark[0].length), ...(mark[1] === '!' && { level: 'error' }) };
  for (const pattern of [
    CHANNEL_LEVEL,
    PROGRAM_LEVEL,
    BRACKET_LEVEL,
    CLOSED_LEVEL,
    SLASH_LEVEL,
    FACILITY_LEVEL,
    GLIB_LEVEL,
    PYTHON_LEVEL,
    COLON_LEVEL,
    NAMED_COLON_LEVEL,
    PLAIN_LEVEL,
    ...(step === 0 ? [] : [LOWER_LEVEL]),
  ]) {
    const match = pattern.exec(text);
    const level = match === null ? undefined : levelOfWord(match[1] ?? '');
    if (match === null || level === undefined) continue;
    // "Error occurred" is what is said, but "ERROR occurred" and "error: x" have a level before it.
    const rest = text.slice(match[0].length);
    const isKept =
      pattern === COLON_LEVEL || pattern === NAMED_COLON_LEVEL || (pattern === LOWER_LEVEL && GOES_ON.test(rest));
    return { rest, level, keep: isKept };
  }
  return undefined;
}

/** Marks such as "-" or a number are a head only after a time or a level. */
function cutHead(text: string, begun: boolean): Cut | undefined {
  for (const pattern of begun ? ALL_HEADS : HEADS) {
    const match = pattern.exec(text);
    if (match !== null)
      return {
        rest: text.slice(match[0].length),
        ofClient: match[0].startsWith('[client '),
        ofBackend: /backend|upstream/i.test(match[0]),
      };
  }
  return undefined;
}

/** The begin of a very long line says what was done, and its end what went wrong. Half a secret is not known any more. */
function withoutMiddle(text: string): string {
  if (text.length <= MAX_LINE_CHARACTERS) return text;
  const masked = maskSecrets(text.slice(0, MAX_STRUCTURED_CHARACTERS));
  const half = Math.floor((MAX_LINE_CHARACTERS - 3) / 2);
  return masked.length <= MAX_LINE_CHARACTERS ? masked : `${masked.slice(0, half)} … ${masked.slice(-half)}`;
}
