/** Tells the decisive line: with the names that it lacks, its causes, and the place in the user's own code. Pure. */
import type { Candidate } from './candidate.ts';
import type { Dialect } from './dialects/dialect.ts';
import { withoutLists } from './left-out.ts';
import { MAX_DECISIVE_CHARACTERS, MAX_RELATED_LINES } from './limits.ts';
import { maskSecrets } from './mask-secrets.ts';
import { isDetail } from './messages.ts';
import { fileIn, formatHost, nameCount, peerIn, worldNames } from './names.ts';
import { HAS_PORT, OF_LIBRARIES } from './pick.ts';
import { withShortSql } from './short-sql.ts';
import { isBareHead, messageOf, SYSTEM_ERROR } from './weigh.ts';
import { toldWhole } from './told-whole.ts';
import type { RoledLine } from './traces.ts';
import { isBad, isConsequence } from './grammar/index.ts';

export interface DecisiveLine {
  /** Without time and process, secrets masked. */
  readonly line: string;
  /** The place of its line among the lines given. */
  readonly index: number;
  /** The lines that belong to it: wrappers, causes, DETAIL; secrets masked. */
  readonly related: readonly string[];
  /** Those of the lines that belong to it which are code: what the program was doing, and not what it said. */
  readonly code?: readonly string[];
  /** "server.js:12": the innermost place in the user's own code. */
  readonly place?: string;
  /** firm: the error of a trace, or of level error; weak: a line with words of failure. */
  readonly firmness: 'firm' | 'weak';
}

/** What a runtime prints before an error; where it is a place, that is none of the user's. */
const PREFIX =
  /^(?:<internal:[^>]{1,200}>:\d+:in [`'][^']{1,100}': |[Cc]aused by: |\[cause\]: |---> |Exception in thread "[^"]{0,100}" |Unhandled exception\. |Uncaught )/;

/** What is told of a candidate. `candidates`: all of its log, for the causes of its trace; `dialects`: those of the log. */
export function describe(
  { line, position, firm }: Candidate,
  roled: readonly RoledLine[],
  candidates: readonly Candidate[],
  dialects: readonly Dialect[],
): DecisiveLine {
  const own = line.trace === undefined ? [] : roled.filter(({ trace }) => trace === line.trace);
  const place = own.find((each) => each.place !== undefined && isBelow(each, line, own))?.place ?? placeOf(own);
  // The frames of a trace that is printed above its error are no steps.
  const first = own[0];
  const begin = first === undefined || line.afterFrames !== true ? position : Math.min(position, roled.indexOf(first));
  const before = roled.slice(Math.max(0, begin - LINES_BEFORE), begin);
  const said = sentenceInTerm(`${headingOf(line, roled[position - 1])}${toldWhole(roled, position)}`);
  const context = roled
    .slice(Math.max(0, position - 3), position)
    .findLast((each) => contextOf(each, dialects) !== undefined);
  const wrappers = candidates.filter(
    (each) => each.line.trace !== undefined && each.line.trace === line.trace && each.position !== position,
  );
  const about =
    context === undefined
      ? ofCause(line, said, position, wrappers) ||
        aboutOf(line, said, before) ||
        addressNamed(said, roled, position) ||
        ofWrapper(said, wrappers) ||
        ofSystemCall(said, own) ||
        ofProperties(said, own) ||
        reasonAbove(line, said, roled[position - 1]) ||
        stepBefore(said, before) ||
        ofNamedCause(line, said, wrappers) ||
        wholePlace(said, own, place) ||
        ofWarning(said, roled, own) ||
        ofAnnouncement(said, wrappers) ||
        ofLogger(line, said, roled, position) ||
        ofMissingCommand(line, said, roled.slice(0, begin))
      : ` (${contextOf(context, dialects)})`;
  const added = repeats(said, about) ? '' : about;
  const details = roled.slice(position + 1, position + 5).filter((each) => isDetail(each.said));
  const code = codeBelow(roled, own, place);
  const related = [...wrappers.map((each) => each.line.said), ...details.map((each) => each.said), ...code];
  return {
    line: shortened(
      maskSecrets(
        `${withoutLists(said.replace(PREFIX, ''))}${added}`
          .replace(POINTERS, '')
          .replace(OF_CLIENT, '')
          .replace(ASKED_HOST, ''),
      ),
    ),
    index: line.index,
    related: [...new Set(related)].slice(0, MAX_RELATED_LINES).map((each) => shortened(maskSecrets(each))),
    ...(code.length === 0 ? {} : { code: code.map((each) => shortened(maskSecrets(each))) }),
    ...(place === undefined ? {} : { place }),
    firmness: firm ? 'firm' : 'weak',
  };
}

const MAX_REASON = 160;
/** "beanstalkd: walg.c:416 in waldirlock: " */
const PROGRAM = /^([a-z][\w.-]{1,30}): /;

/**
 * Why it failed, by the line right above it of the same moment or program: "failed to lock /data/binlog (open: No such file or directory)",
 * "FATAL: Bungled a.conf line 3: http_access allow nets (ACL not found: nets)".
 */
function reasonAbove(line: RoledLine, said: string, above: RoledLine | undefined): string {
  if (above === undefined || above.role !== 'line' || line.role !== 'line' || above.part === true) return '';
  if (above.indent > 0 || above.said.length > MAX_REASON || !isBad(above.text) || isConsequence(above.text)) return '';
  const isSameMoment = line.atMs !== undefined && above.atMs === line.atMs && above.level === undefined;
  const program = PROGRAM.exec(said)?.[1];
  const isSameProgram = program !== undefined && PROGRAM.exec(above.said)?.[1] === program;
  const isWithout = !isBad(line.text) || (SYSTEM_ERROR.test(above.text) && !SYSTEM_ERROR.test(line.text));
  if (!isWithout || !(isSameMoment || isSameProgram)) return '';
  const reason = isSameProgram ? above.said.slice(program.length + 2) : above.said;
  return ` (${reason.replace(/^\S{1,60}:\d+ in \w{1,60}: /, '').replace(/\.+$/, '')})`;
}

/** What a logger said right above the error that it printed, where only that names what the work was about. */
function ofLogger(line: RoledLine, said: string, roled: readonly RoledLine[], position: number): string {
  if (line.role === 'line' || worldNames(said) > 0) return '';
  const first = roled.findIndex(({ trace }) => line.trace !== undefined && trace === line.trace);
  const above = roled[(first === -1 || first > position ? position : first) - 1];
  const isOfLogger =
    above?.role === 'line' && (above.level === 'error' || above.level === 'fatal' || above.level === 'warning');
  if (above === undefined || !isOfLogger || above.said.length > MAX_REASON || worldNames(above.said) === 0) return '';
  return ` (${above.said.replace(/[.:]+$/, '')})`;
}

/** Shorter texts stand in others by accident. */
const MIN_REPEATED = 20;

/** Whether all that an addition says stands in the message already: "TypeError: no such price (uncaught exception: no such price)". */
function repeats(said: string, about: string): boolean {
  const text = about.slice(2, -1);
  const message = text.slice(text.indexOf(': ') + 1).trim();
  return message.length >= MIN_REPEATED && said.includes(message);
}

/** A longer message is shortened, and an Erlang term of that length has its sentence in its middle. */
const LONG_TERM = 240;

/** "Application rabbit exited with reason: "Cookie file /a must be accessible by owner only"", of a long term with that text in it. */
function sentenceInTerm(said: string): string {
  if (said.length < LONG_TERM || !/\{\w{1,60},/.test(said)) return said;
  const quoted = [...said.matchAll(/"([^"{}\\]{5,380})\\?"/g)].map(([, text = '']) => text);
  const bad = quoted.find((text) => /\S \S{1,40} \S/.test(text) && isBad(text));
  return bad === undefined ? said : `${said.slice(0, Math.max(0, said.indexOf('{')))}"${bad}"`;
}

/** What nginx adds of the client, which has no part in the failure: ", client: 10.0.0.1, server: ", ", host: "shop"". */
const OF_CLIENT = /, client: [^,\s]{1,60}, server: [^,]{0,200}(?=, |$)/;
const ASKED_HOST = /, host: "[^"]{0,300}"(?:, referrer: "[^"]{0,300}")?$/;

/** What only points elsewhere: to a page of help, to the trace that follows. */
const POINTERS =
  / ?\(Background on this error at: [^\s)]{1,200}\)|(?: -|:)? ?[[(]?Traceback \(most recent call last\):?\)?$/g;

/** The cause right below an error that was chosen for its names: "cannot open /tls/keystore.p12 (keystore password was incorrect)". */
function ofCause(line: RoledLine, said: string, position: number, chain: readonly Candidate[]): string {
  if (line.afterFrames === true) return '';
  const below = chain.find((each) => each.position > position && each.line.role === 'cause');
  if (below === undefined || OF_LIBRARIES.test(below.line.said)) return '';
  // Java writes "null" for the message of an error that has none.
  const cause = below.line.said.replace(PREFIX, '').replace(/: null$/, '');
  const isBare = isBareHead(cause);
  if (isBare && !SAYS_ENOUGH.test(cause)) return '';
  const message = isBare ? cause : messageOf(cause);
  if (message.length > MAX_ANNOUNCEMENT || isConsequence(message)) return '';
  const told = said.toLowerCase();
  const isNew = (message.toLowerCase().match(/[a-z\d]{3,40}/g) ?? []).some((word) => !told.includes(word));
  return isNew ? ` (${message})` : '';
}

/** Classes of errors that say what happened without a message. */
const SAYS_ENOUGH =
  /(?:Connect|UnknownHost|Timeout|AccessDenied|NoSuchFile|Bind|FileNotFound|OutOfMemory|UnresolvedAddress)\w{0,40}(?:Exception|Error)$/;

/** A command that a script did not find, and went on: "entrypoint.sh: line 5: envsubst: command not found". */
const NO_COMMAND = /^(?:\S{0,200}\/)?([^\s/:]{1,80}): (?:line )?(\d{1,5}): (\S{1,80}): (?:command )?not found$/;
/** What may be wrong because a script before it could not make it. */
const MADE_BEFORE =
  /\bconfig(?:uration)?s?\b|\btemplates?\b|\bsections?\b|\bempty\b|unknown directive|unexpected end of file/i;

/** Scripts of packages try commands that need not be there. */
const OF_PACKAGES = /^\/(?:usr|bin|sbin|lib|opt)\//;

/** The command that a script lacked before: what it should have made is missing now, and what it says last only follows. */
function ofMissingCommand({ role, trace }: RoledLine, said: string, above: readonly RoledLine[]): string {
  // The tools that a script calls speak for themselves: "tar: css/main.css: Cannot stat".
  const isOfTool = /^[a-z][\w.+-]{0,30}: (?!error)/.test(said);
  const isOfScript = role === 'line' && trace === undefined && (isOfTool || !SYSTEM_ERROR.test(said));
  const all = above.filter((each) => NO_COMMAND.test(each.said) && !OF_PACKAGES.test(each.said));
  const line = all.at(0)?.said ?? '';
  if (line === '' || !(isOfScript || MADE_BEFORE.test(said))) return '';
  const [, script, place, command] = NO_COMMAND.exec(line) ?? [];
  return ` (${script} did not find the command ${command} in its line ${place} before)`;
}

/** The heading right above an error: "1) adds the prices:". */
function headingOf(line: RoledLine, above: RoledLine | undefined): string {
  if (above === undefined || above.role !== 'line' || above.level !== undefined || above.atMs !== undefined) return '';
  if (/^\d{1,4}\) [^]{2,99}$/.test(above.said) && line.level === undefined)
    return `${above.said}${above.said.endsWith(':') ? '' : ':'} `;
  if (line.role !== 'head' || line.level !== undefined || line.indent <= above.indent) return '';
  return /^(?:\d{1,4}\) |[●•*] )?[\w"'`([][^]{2,99}:$/.test(above.said) ? `${above.said} ` : '';
}

/** Lines above an error that may name what it is about. */
const LINES_BEFORE = 8;

/** The message of the nearest wrapper that names a file or a peer, for a root that names none: "Name or service not known". */
function ofWrapper(said: string, wrappers: readonly Candidate[]): string {
  if (worldNames(said) > 0) return '';
  const named = (
    wrappers.findLast(({ line: { said: each } }) => worldNames(each) > 0) ??
    (nameCount(said) > 0 ? undefined : wrappers.findLast(({ line: { said: each } }) => /\w:\/\/\w/.test(each)))
  )?.line.said;
  if (named === undefined || named.includes(said.replace(PREFIX, ''))) return '';
  const text = named.replace(PREFIX, '');
  return ` (${text.length > 140 ? `…${text.slice(-140)}` : text})`;
}

/** The nearest of the causes above an error without names that has some: "(ValueError: Unknown level: 'LOUD')" of "Unable to configure root logger". */
function ofNamedCause(line: RoledLine, said: string, wrappers: readonly Candidate[]): string {
  if (line.afterFrames !== true || nameCount(said) > 0) return '';
  const above = wrappers.filter((each) => each.line.index < line.index && each.line.role !== 'line');
  const cause =
    above.findLast((each) => nameCount(each.line.text) > 0) ??
    above.findLast((each) => !isConsequence(messageOf(each.line.text)));
  if (cause === undefined) return '';
  const text = cause.line.said.replace(PREFIX, '');
  // A key alone says less than what was made of it.
  return !/\w \w/.test(messageOf(text)) || text.length > 200 || said.includes(messageOf(text)) ? '' : ` (${text})`;
}

/** A watchdog ends what hangs: the step before it tells in what. */
const HANGS =
  /\bwatchdog\b|\b(?:no|without) (?:progress|heartbeat)\b|\b(?:hangs?|hung|stuck|deadlock(?:ed)?|stalled)\b/i;

/** The last line of work before a program ended itself because it hung, if that names a peer or a file. */
function stepBefore(said: string, before: readonly RoledLine[]): string {
  if (!HANGS.test(said) || worldNames(said) > 0) return '';
  const step = before.findLast(({ role, text }) => role === 'line' && !isConsequence(text));
  if (step === undefined || (worldNames(step.said) === 0 && !/\w:\/\/\w/.test(step.said))) return '';
  return ` (its last step: ${step.text.length > 140 ? `${step.text.slice(0, 139)}…` : step.text})`;
}

/** What Node.js prints below the frames of an error: "  input: 'shop.example/api'," */
const PROPERTY =
  /^(?:input|value|url|uri|hostname|host|address|path|dest|filename|file|key|field|property|parameter|argument|option|table|column|constraint|detail|queue|topic|bucket): (?:'[^']{1,200}'|"[^"]{1,200}"|\d{1,10}),?$/;

/** "  code: 'ECONNREFUSED',", "  address: '127.0.0.1',", "  port: 5432" below an error whose message has none of them. */
const OF_SYSTEM_CALL = /^\[?(code|address|port|hostname)\]?: ['"]?([\w.:-]{1,253})['"]?,?$/;

function ofSystemCall(said: string, own: readonly RoledLine[]): string {
  if (worldNames(said) > 0 || /\bE[A-Z]{4,}\b/.test(said)) return '';
  const found = new Map(
    own.flatMap((each) => {
      const [, key, value] = OF_SYSTEM_CALL.exec(each.said) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value] as const];
    }),
  );
  const host = found.get('hostname') ?? found.get('address');
  const code = found.get('code');
  if (code === undefined || host === undefined || !/^E[A-Z_]{4,}$/.test(code)) return '';
  const port = found.get('port');
  return ` (${code} ${formatHost(host, port === undefined ? undefined : Number(port))})`;
}

/** The properties of an error that holds no names. */
function ofProperties(said: string, own: readonly RoledLine[]): string {
  if (nameCount(said) > 0) return '';
  const found = own.flatMap((each) => (PROPERTY.test(each.said) ? [each.said.replace(/,$/, '')] : []));
  return found.length === 0 ? '' : ` (${found.slice(0, 2).join(', ')})`;
}

/** Errors about a file of code itself: its folder tells which one. */
const OF_CODE = /^(?:\S{1,60}\.)?(?:Syntax|Indentation|Tab|Parse)Error\b/;

function wholePlace(said: string, own: readonly RoledLine[], place: string | undefined): string {
  if (place === undefined || !OF_CODE.test(said) || fileIn(said) !== undefined) return '';
  const frame = own.findLast((each) => each.place === place)?.said ?? '';
  const [, path, line] = /(\/[^\s"():]{1,300})(?:", line |:)(\d{1,7})/.exec(frame) ?? [];
  return path === undefined ? '' : ` (${path}:${line})`;
}

/** "Exception in worker process" */
const SAYS_NOTHING =
  /^unexpected (?:exception|error)\b.{0,20}\bexiting\b|^\*\* \(EXIT\) an exception was raised|^(?:\S{1,100} - )?(?:an? )?(?:unhandled |uncaught |unexpected )?(?:exception|error|failure)s? (?:(?:has been |was )?caught |occurred )?(?:in|on|while|during|of)\b/i;

/** What was logged right above a trace whose error holds no name: "FAIL cart.test.js > adds prices". */
function ofAnnouncement(said: string, wrappers: readonly Candidate[]): string {
  if (nameCount(said) > 0) return '';
  const above = (
    wrappers.find(({ line: { role, text } }) => role === 'line' && !SAYS_NOTHING.test(text)) ??
    // Python prints the error that ended the program last.
    wrappers.find(({ line: { role, afterFrames } }) => role === 'head' && afterFrames !== true)
  )?.line;
  const text = above?.text.replace(PREFIX, '').replace(/:$/, '') ?? '';
  if (text === '' || text.length > MAX_ANNOUNCEMENT || isConsequence(text) || isConsequence(messageOf(text))) return '';
  if (SAYS_NOTHING.test(text) || (above?.role === 'head' && isBareHead(text)) || said.includes(messageOf(text)))
    return '';
  return ` (${text})`;
}

const MAX_ANNOUNCEMENT = 140;

/** The warning right above or below a trace that names the peer or file which none of its errors names. */
function ofWarning(said: string, roled: readonly RoledLine[], own: readonly RoledLine[]): string {
  const [first] = own;
  const last = own.at(-1);
  if (first === undefined || last === undefined || worldNames(said.replace(RUBY_BEGIN, '')) > 0) return '';
  const above = roled[roled.indexOf(first) - 1];
  if (NOTHING_THERE.test(said) && above?.role === 'line' && above.atMs !== undefined && isBad(above.text)) {
    const text = above.said.length > MAX_ANNOUNCEMENT ? `…${above.said.slice(-MAX_ANNOUNCEMENT)}` : above.said;
    return ` (after: ${text.replace(/\.+$/, '')})`;
  }
  return warningText(above) || warningText(roled[roled.indexOf(last) + 1]);
}

/** Something that should have been made is not there, which the line above may have told. */
const NOTHING_THERE =
  /nil pointer dereference|NullPointerException|NullReferenceException|Cannot read propert\w+ of (?:undefined|null)|'NoneType' object|undefined method .{1,80} for nil|on null\b|index a nil value|SIGSEGV/i;

/** Ruby's place before its error. */
const RUBY_BEGIN = /^\S{1,300}:\d+:in [`'][^']{0,200}': /;

function warningText(above: RoledLine | undefined): string {
  if (above?.level !== 'warning' || above.role !== 'line' || !isBad(above.text)) return '';
  const field = (above.fields ?? '').split(' ').find((each) => NAMING_FIELD.test(each));
  if (worldNames(above.said) === 0 && field === undefined) return '';
  const text = above.said.length > 140 ? `…${above.said.slice(-140)}` : above.said;
  return ` (${worldNames(above.said) === 0 ? `${text}, ${field}` : text})`;
}

/** The line of the user's own code that a trace quotes: "server.listen(8080)" names what the error does not. */
function codeBelow(
  roled: readonly RoledLine[],
  own: readonly RoledLine[],
  place: string | undefined,
): readonly string[] {
  const frame = place === undefined ? undefined : own.findLast((each) => each.place === place);
  const code = frame === undefined ? undefined : roled[roled.indexOf(frame) + 1];
  if (code?.role === 'frame' && code.place === undefined && code.indent > (frame?.indent ?? 0)) return [code.said];
  // Node.js quotes it above the error: its place, the line, and a sign below the word.
  const [first, line, sign] = own;
  const isAbove = first?.place !== undefined && first.place === place && /^\^+$/.test(sign?.said ?? '');
  return isAbove && line !== undefined ? [line.said] : [];
}

/** Errors of the system that name no file. */
const NAMELESS =
  /codec can't decode|invalid (?:start|continuation) byte|malformed input|not valid utf-?8|invalid byte sequence|unable to open database file|no such file|permission denied|not a directory|is a directory|mismatch/i;
const BIND_FAILS = /address already in use|cannot assign requested|eaddrinuse/i;
/** "Setting up socket for 127.0.0.1:9999", "Starting on port 8080". */
const LISTENS_AT =
  /\b(?:socket|listen\w*|bind\w*|start\w*|serv\w*)\b.{0,40}?\b(?:for|on|to|at)\b.{0,10}?((?:[\w.*[\]:]{1,60}:|port |(?<=(?:on|at) ))\d{2,5})\b(?![.:]\d)/i;
const HANDLES =
  /\b(?:load|read|open|us|writ|pars|includ|import|process|convert|ingest|migrat|apply|decod|stor)(?:ing|ed)?\b.{0,60}[: ]["']?(\/[\w./@-]{3,300})/i;

/** "status=403", beside the URL that was asked. */
const ANSWERED = /(?:^| )status(?:_?code)?=[45]\d\d(?= |$)/i;

/** The names that a line lacks: those in its fields, else the file that was being read. */
function aboutOf({ fields = '' }: RoledLine, said: string, before: readonly RoledLine[]): string {
  // What a server answered is about the server, whatever the answer names.
  const isAnswer = ANSWERED.test(fields) && peerIn(said).host === undefined && !/:\/\//.test(said);
  const own = nameCount(said) === 0 || isAnswer || (peerIn(said).port === undefined && REFUSAL.test(said));
  const isTold = (field: string): boolean => said.includes(field.slice(field.indexOf('=') + 1));
  const named = own ? fields.split(' ').filter((field) => NAMING_FIELD.test(field) && !isTold(field)) : [];
  const status = isAnswer && !/\b[45]\d\d\b/.test(said) ? [ANSWERED.exec(fields)?.[0].trim() ?? ''] : [];
  if (named.length > 0) return ` (${[...status, ...named.slice(0, 2)].join(' ')})`;
  const listens = BIND_FAILS.test(said) && !HAS_PORT.test(said) && peerIn(said).port === undefined;
  const where = listens ? before.flatMap((line) => LISTENS_AT.exec(line.said)?.[1] ?? []).at(-1) : undefined;
  if (where !== undefined) return ` (${/^\d+$/.test(where) ? `port ${where}` : where})`;
  const peer = worldNames(said) === 0 && UNREACHED.test(said) ? peerAbove(before) : undefined;
  if (peer !== undefined) return ` (${peer})`;
  if (!NAMELESS.test(said) || fileIn(said.replace(SOURCE_PLACE, ' ')) !== undefined) return '';
  const file = before
    .flatMap((line) => (line.level === 'error' ? [] : [HANDLES.exec(line.said)?.[1] ?? []]))
    .flat()
    .at(-1);
  return file === undefined ? '' : ` (${file})`;
}

/** Lines above and below in which an address may have its name or its port. */
const LINES_AROUND = 24;

/** The name behind an address that refused, and the port of one at which nothing can listen, as the lines around tell them. */
function addressNamed(said: string, roled: readonly RoledLine[], position: number): string {
  const around = (): readonly RoledLine[] => roled.slice(Math.max(0, position - LINES_AROUND), position + LINES_AROUND);
  if (BIND_FAILS.test(said) && peerIn(said).port === undefined && !HAS_PORT.test(said)) {
    const address = BOUND_ADDRESS.exec(said)?.[1];
    const at = around().flatMap((line) => (address === undefined ? [] : portsOf(address, line.said)));
    const terms = around().flatMap((line) => PORT_TERM.exec(line.said)?.[1] ?? []);
    const found = [...new Set(at.length > 0 ? at : terms.map((port) => `port ${port}`))];
    return found.length === 1 ? ` (${found[0]})` : '';
  }
  const { host, port } = peerIn(said);
  if (host === undefined || port === undefined || !UNREACHED.test(said) || !/^(?:\d{1,3}\.){3}\d{1,3}$/.test(host))
    return '';
  if (host.startsWith('127.')) return '';
  const beside = nameBeside(said, host) ?? around().flatMap((line) => nameBeside(line.said, host) ?? [])[0];
  if (beside !== undefined) return ` (${formatHost(beside, port)})`;
  const names = around().flatMap((line) => {
    const peer = CONNECTS_TO.exec(line.said)?.[1];
    return peer?.endsWith(`:${port}`) === true && /^[a-z]/i.test(peer) ? [peer] : [];
  });
  const found = [...new Set(names)];
  return found.length === 1 ? ` (${found[0]})` : '';
}

const BOUND_ADDRESS = /\bon ((?:\d{1,3}\.){3}\d{1,3})(?![.:]?\d)/;

/** "shop-db" of "10.96.4.4:5432 (shop-db)" and of 'host "shop-db" (10.96.4.4)'. */
function nameBeside(text: string, address: string): string | undefined {
  const at = text.indexOf(address);
  if (at === -1) return undefined;
  const after = /^(?::\d{1,5})? \(([a-z][\w.-]{1,200})\)/i.exec(
    text.slice(at + address.length, at + address.length + 230),
  );
  const before = /["' ]([a-z][\w.-]{1,200})["']? \($/i.exec(text.slice(Math.max(0, at - 230), at));
  const name = after?.[1] ?? (text[at + address.length] === ')' ? before?.[1] : undefined);
  return name === undefined || /^(?:localhost|host|server|address|ip)$/i.test(name) ? undefined : name;
}

/** The port in a term of Erlang: "{port,8080}". */
const PORT_TERM = /\{port,(\d{2,5})\}/;

/** "127.0.0.1:5060" of "udp: 127.0.0.1:5060". */
function portsOf(address: string, text: string): readonly string[] {
  const at = text.indexOf(`${address}:`);
  const port =
    at === -1 ? undefined : /^\d{2,5}\b/.exec(text.slice(at + address.length + 1, at + address.length + 7))?.[0];
  return port === undefined ? [] : [`${address}:${port}`];
}

const REFUSAL = /refused|timed out|unreachable/i;
/** A peer did not answer, or has no name. */
const UNREACHED = /\brefused|unable to connect|timed? ?out|unreachable|not known|name resolution|closed|reset by peer/i;
/** "Opening socket connection to server zk/10.0.0.4:2181", "connectString=zk:2181". */
const CONNECTS_TO =
  /\b(?:connect\w*|dial\w*|server|broker|endpoint|upstream|database|url|host|wait\w*)\b.{0,60}?[\s=/@"'(]((?:[a-z][\w.-]{0,200}|(?:\d{1,3}\.){3}\d{1,3}):\d{2,5})\b/i;

/** The peer that the lines above were about; its name says more than its address. */
function peerAbove(before: readonly RoledLine[]): string | undefined {
  const found = before.flatMap(({ said }) => CONNECTS_TO.exec(said)?.[1] ?? []);
  return found.findLast((peer) => !/^\d/.test(peer)) ?? found.at(-1);
}
const NAMING_FIELD =
  /^(?!\S{1,60}=\S{1,200}\.(?:c|cc|cpp|h)$)[\w.-]*(?:peer|addr(?:ess)?|host|server|upstream|endpoint|url|uri|dsn|broker|target|path|file(?:name)?|key|variable)=\S*[/:.\w]{2}/i;
/** A place in a program's own source: "../crypto/bio/bss_file.c:308". */
const SOURCE_PLACE = /\S+\.(?:c|cc|cpp|h|go|rs):\d+/g;

/** What a line says the next ones are about, by its dialect. */
function contextOf({ text }: RoledLine, dialects: readonly Dialect[]): string | undefined {
  for (const { context } of dialects) {
    const found = context?.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Python prints the innermost frame last and the error below; others print it first, below the error. */
function isBelow(frame: RoledLine, head: RoledLine, own: readonly RoledLine[]): boolean {
  return own.indexOf(frame) > own.indexOf(head);
}

function placeOf(own: readonly RoledLine[]): string | undefined {
  return own.findLast(({ place }) => place !== undefined)?.place;
}

/** What was to be done stands at the beginning of a long message, and the cause at its end. */
const BEGIN_CHARACTERS = 180;

/** One line of at most `MAX_DECISIVE_CHARACTERS`, without its middle where it is longer. */
export function shortened(text: string): string {
  const flat = withShortSql(text.replace(/\s+/g, ' ').trim());
  if (flat.length <= MAX_DECISIVE_CHARACTERS) return flat;
  return `${flat.slice(0, BEGIN_CHARACTERS)} … ${flat.slice(BEGIN_CHARACTERS - MAX_DECISIVE_CHARACTERS + 3)}`;
}
