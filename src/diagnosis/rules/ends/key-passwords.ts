/** Rule: a program cannot open a key or a key store, because the password for it is wrong: which file, and where the password comes from. */
import { anyOf, fileIn } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, lastWord, linesAround, rankOfWord } from '../../facts/words/last-words.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { quotable } from '../../facts/words/text.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, saidBy, title } from './exit-code.ts';

const WRONG = anyOf(
  /keystore password was incorrect/i,
  /keystore was tampered with, or password was incorrect/i,
  /cannot recover key\b/i,
  /decryption password incorrect/i,
  /\b(?:bad|incorrect|wrong|invalid) pass ?phrase\b/i,
  /::bad (?:decrypt|password read)/i,
  /:bad (?:decrypt|password read)/i,
  /\bmac verify (?:failure|error)\b/i,
  /\bmaybe wrong password\b/i,
  /\bnetwork password is not correct\b/i,
  /\binvalid password or pkcs ?#?12 data\b/i,
  /\b(?:incorrect|wrong|bad) password\b.{0,60}\b(?:decrypt|private key|key ?store|pkcs)/i,
);

/** Files of keys, by their names. */
const KEY_FILE = /\/[\w@%+=.,~-]{1,100}(?:\/[\w@%+=.,~-]{1,100}){0,20}\.(?:p12|pfx|jks|jceks|keystore|ks|pem|key)\b/g;
/** Variables that hold the password of a key. */
const OF_KEYS = /(?:key|ssl|tls|cert|p12|pfx|jks|pem|trust)\w{0,40}pass|pass\w{0,40}(?:key|cert|tls|ssl)/i;

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container)) return NOTHING;
  const word = lastWord(container, WRONG);
  if (word === undefined) return NOTHING;
  const file = fileOf(facts, container, linesAround(container, word));
  const source = sourceOf(container);
  const { decisive } = container.reading;
  const said = decisive?.line === word.line ? saidBy(decisive) : quotable(word.line).replace(/\.+$/, '');
  return [
    explainedEnd(facts, container, {
      id: 'key-password-wrong',
      rank: rankOfWord(86, word),
      says: `${title(container)} cannot open ${file ?? 'its key'}, because the password for it is wrong${source === undefined ? '' : ` (${source})`}: ${said}`,
      line: word.line,
      try: [commandForLog(facts, container), ...facts.commands.edit],
    }),
  ];
};

export const keyPasswords: PodRule = eachContainer(ofContainer);

/** The file that the log names, else the only one that command, variables and ConfigMaps name. */
function fileOf(
  { evidence }: PodFacts,
  { spec, environment }: ContainerFacts,
  lines: readonly string[],
): string | undefined {
  const named = lines
    .slice(0, 3)
    .map((line) => fileIn(line))
    .find((file) => file !== undefined && isKeyFile(file));
  if (named !== undefined) return named;
  const texts = [
    ...(spec.command ?? []),
    ...(spec.args ?? []),
    ...environment.map(({ value }) => value),
    ...evidence.configs.flatMap(({ kind, texts: own = {} }) => (kind === 'ConfigMap' ? Object.values(own) : [])),
  ];
  const found = new Set(texts.flatMap((text) => text.match(KEY_FILE) ?? []));
  const [only] = found;
  return found.size === 1 ? only : undefined;
}

function isKeyFile(file: string): boolean {
  return file.match(KEY_FILE)?.[0] === file;
}

/** "variable KEYSTORE_PASSWORD of Secret tls, key password" */
function sourceOf({ spec }: ContainerFacts): string | undefined {
  const found = (spec.env ?? []).flatMap(({ name, valueFrom }) => {
    if (!OF_KEYS.test(name)) return [];
    const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
    const ref = secretKeyRef ?? configMapKeyRef;
    const of =
      ref === undefined
        ? ''
        : ` of ${secretKeyRef === undefined ? 'ConfigMap' : 'Secret'} ${ref.name ?? ''}, key ${ref.key}`;
    return [`variable ${name}${of}`];
  });
  return found.length === 1 ? found[0] : undefined;
}
