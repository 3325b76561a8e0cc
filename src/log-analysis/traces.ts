/** Finds stack traces: which lines are frames, which are the error, which its causes, and where the user's code is. Pure. */
import { anyOf, beginning } from './any-of.ts';
import type { LogLine } from './parse-line.ts';
import { isAdvice } from './grammar/index.ts';

/**
 * frame: a place in code, or what a runtime prints around places; head: the error of a trace; cause: the error that led to the
 * one above it; line: no part of a trace.
 */
export type Role = 'frame' | 'head' | 'cause' | 'line';

export interface RoledLine extends LogLine {
  readonly role: Role;
  /** Lines of one trace have one number. */
  readonly trace?: number;
  /** It goes on with the message above it. */
  readonly part?: true;
  /** It follows its frames, as Python prints it. */
  readonly afterFrames?: true;
  /** Of a frame: "server.js:12" in the user's own code. */
  readonly place?: string;
}

/** Java, Node.js, .NET. */
const AT_FRAME = /^at (?:async |new )?\S/;
/** "1: 0x7fd183121f38 node::Abort() [/usr/bin/node]" */
const NATIVE_FRAME = /^\d{1,3}: 0x[\da-f]{4,16}\b/;
const TRACEBACK = /^(?:Exception Group )?Traceback \(most recent call last\)/;
/** What Twisted writes between the frames of two threads. */
const TWISTED = /^--- <exception caught here> ---$/;
const PYTHON_FRAME = /^(?:> )?File "([^"]{1,300})", line (\d{1,7})/;
const GO_FRAME = /^(\/?[\w@%+=.,/-]{1,300}\.go):(\d{1,7})(?: \+0x[\da-f]+)?$/;
const GO_CALL = /^(?:created by )?[\w./*()[\]{}-]{2,300}\(.{0,300}\)(?: in goroutine \d+)?$/;
/** The name alone of a call, as zap prints it above its place. */
const GO_NAME = /^(?=.{1,400}$)[\w./()*-]+$/;
const GOROUTINE = /^goroutine \d+ (?:gp=\S+ m=\S+ )?\[/;
const RUBY_FRAME = /^from (\S{1,300}?):(\d{1,7})(?::in |$)/;
/** Without "from", as loggers print a backtrace; Rails names its places below the application's folder. */
const RUBY_BARE_FRAME = /^((?:\/|[\w-]{1,40}\/(?=\S{1,250}\.rb:))\S{1,300}?):(\d{1,7}):in [`'][^'`]{1,200}'$/;
const PHP_FRAME = /^#\d+ (?:(\/\S{1,300})\((\d{1,7})\)|\{main\}|\[internal function\])/;
const RUST_FRAME = /^\d+: +(?:0x[\da-f]+ - )?[\w<>:{}[\]&* $,()=;'-]{1,300}$/;
/** Lua: "[C]: in function 'assert'", "main.lua:5: in main chunk". */
const LUA_FRAME =
  /^(?:\[C\]|(\S{1,300}?):(\d{1,7})): in (?:main chunk|upvalue|local|method|field|global|function|metamethod|\?|<)/;
/** Elixir and Erlang: "(elixir 1.14.0) lib/code.ex:1245: Code.require_file/2", "in call from init:do_boot/3". */
const BEAM_FRAME =
  /^(?:\([\w-]{1,60} [\d.]{1,30}\) \S{1,300}:\d+: |\S{1,300}\.exs?:\d+: (?:\(file\)|\S{1,200}\/\d+)|in (?:function|call from) +\S{1,200}:\S)/;
/** Tcl. */
const TCL_FRAME = /^(?:while executing$|invoked from within$|\((?:file|procedure|"\w+" body) .{1,200}line \d+\)$)/;
/** Haskell: "error, called at Main.hs:9:26 in main:Main"; Lisp: "3: (LOAD …)", "5: ((FLET …) …)". */
const OTHER_FRAME = /^(?:[\w'$.]{1,100}, called at \S{1,300}:\d+:\d+ in |\d{1,4}: \(+[A-Z])/;
/** "/app/server.js:12" before the line of code and its caret. */
const NODE_PLACE = /^(?:file:\/\/)?((?:\/|node:)[^\s:]{1,300}):(\d{1,7})$/;
/** A line of code that a compiler quotes: '2 | let a = 1'. */
const QUOTED_CODE = /^\d{1,7} \| /;
const AROUND = beginning(
  /\.\.\. \d+ (?:more|common frames|lines|levels)/,
  /--- End of /,
  /The above exception was the direct cause/,
  /During handling of the above exception/,
  /(?:Exception Group )?Traceback \(most recent call last\)/,
  /\[internal function\]/,
  /stack backtrace:/,
  /Stack trace:/,
  // Jenkins prints the cause first, and below it those that it led to.
  /Caused: (?:[\w$]+\.){2,12}[\w$]+/,
  /thrown in /,
  /\[Previous line repeated/,
  /<\d+ internal lines?>/,
  /\[signal SIG/,
  /(?:Current t|T)hread 0x[\da-f]+ .{0,60}\(most recent call first\)/,
  /\(anonymous\)/,
  /-{2,}>? ?$/,
  /stack traceback:$/,
  /Backtrace:$/,
  /Backtrace for: /,
  /CallStack \(from HasCallStack\):$/,
);
/** An error's class and, after a colon, its message. */
const CLASS = String.raw`(?:[A-Za-z_$][\w$]*[.:/\\]{1,2})*[\w$]*(?:Error|Exception|Failure|Fault|Interrupt|Timeout|Invalid|Violation|DoesNotExist|NotFound|Refused|Unavailable|Exit|Rejection)`;
const HEAD = new RegExp(
  String.raw`^\[?(?:(?:PHP )?(?:Fatal error|Parse error): +|(?:Uncaught |Unhandled |unhandled |uncaught )?(?:exception |Exception |error |rejection )?(?:in thread "[^"]{0,100}" |in |by )?|Exception in thread "[^"]{0,100}" |Unhandled exception\. |\[[\w-]{1,30}\] )?${CLASS}\d*(?: \[[\w-]{1,60}\])?(?: \(\S{1,40}\))?(?::(?!:)|$| \[|\()`,
);
const GO_HEAD =
  /^(?:panic: |fatal error: (?:all goroutines|runtime|concurrent|out of memory|stack|unexpected signal)|runtime error: )/;
const RUST_HEAD = /^thread '[^']{0,100}' (?:\(\d+\) )?(?:panicked at|has overflowed)/;
const RUBY_HEAD = /^\S{1,300}:\d+:in [`'][^']{0,200}': /;
const BEAM_HEAD = /^\*\* \((?:[A-Z][\w.]{1,80}|exit|throw)\) /;
const CAUSE =
  /^(?:Caused by: ?|(?:Likely )?[Rr]oot cause: ?|(?:origin|cause|original|parent|reason|innerError|previous|error|err): (?=(?:[\w$.]{1,100})?(?:Error|Exception)\b)|\[cause\]: |Reason: |---> |Nested exception: )(?=\S)/;
const INNER_ERRORS = /^\[errors\]: \[/;
/** Places in code that is not the user's. */
const FOREIGN = anyOf(
  /node_modules\//,
  /^node:/,
  /^internal\//,
  /\/(?:site|dist)-packages\//,
  /\/usr\/(?:lib|share)\//,
  /\/usr\/local\/(?:lib|go)/,
  /\/lib\/python/,
  /<frozen /,
  /\/gems\//,
  /\/vendor\//,
  /\/rustc\//,
  /\/\.cargo\//,
  /\/go\/pkg\/mod/,
  /\/usr\/lib\/go/,
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|scala|org\.(?:springframework|apache|hibernate|postgresql|eclipse|slf4j|junit)|ch\.qos|io\.netty|reactor|System|Microsoft)\./,
);

/** Whether a path is one of a library or a runtime, and not of the user's own code. */
export function isForeign(path: string): boolean {
  return FOREIGN.test(path);
}

/** A row of marks below a line of source, as `    ~~^~~`. Two looks, each along the text once: one pattern for both goes back and forth. */
function isCaretRow(text: string): boolean {
  return text.includes('^') && /^[~^\s]+$/.test(text);
}

export function traceRoles(lines: readonly LogLine[]): readonly RoledLine[] {
  const roled: RoledLine[] = [];
  let trace = 0;
  let inside = false;
  // Twisted indents all of a trace.
  let base = 0;
  let kind: 'python' | 'go' | 'dump' | 'code' | 'rust' | undefined;
  for (const [index, line] of lines.entries()) {
    const { said: text } = line;
    const place = placeIn(line);
    const begins = beginsTrace(text);
    if (TRACEBACK.test(text)) base = line.atMs === undefined ? line.indent : 0;
    let role: Role = 'line';
    let afterFrames = false;
    if (text.includes('.') && GO_NAME.test(text) && GO_FRAME.test(lines[index + 1]?.said ?? '')) {
      role = 'frame';
    } else if (kind === 'code') {
      role = 'frame';
      if (isCaretRow(text)) kind = undefined;
    } else if (isFrame(line, kind)) {
      role = 'frame';
      kind = kindOfFrame(text) ?? kind;
    } else if (NODE_PLACE.test(text) && hasCaretSoon(lines, index)) {
      role = 'frame';
      kind = 'code';
      trace += inside ? 0 : 1;
      inside = true;
    } else if (kind === 'python' && line.indent > base && !CAUSE.test(text)) role = 'frame';
    else if (isCaretRow(text)) role = 'frame';
    // A logger that stamps each line of a trace takes its indentation.
    else if (kind === 'python' && line.atMs !== undefined && isPythonFrame(roled.at(-1)) && !begins) role = 'frame';
    else if (CAUSE.test(text) || (inside && line.indent > 0 && BEAM_HEAD.test(text))) role = 'cause';
    else if (kind === 'dump') {
      const error = line.indent > 0 && HEAD.test(text);
      role = error ? 'cause' : 'frame';
      if (line.indent === 0 && text.startsWith('}')) kind = undefined;
    } else if (INNER_ERRORS.test(text)) {
      role = 'frame';
      kind = 'dump';
    } else if (kind === 'python' || begins) {
      // Python's error is the line after its frames.
      role = 'head';
      afterFrames = kind === 'python';
      if (kind === 'python') kind = undefined;
    }
    // console.error('what', error) puts words before the error's class.
    if (role === 'line' && isFrameAt(lines[index + 1]) && ERROR_INSIDE.test(text) && !hasOpenHead(roled)) role = 'head';
    if (role === 'line' && isCodeOfFrame(lines, index)) role = 'frame';
    if (role === 'line' && line.indent === 0 && beginsFrames(lines[index + 1], lines[index + 2]) && !isAdvice(text))
      role = 'head';
    if (role === 'head' && (begins || kind === undefined) && !(inside && previousIsFrame(roled))) trace += 1;
    if (role === 'line') {
      inside = false;
      kind = kind === 'dump' || kind === 'code' ? kind : undefined;
    } else {
      if (!inside && role !== 'head') trace += 1;
      inside = true;
      if (role === 'head' && text.endsWith('{')) kind = 'dump';
    }
    if (role !== 'line') joinAnnouncement(roled, trace);
    roled.push({
      ...line,
      role,
      ...(role === 'line' ? {} : { trace }),
      ...(place === undefined ? {} : { place }),
      ...(afterFrames && { afterFrames }),
    });
  }
  return roled;
}

/** Of which kind of trace a frame is; undefined: it does not tell. */
function kindOfFrame(text: string): 'python' | 'go' | 'dump' | undefined {
  if (PYTHON_FRAME.test(text)) return 'python';
  if (GOROUTINE.test(text) || GO_FRAME.test(text)) return 'go';
  return text.endsWith('{') && AT_FRAME.test(text) ? 'dump' : undefined;
}

const ERROR_INSIDE = /(?:Error|Exception)\b[^:]{0,40}: /;

/** Lines of a message between an error's class and its frames. */
const MESSAGE_LINES = 12;

/** An error whose frames have not come yet: this line is part of its message. */
function hasOpenHead(roled: readonly RoledLine[]): boolean {
  const near = roled.slice(-MESSAGE_LINES);
  const head = near.findLastIndex(({ role }) => role === 'head');
  return head !== -1 && !near.slice(head).some(({ said }) => AT_FRAME.test(said));
}

function isFrameAt(line: LogLine | undefined): boolean {
  return line !== undefined && AT_FRAME.test(line.said) && (line.indent > 0 || line.unfolded === true);
}

/** A logged error right above a trace is part of it: log.error('what', error). */
function joinAnnouncement(roled: RoledLine[], trace: number): void {
  const last = roled.at(-1);
  if (last?.role !== 'line' || (last.level !== 'error' && last.level !== 'fatal')) return;
  roled[roled.length - 1] = { ...last, trace };
}

/** Traces whose error is the line right above them, whatever it looks like. */
function beginsFrames(line: LogLine | undefined, after: LogLine | undefined): boolean {
  if (line === undefined) return false;
  if (line.said === 'stack traceback:' || line.said === 'CallStack (from HasCallStack):') return true;
  return (
    line.indent > 0 && [line, after].some((each) => each !== undefined && each.indent > 0 && isLooseFrame(each.said))
  );
}

function isLooseFrame(text: string): boolean {
  return BEAM_FRAME.test(text) || TCL_FRAME.test(text);
}

/** Tcl quotes the code below "while executing", Elixir the call above its first place. */
function isCodeOfFrame(lines: readonly LogLine[], index: number): boolean {
  const text = lines[index]?.said ?? '';
  const before = lines[index - 1]?.said ?? '';
  if (text.startsWith('"') && /^(?:while executing|invoked from within)$/.test(before)) return true;
  const next = lines[index + 1];
  return (
    (lines[index]?.indent ?? 0) > 0 &&
    next !== undefined &&
    BEAM_FRAME.test(next.said) &&
    /^:?[\w.]{1,200}\(.{0,300}\)$/.test(text)
  );
}

function beginsTrace(text: string): boolean {
  return HEAD.test(text) || GO_HEAD.test(text) || RUST_HEAD.test(text) || RUBY_HEAD.test(text) || BEAM_HEAD.test(text);
}

function isPythonFrame(line: RoledLine | undefined): boolean {
  return line?.atMs !== undefined && PYTHON_FRAME.test(line.said);
}

/** Whether the error follows frames, as Python and Node.js print it. */
function previousIsFrame(roled: readonly RoledLine[]): boolean {
  return roled.at(-1)?.role === 'frame';
}

function isFrame(line: LogLine, kind: string | undefined): boolean {
  const { said: text, indent, unfolded } = line;
  if (AT_FRAME.test(text) && (indent > 0 || unfolded === true)) return true;
  if (NATIVE_FRAME.test(text) || TWISTED.test(text)) return true;
  if (PYTHON_FRAME.test(text) || GOROUTINE.test(text) || AROUND.test(text) || PHP_FRAME.test(text)) return true;
  if (GO_FRAME.test(text) && (indent > 0 || unfolded === true)) return true;
  if (RUBY_BARE_FRAME.test(line.text) || RUBY_FRAME.test(text) || QUOTED_CODE.test(text) || OTHER_FRAME.test(text))
    return true;
  if (indent > 0 && (LUA_FRAME.test(text) || BEAM_FRAME.test(text) || TCL_FRAME.test(text))) return true;
  if (kind === 'go' && GO_CALL.test(text)) return true;
  return RUST_FRAME.test(text) && indent > 0 && text.includes('::');
}

function hasCaretSoon(lines: readonly LogLine[], index: number): boolean {
  return lines.slice(index + 1, index + 4).some(({ said }) => isCaretRow(said));
}

/** "server.js:12" when the line is a place in the user's code. */
function placeIn({ said: text }: LogLine): string | undefined {
  const match =
    PYTHON_FRAME.exec(text) ??
    NODE_PLACE.exec(text) ??
    GO_FRAME.exec(text) ??
    PHP_FRAME.exec(text) ??
    RUBY_FRAME.exec(text) ??
    RUBY_BARE_FRAME.exec(text) ??
    LUA_FRAME.exec(text);
  if (match?.[1] !== undefined) return FOREIGN.test(match[1]) ? undefined : placeName(match[1], match[2] ?? '');
  if (!AT_FRAME.test(text)) return undefined;
  const code = text.replace(/^at (?:async )?(?:new )?/, '').replace(/ \{$/, '');
  if (FOREIGN.test(code)) return undefined;
  const found =
    /\(?(?:file:\/\/)?([^\s():]{1,300}\.\w{1,5}):(\d{1,7})(?::\d+)?\)?$/.exec(code) ??
    / in (\S{1,300}):line (\d{1,7})/.exec(code);
  return found === null || FOREIGN.test(found[1] ?? '') ? undefined : placeName(found[1] ?? '', found[2] ?? '');
}

function placeName(path: string, line: string): string {
  return `${path.slice(path.lastIndexOf('/') + 1)}:${line}`;
}
