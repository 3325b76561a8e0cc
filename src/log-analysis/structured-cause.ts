/** Finds in the fields of a structured line what went wrong: the error, and where that is told beside the message by another name. Pure. */
import { anyOf, whole } from './any-of.ts';
import { isBad } from './grammar/index.ts';
import { isSecretKey } from './mask-secrets.ts';
import { worldNames } from './names.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const ERROR_KEYS = [
  'err',
  'error',
  'exception',
  'exc_info',
  'exc',
  'cause',
  'thrown',
  'throwable',
  'reason',
  'errmsg',
  'error.message',
  'attr.error',
  '@x',
];

/**
 * "FATAL: database "shop" does not exist": what a line's fields say of its cause; '' when they say nothing.
 *
 * @param isFailure the line itself is about a failure, so that its other fields may tell of what
 */
export function causeText(fields: Fields, isFailure: boolean): string {
  const own = errorText(fields) || issuesText(fields);
  const beside = isFailure && worldNames(own) === 0 ? textBeside(fields) : '';
  return withCause(withWanted(joinedCause(own, beside), fields), fields['response']);
}

const WANTED_KEYS = ['expected', 'want', 'wanted', 'required', 'expected_value', 'expectedValue'];
const FOUND_KEYS = ['got', 'actual', 'received', 'found', 'actual_value', 'actualValue'];
/** A longer value is a document. */
const MAX_WANTED = 120;

/** What may be compared in public: a password, a key or a signature may not. */
const PUBLIC =
  /issuer|audience|version|status|type|realm|scope|algorithm|protocol|schema|format|length|size|count|port|host|method|state|subject|region|encoding/i;
const OF_SECRET =
  /pass(?:word|phrase|code)?\b|secret|signature|hash|digest|hmac|api.?key|cookie|credential|\botp\b|\bpin\b|login/i;
const IS_PUBLIC = /^(?:-?\d{1,12}|https?:\/\/[^\s?#@]{1,120})$/;

/** "invalid_issuer (expected a, got b)", where the words before say that it is no secret that is compared, or the values are numbers or addresses. */
function withWanted(said: string, fields: Fields): string {
  const [wanted, got] = [firstText(fields, WANTED_KEYS), firstText(fields, FOUND_KEYS)];
  if (wanted === '' || got === '' || wanted.length > MAX_WANTED || got.length > MAX_WANTED) return said;
  if (said.includes(wanted) && said.includes(got)) return said;
  const isNamed = PUBLIC.test(said) && !OF_SECRET.test(said);
  if (!isNamed && !(IS_PUBLIC.test(wanted) && IS_PUBLIC.test(got))) return said;
  const both = `expected ${wanted}, got ${got}`;
  return said === '' ? both : `${said} (${both})`;
}

/** What an error without names says, with what stands beside it. */
function joinedCause(own: string, beside: string): string {
  if (own === '' || beside.includes(own)) return beside || own;
  return beside === '' || own.includes(beside) || own.includes('\n') ? own : `${own}: ${beside}`;
}

function errorText(fields: Fields): string {
  for (const key of ERROR_KEYS) {
    const value = fields[key];
    if (typeof value === 'string' && value !== '')
      return withCause(typed(value, key, fields), key === 'cause' ? undefined : fields['cause']);
    const said = Array.isArray(value) ? ofList(value) : isObject(value) ? ofError(value) : '';
    if (said !== '') return said;
  }
  const verbose = fields['errorVerbose'];
  return typeof verbose === 'string' ? (verbose.split('\n')[0] ?? '') : '';
}

/** The class of an error that stands in a key of its own: "error.type" beside "error.message". */
function typed(value: string, key: string, fields: Fields): string {
  const type = OF_MESSAGE.test(key) ? text(fields[key.replace(OF_MESSAGE, '$1type')]) : '';
  return type === '' || value.startsWith(type) ? value : `${type}: ${value}`;
}

const OF_MESSAGE = /^(.{1,40}[._])message$/;

/** The errors of a list, the outermost first, as structlog writes them. */
function ofList(list: readonly unknown[]): string {
  const said = list.slice(0, MAX_INNER).flatMap((each) => {
    const one = typeof each === 'string' ? each : isObject(each) ? ofError(each) : '';
    return one === '' ? [] : [one];
  });
  return [...new Set(said)].join(': ');
}

/** "PDOException: no connection (2002): getaddrinfo for mysql-0 failed", of an error that was logged as an object. */
function ofError(error: Fields): string {
  const own = messageIn(error);
  const said = withInner(own, error);
  if (said === '') return '';
  const of = classIn(error);
  const code = text(error['code']);
  const url = urlOf(error);
  const asked = url === '' || said.includes(url) ? '' : ` (${url})`;
  return of === '' || said.startsWith(of)
    ? `${said}${asked}`
    : `${of}: ${said}${code === '' || code === '0' || said.includes(code) ? '' : ` (${code})`}${asked}`;
}

/** What was asked, which Axios and others keep in the error: "http://vault:8200/v1/keys". */
function urlOf(error: Fields): string {
  const asked = [error['config'], error['request'], error['options']].find((each) => isObject(each));
  if (!isObject(asked)) return '';
  const url = text(asked['url']);
  const base = text(asked['baseURL']);
  return /^[a-z]+:\/\//i.test(url) || base === '' ? url : `${base.replace(/\/$/, '')}/${url.replace(/^\//, '')}`;
}

const CLASS_FIELDS = [
  'type',
  'name',
  'class',
  'exc_type',
  'exception_class',
  'exceptionType',
  'errorType',
  'kind',
  'codeName',
];
const MESSAGE_FIELDS = [
  'message',
  'errmsg',
  'msg',
  'exc_value',
  'value',
  'exception_message',
  'errorMessage',
  'error_description',
  'detail',
  'details',
  'description',
];

function classIn(error: Fields): string {
  return firstText(error, CLASS_FIELDS);
}

function messageIn(error: Fields): string {
  return firstText(error, MESSAGE_FIELDS) || ofSystem(error);
}

function firstText(fields: Fields, keys: readonly string[]): string {
  return keys.map((key) => text(fields[key])).find((each) => each !== '') ?? '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lists of what a validation found. */
const ISSUE_KEYS = ['issues', 'errors', 'details', 'violations', 'validationErrors', 'validation_errors', 'problems'];
const MAX_ISSUES = 3;

/** "DATABASE_URL: Required", of {"issues": [{"path": ["DATABASE_URL"], "message": "Required"}]}. */
function issuesText(fields: Fields): string {
  for (const key of ISSUE_KEYS) {
    const value = fields[key];
    const told = Array.isArray(value) ? value.slice(0, MAX_ISSUES).flatMap((each: unknown) => issueText(each)) : [];
    if (told.length > 0) return told.join('; ');
  }
  return '';
}

function issueText(issue: unknown): readonly string[] {
  if (typeof issue === 'string') return issue === '' ? [] : [issue];
  if (!isObject(issue)) return [];
  const { path, loc, field, property, instancePath, message, msg, reason } = issue;
  const said = text(message) || text(msg) || text(reason);
  const at = [path, loc, field, property, instancePath].flatMap((each) => placeText(each))[0];
  if (said === '' && at === undefined) return [];
  return [at === undefined || said.includes(at) ? said : `${at}: ${said}`];
}

/** "server.port", of ["server", "port"] */
function placeText(place: unknown): readonly string[] {
  const texts = (Array.isArray(place) ? place : [place])
    .map((each: unknown) => text(each))
    .filter((each) => each !== '');
  return texts.length === 0 ? [] : [texts.join('.')];
}

/** A longer text is a whole document. */
const MAX_CAUSE = 400;

/** "fetch failed" with its cause, which a logger wrote into a field beside it. */
function withCause(error: string, cause: unknown): string {
  const more = typeof cause === 'string' ? cause.trim() : '';
  if (more === '' || error.includes(more) || more.includes('\n') || more.length > MAX_CAUSE) return error;
  return error === '' ? more : `${error}: ${more}`;
}

/** Errors inside of an error that are told with it. */
const MAX_INNER = 4;

/** The message with those of its causes, or with the first of the errors that it gathers. */
function withInner(message: string, error: Fields): string {
  let said = message;
  let inner = innerOf(error);
  for (let depth = 0; inner !== undefined && depth < MAX_INNER; depth++) {
    const own = typeof inner === 'string' ? inner : innerText(inner);
    if (own !== '' && !said.includes(own)) said = said === '' ? own : `${said}: ${own}`;
    inner = typeof inner === 'string' ? undefined : innerOf(inner);
  }
  return said;
}

/** A message without words of failure says what failed only with its class: "AccessDeniedException: /data". */
function innerText(error: Fields): string {
  const own = messageIn(error);
  const of = classIn(error);
  return own === '' || of === '' || isBad(own) || own.startsWith(of) ? own : `${of}: ${own}`;
}

const INNER_FIELDS = [
  'cause',
  'innerException',
  'InnerException',
  'inner',
  'previous',
  'rootCause',
  'root_cause',
  'lastError',
  'last',
  'original',
];

function innerOf(error: Fields): Fields | string | undefined {
  const { errors, aggregateErrors } = error;
  const several: unknown = Array.isArray(errors)
    ? errors[0]
    : Array.isArray(aggregateErrors)
      ? aggregateErrors[0]
      : undefined;
  const inner: unknown = INNER_FIELDS.map((key) => error[key]).find((each) => each !== undefined && each !== null);
  const { causedBy } = error;
  // JBoss and Quarkus write the cause into an object of its own.
  const found = inner ?? several ?? (isObject(causedBy) ? (causedBy['exception'] ?? causedBy) : causedBy);
  return typeof found === 'string' || isObject(found) ? found : undefined;
}

/** The words that libuv has for the codes of calls on files. */
const FILE_CODES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'resource busy or locked',
  EEXIST: 'file already exists',
  EISDIR: 'illegal operation on a directory',
  EMFILE: 'too many open files',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
};

/** An error of Node.js that was logged without its message: "connect ECONNREFUSED 127.0.0.1:5432", "ENOENT: …, open '/a'". */
function ofSystem(error: Fields): string {
  const [syscall, code, address, port, hostname, path] = ['syscall', 'code', 'address', 'port', 'hostname', 'path'].map(
    (key) => text(error[key]),
  ) as [string, string, string, string, string, string];
  if (syscall === '' && /^E[A-Z]{3,}$/.test(code) && address !== '')
    return `connect ${code} ${address}${port === '' ? '' : `:${port}`}`;
  if (syscall === '' || code === '') return '';
  const words = FILE_CODES[code];
  if (words !== undefined && address === '') return `${code}: ${words}, ${syscall}${path === '' ? '' : ` '${path}'`}`;
  const peer = address === '' ? hostname || path : `${address}${port === '' ? '' : `:${port}`}`;
  return `${syscall} ${code}${peer === '' ? '' : ` ${peer}`}`;
}

/** Keys under which loggers tell a cause. */
const OF_CAUSE =
  /(?:^|[._-])(?:details?|reasons?|causes?|why|errors?|err|errmsg|exc(?:eption)?|faults?|failures?|problems?|stderr|explanation|diagnos\w{1,12})(?:$|[._-])|(?:Error|Exception|Reason|Cause|Detail|Failure)(?:s|Message|Text)?$/;
/** Keys of what was asked, of who asked, and of code: no cause stands in them, whatever their words are. */
const OF_OTHERS = whole(
  /(?:.{1,40}[._-])?(?:sql|query|statement|command|cmd|args?|argv|env|environ|headers?|user_?agent|url|uri|path|file(?:name)?|dir|request|req|options|opts|schema|template|stack\w{0,20}|frames|trace|traceback|code|span|tags|labels)/i,
  /(?:logger|logger_?name|caller|thread|thread_?name|name|source|line|func(?:tion)?|module|package|app|service|svc|host(?:name)?|pid|id|version|v|env)/i,
  /(?:level|severity|lvl|log_?level|levelname|msg|message|event|text|m|log|msg_?template|messageTemplate|renderedMessage|timestamp|time|ts|t|@\w{1,12})/i,
);
/** Objects that are looked into, and values that are looked at. */
const MAX_DEPTH = 3;
const MAX_VALUES = 80;
const MAX_TEXT = 2000;

interface Place {
  readonly key: string;
  readonly value: unknown;
  readonly depth: number;
  /** The fields beside it. */
  readonly fields: Fields;
  /** The thing that is checked: "db" of {"checks": {"db": {"status": "down", "error": …}}}. */
  readonly of: string;
  /** It is within something whose state is a bad one, such as an answer with 403. */
  readonly isBad?: boolean;
}

/** What an answer says. */
const OF_ANSWER = /^(?:body|data|message|msg|text|statusText|output|info)$/;

/** The words of failure in the other fields, those under the name of a cause first. */
function textBeside(fields: Fields): string {
  const places: Place[] = placesIn(fields, 1, '');
  let weak = '';
  let bare = '';
  for (let at = 0; at < places.length && at < MAX_VALUES; at += 1) {
    const place = places[at];
    if (place === undefined || isPassedOver(place)) continue;
    const { key, value, depth, of } = place;
    const isNamed = OF_CAUSE.test(key) || (place.isBad === true && OF_ANSWER.test(key));
    if (Array.isArray(value) || isObject(value)) {
      const own =
        isObject(value) && (isNamed || classIn(value) !== '' || text(value['syscall']) !== '') ? ofError(value) : '';
      if (own !== '' && (isNamed || isBad(own))) return labelled(own, of);
      if (depth < MAX_DEPTH) places.push(...placesWithin(value, depth + 1, key, of));
      continue;
    }
    const said = typed(text(value).trim().slice(0, MAX_TEXT), key, place.fields);
    if (isNamed && isTelling(said)) return labelled(said, of);
    if (isNamed && bare === '' && BARE_CLASS.test(said)) bare = said;
    if (weak === '' && isTelling(said) && isBad(said) && !STATEMENT.test(said)) weak = labelled(said, of);
  }
  return weak || bare;
}

function isPassedOver({ key, depth }: Place): boolean {
  if (isSecretKey(key) && !OF_CAUSE.test(key)) return true;
  // Within a field of its own a message may be that of an error.
  return OF_OTHERS.test(key) && !(depth > 1 && /^(?:msg|message|text)$/.test(key));
}

function placesIn(fields: Fields, depth: number, of: string): Place[] {
  return Object.entries(fields)
    .slice(0, MAX_VALUES)
    .map(([key, value]) => ({ key, value, depth, fields, of }));
}

/** What is within a value. Of checks that are well nothing is. */
function placesWithin(value: object, depth: number, key: string, of: string): readonly Place[] {
  if (Array.isArray(value))
    return value.slice(0, MAX_VALUES).map((each: unknown) => ({ key, value: each, depth: depth - 1, fields: {}, of }));
  const fields = value as Fields;
  const state = STATE_KEYS.map((each) => fields[each]).find((each) => each !== undefined && each !== null);
  if (state === undefined) return placesIn(fields, depth, of);
  if (state === true || WELL.test(text(state))) return [];
  const name = firstText(fields, ['name', 'component', 'check', 'id']) || (typeof state === 'number' ? '' : key);
  return placesIn(fields, depth, name).map((place) => ({ ...place, isBad: true }));
}

const STATE_KEYS = ['status', 'state', 'ok', 'healthy', 'ready', 'up', 'success'];
const WELL = /^(?:up|ok|okay|ready|healthy|pass(?:ed|ing)?|success(?:ful)?|running|true|2\d\d)$/i;

/** "db: password authentication failed" */
function labelled(said: string, of: string): string {
  return of === '' || said.includes(of) ? said : `${of}: ${said}`;
}

/** Words, and not a name, a number or an address alone. */
function isTelling(said: string): boolean {
  return (
    /[a-z]{2}\S* \S/i.test(said) || (/\S{4}/.test(said) && /[a-z]/.test(said) && isBad(said) && !BARE_CLASS.test(said))
  );
}

const BARE_CLASS = /^(?:\w{1,60}[.\\:/]{1,2}){0,10}\w{0,60}(?:Error|Exception|Fault)$/;
const STATEMENT = anyOf(/^\s*(?:select|insert|update|delete|create|alter|with)\s/i, /^[a-z][a-z+]{1,20}:\/\/\S*$/i);
