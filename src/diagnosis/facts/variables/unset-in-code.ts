/** Finds the variable that a container's code reads and its pod does not set, where the pod sets one that is nearly named so. Pure. */
import { nearNames } from '../../../lib/index.ts';
import { type CodeRead, type CodeText, variablesMentioned, variablesRead } from './code-variables.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { hasWord } from '../words/text.ts';
import { isOfShell, namesSet } from './unset-variables.ts';

export interface Misnamed {
  /** What the code reads. */
  readonly name: string;
  /** What the pod sets instead; absent: nothing alike. */
  readonly instead?: string;
}

/** Words for one thing in the names of variables. */
const ALIKE: readonly ReadonlySet<string>[] = [
  new Set(['URL', 'URI', 'DSN', 'ADDR', 'ADDRESS', 'HOST', 'HOSTNAME', 'ENDPOINT', 'SERVER', 'CONNECTION', 'CONN']),
  new Set(['PASSWORD', 'PASS', 'PASSWD', 'PWD', 'PW']),
  new Set(['USER', 'USERNAME', 'LOGIN']),
  new Set(['KEY', 'TOKEN', 'SECRET']),
  new Set(['DB', 'DATABASE', 'PG', 'POSTGRES', 'POSTGRESQL', 'MYSQL', 'MARIADB']),
  new Set(['DIR', 'FOLDER', 'PATH', 'DIRECTORY']),
  new Set(['FILE', 'PATH']),
];
const MIN_COMPARED = 5;

/**
 * The only variable that the code reads, nothing sets, and whose near name is set and read by nobody; undefined: none, or more than one.
 *
 * @param said what the finding quotes; a name that is alike only in its meaning must have to do with it
 */
export function misnamedVariable(
  facts: PodFacts,
  container: ContainerFacts,
  texts: readonly CodeText[],
  said: readonly string[],
): Misnamed | undefined {
  const set = namesSet(facts, container);
  if (set === undefined || texts.length === 0) return undefined;
  const mentioned = variablesMentioned(texts);
  const isOwn = (name: string): boolean => set.has(name) || isOfShell(name);
  const lacked = [...mentioned].filter((name) => !isOwn(name) && !isAssigned(texts, name));
  const unread = [...set].filter((name) => !mentioned.has(name) && !isUsed(texts, name));
  const typos = pairs(lacked, unread, isTypo);
  const found =
    typos.length > 0 ? typos : pairs(lacked, unread, isAlike).filter(({ name }) => isAbout(name, texts, said));
  return found.length === 1 ? found[0] : undefined;
}

/** The only variable that the code reads without a default and that nothing sets; undefined: there is none, or more than one. */
export function onlyUnset(
  facts: PodFacts,
  container: ContainerFacts,
  texts: readonly CodeText[],
): CodeRead | undefined {
  const set = namesSet(facts, container);
  if (set === undefined) return undefined;
  const unset = variablesRead(texts).filter(
    ({ name, hasDefault }) => !hasDefault && !set.has(name) && !isOfShell(name) && !isAssigned(texts, name),
  );
  return new Set(unset.map(({ name }) => name)).size === 1 ? unset[0] : undefined;
}

function pairs(
  lacked: readonly string[],
  unread: readonly string[],
  isNear: (name: string, other: string) => boolean,
): readonly Misnamed[] {
  return lacked.flatMap((name) => {
    const near = unread.filter((other) => isNear(name, other));
    return near.length === 1 ? near.map((instead) => ({ name, instead })) : [];
  });
}

/** "REDIS_ADRR" for "REDIS_ADDR", "BATCHSIZE" for "BATCH_SIZE". */
function isTypo(name: string, other: string): boolean {
  if (plain(name) === plain(other)) return true;
  if (name.length < MIN_COMPARED || Math.abs(name.length - other.length) > 2) return false;
  // "DB_HOST1" and "DB_HOST2" are two of a kind, and "DB_USER" is not nearly "DB_USE".
  if (/\d$/.test(name) || /\d$/.test(other)) return false;
  const isPart = name.includes(other) || other.includes(name);
  return !isPart && nearNames(name, [other], name.length >= 10 ? 5 : 6).length > 0;
}

/** "QUEUE_URI" for "QUEUE_URL", "TOPIC_NAME" for "TOPIC", "STRIPE_API_KEY" for "STRIPE_KEY", "DB_PASSWORD" for "DATABASE_PASS". */
function isAlike(name: string, other: string): boolean {
  const [a, b] = [name.split('_'), other.split('_')];
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length < long.length) {
    const isWithin = long.some((_, left) => short.join('_') === long.filter((_part, at) => at !== left).join('_'));
    return isWithin && short.join('_').length >= MIN_COMPARED - 1;
  }
  const isSame = (part: string, at: number): boolean =>
    part === b[at] || ALIKE.some((all) => all.has(part) && all.has(b[at] ?? ''));
  return a.length > 1 && a.every((part, at) => isSame(part, at));
}

/** Whether what is said has to do with the variable: it has a part of its name, or the default that the code has for it. */
function isAbout(name: string, texts: readonly CodeText[], said: readonly string[]): boolean {
  const parts = name.split('_').filter((part) => part.length > 2);
  const text = said.join('\n');
  if (parts.some((part) => new RegExp(String.raw`(?<![a-z])${part}(?![a-z])`, 'i').test(text))) return true;
  const defaults = texts.flatMap(({ lines }) =>
    lines.filter((line) => hasWord(line, name)).flatMap((line) => [...line.matchAll(/["'`]([^"'`\n]{4,80})["'`]/g)]),
  );
  return defaults.some(
    ([, value = '']) => value !== name && (text.includes(value) || text.includes(loopbackPort(value) ?? value)),
  );
}

/** "127.0.0.1:5672", as programs print the "localhost:5672" of a default. */
function loopbackPort(value: string): string | undefined {
  const port = /\blocalhost:(\d{2,5})\b/.exec(value)?.[1];
  return port === undefined ? undefined : `127.0.0.1:${port}`;
}

function plain(name: string): string {
  return name.replaceAll('_', '').toUpperCase();
}

/** Whether the code uses the name in another way: "$REDIS_URL" of a shell. */
function isUsed(texts: readonly CodeText[], name: string): boolean {
  return texts.some(({ lines }) => lines.some((line) => hasWord(line, name)));
}

function isAssigned(texts: readonly CodeText[], name: string): boolean {
  return texts.some(({ lines }) => lines.some((line) => line.includes(`${name}=`) || line.includes(`["${name}"] =`)));
}
