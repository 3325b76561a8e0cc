/** Reads lines in JSON and logfmt: level, message, error and stack. Pure. */
import { whole } from './any-of.ts';
import { brokenJson } from './broken-json.ts';
import { isBad } from './grammar/index.ts';
import { type Level, levelOf } from './level.ts';
import { SOURCE_FILE } from './names.ts';
import { causeText, ERROR_KEYS } from './structured-cause.ts';

export interface StructuredLine {
  readonly level?: Level;
  /** "message: error", each once. */
  readonly message: string;
  /** The lines of its stack trace. */
  readonly stack: readonly string[];
  /** The values of its other fields that may hold names: "addr=db:5432". */
  readonly fields: string;
}

const LEVEL_KEYS = [
  'level',
  'severity',
  'lvl',
  'loglevel',
  'log.level',
  'levelname',
  'level_name',
  '@l',
  'priority',
  'prio',
  's',
  'severitytext',
  'severity_text',
  'leveltext',
  'at',
];
const MESSAGE_KEYS = [
  'msg',
  'message',
  '@m',
  'renderedmessage',
  '@mt',
  'messagetemplate',
  'event',
  'text',
  'body',
  'log',
  'short_message',
  'fields.message',
  'm',
];
const STACK_KEYS = [
  'stack',
  'stack_trace',
  'stacktrace',
  'stackTrace',
  'errorVerbose',
  'error.stack_trace',
  'trace',
  'full_message',
];
const MAX_FIELDS = 16;
/** Fields that never decide. */
const DULL_KEYS = whole(
  /ts/i,
  /time/i,
  /timestamp/i,
  /@timestamp/i,
  /@t/i,
  /t/i,
  /pid/i,
  /hostname/i,
  /host\.name/i,
  /thread/i,
  /thread_name/i,
  /logger/i,
  /logger_name/i,
  /caller/i,
  /name/i,
  /v/i,
  /version/i,
  /@version/i,
  /level_value/i,
  /source/i,
  /line/i,
  /file/i,
  /func/i,
  /goid/i,
  /id/i,
  /ctx/i,
  /c/i,
  /svc/i,
);

export function structuredLine(text: string): StructuredLine | undefined {
  const begin = text.trimStart();
  if (begin.startsWith('{')) return fromJson(begin);
  return /(?:^|\s)(?:level|lvl|severity)=|(?:^|\s)msg=/.test(text.slice(0, 400))
    ? fromFields(logfmtFields(text))
    : undefined;
}

function fromJson(text: string): StructuredLine | undefined {
  if (!text.endsWith('}')) return fromBroken(text);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? fromFields(flat(value as Record<string, unknown>)) : undefined;
  } catch {
    return undefined;
  }
}

function fromBroken(text: string): StructuredLine | undefined {
  const found = brokenJson(text);
  return found === undefined
    ? undefined
    : { level: levelOf(found.level), message: found.message, stack: [], fields: '' };
}

/** Nested log records one level deep: {"log": {"level": "error"}}, MongoDB's {"attr": {"error": …}}. */
function flat(given: Record<string, unknown>): Record<string, unknown> {
  const fields = inLowerCase(withRecord(given));
  const found: Record<string, unknown> = { ...fields };
  for (const outer of ['log', 'attr', 'fields', 'error', 'err', 'data', 'extra']) {
    const inner = fields[outer];
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) continue;
    for (const [key, value] of Object.entries(inner)) found[`${outer}.${key}`] = value;
  }
  return found;
}

/** Python's loguru has its whole record in one field, beside the text as it would print it. */
function withRecord(fields: Record<string, unknown>): Record<string, unknown> {
  const { record, ...others } = fields;
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, 'message')) return fields;
  const { level, ...rest } = record as Record<string, unknown>;
  const name = typeof level === 'object' && level !== null ? (level as Record<string, unknown>)['name'] : level;
  return { ...others, ...rest, level: name, stack: others['text'] };
}

const KNOWN_KEYS: ReadonlySet<string> = new Set([...LEVEL_KEYS, ...MESSAGE_KEYS, ...ERROR_KEYS, ...STACK_KEYS]);

/** "Err" and "Level" mean what "err" and "level" do. */
function inLowerCase(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const lower = key.toLowerCase();
      return [KNOWN_KEYS.has(lower) && !Object.hasOwn(fields, lower) ? lower : key, value];
    }),
  );
}

function fromFields(fields: Record<string, unknown>): StructuredLine | undefined {
  const level = levelIn(fields);
  const message = filledIn(text(first(fields, MESSAGE_KEYS)), fields);
  const access = accessText(fields);
  if (access !== '' && (message === '' || SAYS_NOTHING.test(message)) && !tellsOfError(fields))
    return { level: message === '' ? level : undefined, message: access, stack: [], fields: '' };
  const isFailure =
    level === undefined ? isBad(message) : level === 'warning' || level === 'error' || level === 'fatal';
  const error = unfoldedFrames(causeText(fields, isFailure));
  if (message === '' && error === '') return undefined;
  if (level === undefined && error === '' && !Object.hasOwn(fields, 'msg') && !Object.hasOwn(fields, 'message'))
    return undefined;
  const [head = '', ...more] = joined(message, error)
    // The SDKs of clouds put the cause on a line of its own.
    .replaceAll(/\n\s{0,8}caused by: /gi, ', caused by ')
    .split('\n');
  const stack = [...more, ...stackOf(fields)];
  return { level, message: head, stack, fields: otherFields(fields) };
}

/** Serilog writes "Cannot reach {Host}" beside the values. */
function filledIn(message: string, fields: Record<string, unknown>): string {
  if (!message.includes('{') || (!Object.hasOwn(fields, '@mt') && !Object.hasOwn(fields, 'messagetemplate')))
    return message;
  return message.replace(/\{@?(\w{1,60})(?:[:,][^{}]{0,20})?\}/g, (all, name: string) => text(fields[name]) || all);
}

/** A word says more than a number: PowerDNS writes level="0" beside prio="Notice". */
function levelIn(fields: Record<string, unknown>): Level | undefined {
  const values = LEVEL_KEYS.flatMap((key) => (Object.hasOwn(fields, key) ? [fields[key]] : []));
  const words = values.filter((value) => typeof value === 'string' && /[a-z]/i.test(value));
  const isOfLogr = Object.hasOwn(fields, 'caller') || Object.hasOwn(fields, 'logger') || Object.hasOwn(fields, 'v');
  return [...words, ...values].flatMap((value) => levelOf(value, !isOfLogr) ?? [])[0];
}

/** .NET's console writes blanks for the ends of lines in its JSON: "…: no such host    at A.B()". */
function unfoldedFrames(error: string): string {
  return error.includes('\n')
    ? error
    : error
        .replace(/ {2,8}at (?=[\w.<>`+]{1,200}\()/g, '\n   at ')
        .replace(/ -{2,3}> (?=[\w.]{1,200}(?:Exception|Error)\b)/g, '\n ---> ');
}

function joined(message: string, error: string): string {
  if (error === '' || message.includes(error)) return message;
  return message === '' || error.includes(message) ? error : `${message}: ${error}`;
}

function first(fields: Record<string, unknown>, keys: readonly string[]): unknown {
  const key = keys.find((each) => Object.hasOwn(fields, each) && typeof fields[each] !== 'object');
  return key === undefined ? undefined : fields[key];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** Messages of access logs: what they are about stands in their fields. */
const SAYS_NOTHING =
  /^(?:(?:the )?(?:incoming |outgoing |http )?(?:request|response|access)(?: log)?(?: (?:was )?(?:handled|completed|finished|served|processed|done|received|end(?:ed)?|sent))?|(?:handled|completed|finished|served|processed|access|http)(?: http)?(?: request| response| access)?)[.!]?$/i;

function tellsOfError(fields: Record<string, unknown>): boolean {
  return ERROR_KEYS.some(
    (key) => text(fields[key]) !== '' || (typeof fields[key] === 'object' && fields[key] !== null),
  );
}

/** The answer to one request, of a logger that writes each in fields alone: "GET /orders -> 500". */
function accessText(fields: Record<string, unknown>): string {
  const request = recordOf(fields['request'] ?? fields['req'] ?? fields['http']);
  const response = recordOf(fields['response'] ?? fields['res']);
  const of = (keys: readonly string[], ...records: readonly Record<string, unknown>[]): string =>
    records.flatMap((record) => keys.map((key) => text(record[key]))).find((value) => value !== '') ?? '';
  const method = of(['method', 'request_method', 'verb'], fields, request);
  const path = of(['uri', 'path', 'url', 'request_uri', 'target'], fields, request);
  const status = of(['status', 'status_code', 'statuscode', 'statusCode', 'code'], fields, response, request);
  return /^[A-Z]{3,7}$/.test(method) && path.startsWith('/') && /^[1-5]\d\d$/.test(status)
    ? `${method} ${path} -> ${status}`
    : '';
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function stackOf(fields: Record<string, unknown>): readonly string[] {
  for (const key of [...STACK_KEYS, 'err.stack', 'error.stack', 'error.stacktrace']) {
    const value = fields[key];
    if (typeof value === 'string' && value.includes('\n')) return value.split('\n');
  }
  return [];
}

/** "shop::db": a part of the program itself. */
const MODULE = /^[a-z]\w{0,60}(?:::\w{1,60}){1,10}$/i;

function otherFields(fields: Record<string, unknown>): string {
  const known = new Set([...LEVEL_KEYS, ...MESSAGE_KEYS, ...ERROR_KEYS, ...STACK_KEYS]);
  const named = Object.entries(fields).flatMap(([key, value]) =>
    known.has(key) ||
    (DULL_KEYS.test(key) && !isFileOfData(key, value)) ||
    /stack/i.test(key) ||
    text(value) === '' ||
    MODULE.test(text(value)) ||
    text(value).length > 200
      ? []
      : [`${key}=${text(value)}`],
  );
  return named.slice(0, MAX_FIELDS).join(' ');
}

/** A file that is read; others say by this key where their own code is. */
function isFileOfData(key: string, value: unknown): boolean {
  return /^(?:file|source)$/i.test(key) && /^\/\S{2,200}$/.test(text(value)) && !SOURCE_FILE.test(text(value));
}

/** Fields of a logfmt line: key=value key="quoted value". Linear. */
function logfmtFields(given: string): Record<string, unknown> {
  const line = given.trimEnd();
  const fields: Record<string, unknown> = {};
  let index = 0;
  while (index < line.length) {
    while (index < line.length && line[index] === ' ') index += 1;
    const begin = index;
    while (index < line.length && line[index] !== ' ' && line[index] !== '=') index += 1;
    const key = line.slice(begin, index);
    if (line[index] !== '=') continue;
    const [value, end] = valueAt(line, index + 1, MESSAGE_KEYS.includes(key));
    if (/^[\w.@-]{1,60}$/.test(key)) fields[key] = value;
    index = end;
  }
  return fields;
}

/** Loggers that do not escape write quotes within quotes: only one before the next field, or the last, ends the value. */
function isClosing(line: string, index: number): boolean {
  return index === line.length - 1 || /^ +[\w.@-]{1,60}=/.test(line.slice(index + 1, index + 70));
}

function valueAt(line: string, begin: number, isMessage: boolean): readonly [string, number] {
  if (line[begin] !== '"') {
    // A message without quotes goes on until the next field.
    const next = isMessage ? /\s[\w.@-]{1,60}=/.exec(line.slice(begin))?.index : undefined;
    const blank = isMessage ? -1 : line.indexOf(' ', begin);
    const end = next === undefined ? (blank === -1 ? line.length : blank) : begin + next;
    return [line.slice(begin, end), end];
  }
  let out = '';
  let from = begin + 1;
  let index = from;
  for (; index < line.length && !(line[index] === '"' && isClosing(line, index)); index++) {
    if (line[index] !== '\\') continue;
    out +=
      line.slice(from, index) +
      (line[index + 1] === 'n' ? '\n' : line[index + 1] === 't' ? '\t' : (line[index + 1] ?? ''));
    index += 1;
    from = index + 1;
  }
  return [out + line.slice(from, index), index + 1];
}
