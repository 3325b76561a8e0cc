/**
 * Finds the variable behind a setting that a program names in its own way: db_pool_size, server.port, MaxConns. Frameworks fill such fields
 * from variables whose names differ only in case and signs, often with a prefix. Pure.
 */
import type { Variable } from './environment.ts';

export interface SettingVariable {
  readonly variable: Variable;
  /** As the line has it. */
  readonly setting: string;
}

/** What is said of a value; other lines may have such a word for anything. */
const OF_A_VALUE =
  /invalid|illegal|malformed|not (?:a )?valid|validation|must (?:be|have|match|not)|should (?:be|have|match|not)|cannot (?:parse|convert|be)|could not (?:parse|convert)|failed to (?:bind|convert|parse|decode|validate)|unable to (?:parse|convert|decode)|unsupported|not (?:supported|allowed)|out of range|(?:less|greater|more|fewer) than|at (?:least|most)|type_error|bad (?:value|format)|expected|unknown|unrecogni[sz]ed|not a number|wrong (?:type|value|format)|is required|missing|may need to (?:add|set)/i;
/** db_pool_size, server.port, database.pool_size, log-level, settings['pool_size'] → pool_size */
const PARTS = /\b[A-Za-z][A-Za-z0-9]{0,40}(?:(?:[._-]|__)[A-Za-z0-9]{1,40}){1,8}\b/g;
/** MaxConns, maxConns, HTTPPort */
const HUMPS = /\b[A-Za-z][a-z0-9]{1,30}(?:[A-Z][a-z0-9]{1,30}){1,6}\b/g;
/** 'port', "port" and field port: a short name counts only as one. */
const NAMED =
  /["'`]([a-z][a-z0-9]{2,40})["'`]|\b(?:field|setting|option|property|parameter|variable|key) ([a-z][a-z0-9]{2,40})\b/gi;
/** Settings of Django and Flask, whose files read variables with a prefix. */
const IN_CAPITALS =
  /^(?:ALLOWED_HOSTS|SECRET_KEY|CSRF_TRUSTED_ORIGINS|DATABASES?|STATIC_ROOT|DEBUG|CORS_[A-Z_]{3,30}|[A-Z]{2,20}_BACKEND)$/;
const IS_PEER = /^[a-z][\w.-]{1,200}:\d{2,5}$|^\w{2,20}:\/\//i;
const MIN_SETTING = 5;
const MAX_SETTINGS = 30;

/** The only variable of a setting that the line is about; undefined: none, or the line has it by its own name. */
export function settingVariable(environment: readonly Variable[], line: string): SettingVariable | undefined {
  if (!OF_A_VALUE.test(line)) return undefined;
  const words = [...(line.match(PARTS) ?? []), ...(line.match(HUMPS) ?? [])].filter(
    (word) => word.length >= MIN_SETTING,
  );
  const named = [...line.matchAll(NAMED)].flatMap(([, quoted, told]) => quoted ?? told ?? []);
  const settings = [...new Set([...words, ...named])].slice(0, MAX_SETTINGS);
  const found = settings.flatMap((setting) => {
    const isShort = !words.includes(setting);
    const wanted = plain(setting);
    // A name in capitals is that of a variable itself, and no other one is meant.
    const isOwn = /^[A-Z0-9_]+$/.test(setting);
    const same = environment.filter(
      ({ name, value }) =>
        // A library that speaks for its server has the name of that: "MemCached: expected 'STORED'".
        (isOwn ? name === setting : plain(name) === wanted) &&
        !(line.startsWith(`${setting}: `) && IS_PEER.test(value)),
    );
    // DJANGO_ALLOWED_HOSTS for ALLOWED_HOSTS, which is a setting of the framework.
    const ending =
      isShort || (isOwn && !IN_CAPITALS.test(setting))
        ? []
        : environment.filter(({ name }) => endsWithParts(name, setting));
    const [only, ...more] = same.length > 0 ? same : ending;
    return only === undefined || more.length > 0 ? [] : [{ variable: only, setting }];
  });
  const [first] = found;
  const isOne = found.every(({ variable }) => variable.name === first?.variable.name);
  return first === undefined || !isOne ? undefined : first;
}

/** "dbpoolsize" of DB_POOL_SIZE and db.pool-size. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Whether a name ends with the parts of a setting: APP_DB_POOL_SIZE with db.pool_size, and not with ol_size. */
function endsWithParts(name: string, setting: string): boolean {
  const parts = partsOf(setting);
  const own = partsOf(name);
  return parts.length > 1 && own.length > parts.length && parts.every((part, at) => part === own.at(at - parts.length));
}

function partsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}
