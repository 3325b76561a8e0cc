/** A line with what belongs to it and stands below: what it announces, the rest of its message, its place. Pure. */
import { ERROR_AT, toldWithParts } from './continuations.ts';
import { withParts } from './messages.ts';
import { fileIn, nameCount, worldNames } from './names.ts';
import { isLogged } from './overcome.ts';
import type { RoledLine } from './traces.ts';
import { TAP } from './test-protocol.ts';
import { advises, isAboutRequest, isAccess, isBad, isClosing, isConsequence, saysWhyItEnds } from './grammar/index.ts';

/** What the C++ runtime and assert() print before they abort. */
export const TERMINATE = /^terminate called after throwing an instance of '([^']{1,200})'$/;
export const ASSERTION = /: Assertion [`'].{1,300}' failed\.$/;
const PANICKED_AT = /^thread '[^']*' (?:\(\d+\) )?panicked at (\S+?):(\d+):\d+:$/;

/** "… in /etc/a.conf:3:20-3:27:", above the lines of that file with their numbers, from its first one on. */
const PLACED = /:\d{1,6}(?:[:-]\d{1,6}){0,4}:$/;
const LISTING = /^\d{1,6}(?:-{2,}>| {3,}| {0,3}\|) ?\S/;

/** A line that ends with a colon is told with the next: "panicked at src/main.rs:3:5:". */
export function withNext({ said, role }: RoledLine, next: RoledLine | undefined): string {
  const panicked = PANICKED_AT.exec(said);
  if (panicked !== null && next !== undefined) return `panic: ${next.said} (${panicked[1]}:${panicked[2]})`;
  const thrown = TERMINATE.exec(said)?.[1];
  const what = /^what\(\): +(.*)$/.exec(next?.said ?? '')?.[1];
  if (thrown !== undefined && what !== undefined) return what.includes(thrown) ? what : `${thrown}: ${what}`;
  if (next === undefined || next.role === 'frame') return said;
  if (PLACED.test(said) && LISTING.test(next.said)) return said.slice(0, -1);
  const isAnnounced =
    said.endsWith(':') || ERROR_AT.test(said) || (role === 'head' && next.role === 'line' && isClassAlone(said));
  const isPlace = next.indent > 0 && /^in ["']\/[^"']{1,300}["'], line \d+/.test(next.said);
  const detail = /^(?:[\w.-]{1,40}: )?(?:DETAIL|CONTEXT|[Dd]etail): +(.*)$/.exec(next.said)?.[1];
  if (detail !== undefined) return `${said} (${detail.replace(/\.$/, '')})`;
  return isAnnounced || isPlace ? `${said} ${next.said}` : said;
}

/** An error's class, with its message in the next line. */
function isClassAlone(said: string): boolean {
  return /^[\w$.\\/]{1,200}(?:Error|Exception)$/.test(said);
}

/** Where a parser stopped, below what it says. */
const PLACE_BELOW =
  /^\(?(?:(?:[\w ]{0,40}\b(?:in|at|of) |(?:location|position|file|where): (?:in |at )?|-->? )?["']?\/[^\s"':]{1,300}["']?(?:(?:,|:)? line \d+|: ?\d+)|-->? {1,4}[\w./-]{1,300}:\d+)/i;
/** What was looked for, below the words that it is not there. */
const LOOKED_FOR =
  /^(?:\w{1,20} ){0,3}(?:looked|looking|searched|searching|tried|checked)\b.{0,30}:? (\/[^\s:]{1,300})/i;
/** A line of a message that says why: "Details: cannot load libssl.so". */
const REASON = /^(?:details?|reason|cause): \S/i;
const REASON_LINES = 8;
/** Lines between an error and the place below it. */
const PLACE_LINES = 6;

/** A line with all that belongs to it and stands below: what it announces, the rest of a message of several lines, its place. */
export function toldWhole(roled: readonly RoledLine[], position: number): string {
  const line = roled[position];
  if (line === undefined) return '';
  const block =
    snippetOfJson(roled, position) ??
    mistakeInYaml(roled, position) ??
    mistakeInHcl(roled, position) ??
    mistakesInModel(roled, position) ??
    termWhole(roled, position) ??
    parameterNamed(roled, position) ??
    blockAround(roled, position) ??
    withParts(roled, position) ??
    (nameCount(line.said) === 0 ? toldWithParts(roled, position) : undefined) ??
    restOfMessage(roled, position);
  if (TAP.test(line.said)) return withDiagnosis(roled, position);
  return withPlace(block ?? announced(roled, position), roled, position);
}

/** Mono and older .NET name what an argument is called in a line of its own. */
function parameterNamed(roled: readonly RoledLine[], position: number): string | undefined {
  const name = /^Parameter name: ([\w.:-]{1,100})$/.exec(roled[position + 1]?.said ?? '')?.[1];
  const said = roled[position]?.said;
  return name === undefined || said === undefined ? undefined : `${said.replace(/\.$/, '')} (Parameter '${name}')`;
}

/** PyYAML says what it was about first, and below that what is wrong, and where. */
const YAML_CONTEXT = /\bwhile (?:parsing|scanning) an? /;
/** V8 quotes the text around a mistake, over as many lines as that has: 'Unexpected token ']', ..."8400",' and '" is not valid JSON'. */
const JSON_MISTAKE = /\b(?:Unexpected|Expected|Bad) .{0,200}\.\.\."/;
const END_OF_SNIPPET = /" is not valid JSON$/;
const SNIPPET_LINES = 8;

/** Terraform and Packer print a title, the place, the code, and then in a paragraph of its own what is wrong. */
const HCL_PLACE = /^on \S{1,200} line \d+/;
const HCL_LINES = 10;

function mistakeInHcl(roled: readonly RoledLine[], position: number): string | undefined {
  const line = roled[position];
  if (line === undefined || !line.said.startsWith('Error: ')) return undefined;
  const below = roled.slice(position + 1, position + 1 + HCL_LINES);
  const at = below.findIndex((next) => HCL_PLACE.test(next.said));
  if (at === -1) return undefined;
  const paragraph = below
    .slice(at + 1)
    .filter((next) => next.indent === 0 && /^[A-Z"]/.test(next.said) && next.level === undefined);
  const what = paragraph
    .slice(0, 2)
    .map((next) => next.said)
    .join(' ');
  return `${line.said} ${below[at]?.said ?? ''}${what === '' ? '' : ` ${what}`}`;
}

/** Pydantic counts the mistakes, and names each field in a line of its own, above what is wrong with it. */
const MODEL = /\b\d+ validation errors? for [\w.[\], ]{1,100}$/;
const FIELD = /^[\w.[\]-]{1,100}$/;
const MODEL_LINES = 20;
const MAX_FIELDS = 4;

function mistakesInModel(roled: readonly RoledLine[], position: number): string | undefined {
  const said = roled[position]?.said ?? '';
  if (!MODEL.test(said)) return undefined;
  const below = roled.slice(position + 1, position + 1 + MODEL_LINES);
  const fields = below.flatMap(({ said: name, indent }, at) => {
    const next = below[at + 1];
    if (indent > 0 || !FIELD.test(name) || next === undefined || next.indent === 0) return [];
    return [`${name} (${next.said.replace(/ [[(]type=.*$/, '')})`];
  });
  if (fields.length === 0) return undefined;
  return `${said}: ${fields.slice(0, MAX_FIELDS).join(', ')}${fields.length > MAX_FIELDS ? ', …' : ''}`;
}

/** An Erlang term that is printed over several lines: "Error during startup: {error,". */
const TERM_BEGINS = /^[A-Z][\w ]{2,60}: \{\w{1,60},$/;
const TERM_LINES = 8;

function termWhole(roled: readonly RoledLine[], position: number): string | undefined {
  const said = roled[position]?.said ?? '';
  if (!TERM_BEGINS.test(said)) return undefined;
  let whole = said;
  for (const { said: next } of roled.slice(position + 1, position + 1 + TERM_LINES)) {
    whole = `${whole} ${next}`;
    if (whole.replace(/[^{[]/g, '').length <= whole.replace(/[^}\]]/g, '').length) return whole;
  }
  return undefined;
}

function mistakeInYaml(roled: readonly RoledLine[], position: number): string | undefined {
  const said = roled[position]?.said ?? '';
  if (!YAML_CONTEXT.test(said)) return undefined;
  const below = roled.slice(position + 1, position + 4);
  const end = below.findIndex(({ role, level, atMs }) => role !== 'line' || level !== undefined || atMs !== undefined);
  const own = (end === -1 ? below : below.slice(0, end)).map((line) => line.said);
  const [mistake = '', place = ''] = /^in ["']/.test(own[0] ?? '') ? own.slice(1) : own;
  // Both places are in one file, and the second is where the mistake is.
  return mistake === '' ? undefined : `${said}, ${mistake}${/^in ["']/.test(place) ? ` ${place}` : ''}`;
}

function snippetOfJson(roled: readonly RoledLine[], position: number): string | undefined {
  const said = roled[position]?.said ?? '';
  if (!JSON_MISTAKE.test(said) || END_OF_SNIPPET.test(said)) return undefined;
  const below = roled.slice(position + 1, position + 1 + SNIPPET_LINES);
  const end = below.findIndex((line) => END_OF_SNIPPET.test(line.said));
  return end === -1 ? undefined : [said, ...below.slice(0, end + 1).map((line) => line.said)].join(' ');
}

/** Lines of a failed test's diagnosis that are told. */
const DIAGNOSIS_LINES = 4;

/** A failed test with the comments below it. */
function withDiagnosis(roled: readonly RoledLine[], position: number): string {
  const below = roled.slice(position + 1, position + 1 + DIAGNOSIS_LINES);
  const end = below.findIndex(({ said }) => !said.startsWith('#'));
  const own = end === -1 ? below : below.slice(0, end);
  return [roled[position]?.said ?? '', ...own.map(({ said }) => said.replace(/^# */, ''))].join(' ');
}

/** A line with the ones below it that it announces. */
function announced(roled: readonly RoledLine[], position: number): string {
  const line = roled[position];
  if (line === undefined) return '';
  let said = withNext(line, roled[position + 1]);
  let at = said === line.said ? position : position + 1;
  const isAnnounced = at > position;
  for (let next = roled[at + 1]; next !== undefined && at < position + 4; next = roled[at + 1]) {
    const isPlain = next.role === 'line' && next.level === undefined && next.atMs === undefined;
    if (!isPlain || !belongs({ line, said, next, isAnnounced })) break;
    said = `${said} ${next.said}`;
    at += 1;
  }
  return said;
}

/** The message with the place that stands below it, or what was looked for. */
function withPlace(said: string, roled: readonly RoledLine[], position: number): string {
  const line = roled[position];
  const reason = roled
    .slice(position + 1, position + 1 + REASON_LINES)
    .find((next) => next.part === true && REASON.test(next.said) && isBad(next.text));
  if (reason !== undefined && !said.includes(reason.said)) return `${said} ${reason.said}`;
  if (line === undefined || line.role === 'cause' || fileIn(said) !== undefined) return said;
  const below = roled.slice(position + 1, position + 1 + PLACE_LINES);
  const end = below.findIndex(({ role, level, atMs }) => role !== 'line' || level !== undefined || atMs !== undefined);
  const own = end === -1 ? below : below.slice(0, end);
  const place = own.find((next) => PLACE_BELOW.test(next.said) && !said.includes(next.said));
  if (place !== undefined) return `${said} ${place.said}`;
  const path = /\b(?:find|found|open|read|load|exist)\b/i.test(said)
    ? own.flatMap((next) => LOOKED_FOR.exec(next.said)?.[1] ?? [])[0]
    : undefined;
  return path === undefined ? said : `${said} (${path})`;
}

/** Lines of a message that are told with its first. */
const MESSAGE_LINES = 4;

/** A logged message over several lines, of which the first holds no name: the others are indented, or of the same field. */
function restOfMessage(roled: readonly RoledLine[], position: number): string | undefined {
  const line = roled[position];
  if (line === undefined || line.role !== 'line' || !isLogged(line) || nameCount(line.said) > 0) return undefined;
  const below = roled.slice(position + 1, position + 1 + MESSAGE_LINES);
  const end = below.findIndex(
    ({ role, level, atMs, indent, unfolded, index }) =>
      role !== 'line' ||
      level !== undefined ||
      atMs !== undefined ||
      !(indent > 0 || (unfolded === true && index === line.index)),
  );
  const rest = end === -1 ? below : below.slice(0, end);
  return rest.length === 0 ? undefined : [line, ...rest].map(({ said }) => said).join(' ');
}

interface Below {
  readonly line: RoledLine;
  readonly said: string;
  readonly next: RoledLine;
  readonly isAnnounced: boolean;
}

/** The next command of a script speaks: "mv: cannot stat 'a': No such file or directory". */
const OF_A_TOOL =
  /^[a-z][\w.+-]{0,30}: (?:cannot |can't |failed |unable |error|.{1,200}: (?:no such file|permission denied|not found|is a directory))/i;

/** What Python says of what it puts away, after the error. */
const OF_INTERPRETER =
  /^(?:Task (?:was destroyed|exception was never)|Unclosed (?:client|connection)|Exception ignored in|task: <|future: <|coroutine: |sys:\d+: |\S+: (?:\w+)?Warning: )|was never (?:awaited|retrieved)\b/;

function belongs({ line, said, next, isAnnounced }: Below): boolean {
  if (PLACED.test(said) && LISTING.test(next.said)) return false;
  if (said.endsWith(':')) return true;
  if (PLACE_BELOW.test(next.said)) return fileIn(said) === undefined;
  // Python prints no frames below an error, so what stands there belongs to its message.
  if (line.afterFrames === true && line.role === 'head')
    return (
      !OF_A_TOOL.test(next.said) &&
      !OF_INTERPRETER.test(next.said) &&
      ![isClosing, advises, isConsequence, saysWhyItEnds, isAccess, isAboutRequest].some((is) => is(next.text))
    );
  if (line.role === 'head' && next.indent > 0) return /^\(.{1,300}\)$/.test(next.said);
  if (isAnnounced) return nameCount(next.said) === 0 && isBad(next.text) && !isConsequence(next.text);
  // What an error without a name is about stands in the paragraph below it.
  return (
    line.level === 'error' &&
    line.atMs === undefined &&
    next.indent === 0 &&
    worldNames(said) === 0 &&
    (worldNames(next.said) > 0 || (nameCount(said) === 0 && /\d/.test(next.said))) &&
    isBad(next.text) &&
    !isConsequence(next.text) &&
    !advises(next.text)
  );
}

/** Lines above and below a member of a printed object that are told with it. */
const BLOCK_LINES = 16;

/** The whole of an object that an error's message prints over several lines: 'ZodError: [ { "path": [ "PORT" ] } ]'. */
function blockAround(roled: readonly RoledLine[], position: number): string | undefined {
  const line = roled[position];
  if (line === undefined || !/^"[\w-]{1,60}": /.test(line.said)) return undefined;
  const from = Math.max(0, position - BLOCK_LINES);
  const begin = roled
    .slice(from, position)
    .findLastIndex(({ said }) => /[\w:] ?[[{]$/.test(said) && !said.startsWith('"'));
  if (begin === -1) return undefined;
  const lines = roled.slice(from + begin, position + 1).map(({ said }) => said);
  return lines.join(' ');
}
