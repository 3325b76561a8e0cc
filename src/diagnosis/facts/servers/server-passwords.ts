/** Compares the password that a container shows with those that its server has by its own specification. Values are never told. Pure. */
import type { Container } from '../../evidence/kinds.ts';
import type { ConfigEvidence, ServerBehind } from '../../evidence/pod-evidence.ts';
import { keyVariables } from '../configs/config-references.ts';
import { credentialMark } from './credential-marks.ts';
import { environmentOf, ofText } from '../variables/environment.ts';

/** Variables and settings that hold a server's own password, and no place or switch. */
const OWN_PASSWORD = /(?:pass(?:word|wd)?|pwd|secret|token)$|requirepass|masterauth/i;
const NO_PASSWORD = /(?:_FILE|_PATH|ALLOW_EMPTY\w*|RANDOM\w*)$/i;
/** "--requirepass s3cret", "requirepass s3cret" in a file */
const IN_TEXT = /(?:^|\s)(?:--)?(requirepass|password)[ =:]{1,3}["']?([^\s"'$]{1,200})/i;
const IN_FILE = /^[ \t]{0,20}requirepass[ \t]{1,8}["']?([^\s"']{1,200})/m;
/** Variables that images read only when they make their data. */
const READ_ONCE = /^(?:POSTGRES|MYSQL|MARIADB|MONGO_INITDB|RABBITMQ_DEFAULT|INFLUXDB|CLICKHOUSE|COUCHDB)_/;
const OWN_USER = /(?:user(?:name)?|login)$/i;
/** Whose password it is, whatever other variables say. */
const OF_ROOT = /(?:^|_)ROOT_PASS(?:WORD)?$/i;
/** PostgreSQL's image makes this user where no variable names one. */
const OF_POSTGRES = /^POSTGRES_PASSWORD$/;
const MAX_TOLD = 2;

interface OwnValue {
  /** "variable POSTGRES_PASSWORD of Secret pg-auth", "its command: its requirepass" */
  readonly text: string;
  readonly name: string;
  readonly mark: string;
}

export interface Shown {
  /** The mark of the password. */
  readonly mark: string;
  /** The user whom the server refuses; absent: it names none. */
  readonly user?: string | undefined;
}

/** "has another one (variable POSTGRES_PASSWORD of Secret pg-auth)"; undefined: its own is not known, is another user's, or is not odd. */
export function passwordBehind({ pod, configs = [] }: ServerBehind, { mark: shown, user }: Shown): string | undefined {
  const values = (pod.spec?.containers ?? []).flatMap((spec) => ownValues(spec, configs));
  const all = values.filter(
    (each) =>
      OWN_PASSWORD.test(each.name) && !NO_PASSWORD.test(each.name) && (user === undefined || isOf(user, each, values)),
  );
  // The one that it was made with may be that of a user whom its script names.
  const isNameless = user !== 'root' && !values.some((each) => OWN_USER.test(each.name));
  const isShown = ({ name, mark }: OwnValue): boolean =>
    mark === shown && OWN_PASSWORD.test(name) && !NO_PASSWORD.test(name) && !OF_ROOT.test(name);
  const same = all.find(({ mark }) => mark === shown) ?? (isNameless ? values.find(isShown) : undefined);
  if (all.length === 0 && (same === undefined || !READ_ONCE.test(same.name))) return undefined;
  if (same === undefined) {
    const texts = [...new Set(all.map(({ text }) => text))];
    return texts.length > MAX_TOLD ? undefined : `has another one (${texts.join(', or ')})`;
  }
  return READ_ONCE.test(same.name)
    ? `has the same one (${same.text}), which it takes only when it makes its data: those may be older`
    : undefined;
}

/** Whether the server's password may be that of the user. */
function isOf(user: string, { name }: OwnValue, values: readonly OwnValue[]): boolean {
  if (OF_ROOT.test(name)) return user === 'root';
  const users = values.filter((each) => OWN_USER.test(each.name));
  if (users.length > 0) return users.some(({ mark }) => mark === credentialMark(user));
  return !OF_POSTGRES.test(name) || user === 'postgres';
}

function ownValues(spec: Container, configs: readonly ConfigEvidence[]): readonly OwnValue[] {
  return [...ofSecrets(spec, configs), ...ofVariables(spec, configs), ...ofCommand(spec), ...ofFiles(configs)];
}

function ofSecrets(spec: Container, configs: readonly ConfigEvidence[]): readonly OwnValue[] {
  const marksOf = (secret: string): Readonly<Record<string, string>> =>
    configs.find(({ kind, name }) => kind === 'Secret' && name === secret)?.marks ?? {};
  const own = keyVariables(spec).flatMap(({ kind, name: secret, key, variable: name }) => {
    const mark = kind === 'Secret' ? marksOf(secret)[key] : undefined;
    return mark === undefined ? [] : [{ name, text: `variable ${name} of Secret ${secret}, key ${key}`, mark }];
  });
  const whole = (spec.envFrom ?? []).flatMap(({ secretRef, prefix = '' }) => {
    const secret = secretRef?.name ?? '';
    return Object.entries(marksOf(secret)).map(([key, mark]) => ({
      name: `${prefix}${key}`,
      text: `variable ${prefix}${key} of Secret ${secret}`,
      mark,
    }));
  });
  return [...own, ...whole];
}

function ofVariables(spec: Container, configs: readonly ConfigEvidence[]): readonly OwnValue[] {
  return environmentOf(spec, configs).flatMap((variable) => {
    const mark = credentialMark(variable.value);
    const text = `variable ${variable.name}${ofText(variable)}`;
    return mark === undefined ? [] : [{ name: variable.name, text, mark }];
  });
}

/** Lines of the server's own files. */
function ofFiles(configs: readonly ConfigEvidence[]): readonly OwnValue[] {
  return configs.flatMap(({ kind, name: config, texts = {} }) =>
    Object.entries(texts).flatMap(([key, text]): readonly OwnValue[] => {
      const value = IN_FILE.exec(text)?.[1];
      const mark = kind !== 'ConfigMap' || value === undefined ? undefined : credentialMark(value);
      return mark === undefined
        ? []
        : [{ name: 'requirepass', text: `ConfigMap ${config}, key ${key}: its requirepass`, mark }];
    }),
  );
}

function ofCommand({ command = [], args = [] }: Container): readonly OwnValue[] {
  const [, name, value] = IN_TEXT.exec([...command, ...args].join(' ').slice(0, 4000)) ?? [];
  const mark = value === undefined ? undefined : credentialMark(value);
  return name === undefined || mark === undefined ? [] : [{ name, text: `its command: its ${name}`, mark }];
}
