/** The name of a peer and its database, for a sentence about "its peer", where the line itself names neither. Pure. */
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { configTexts } from '../configs/config-texts.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { surePeer } from './dependencies.ts';
import type { LastWord } from '../words/last-words.ts';
import { namedPeer } from './peer-blame.ts';
import { type PodFacts, podFacts } from '../pod/pod-facts.ts';
import { commandText, peerText, placeText } from './spec-peers.ts';
import { hasWord } from '../words/text.ts';

/** "DB_NAME", "PGDATABASE", "MYSQL_DATABASE", "POSTGRES_DB" */
const DATABASE_VARIABLE = /(?:^|_)(?:DB_?NAME|(?:PG)?DATABASE(?:_?NAME)?|DB)$/i;
/** 'dbname="shop"', "--database shop"; not "dbname=settings.name" */
const DATABASE_IN_CODE = /\b(?:dbname|database|db_name)["']?\s?[=:]\s?["']?([a-z][\w-]{0,62})\b(?![[(.])/gi;
/** "postgres://app:…@db:5432/shop?sslmode=disable"; what stands before an "@" may be of a password. */
const DATABASE_IN_URL =
  /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|sqlserver)(?:\+\w{1,20})?:\/\/[^\s/?#"']{1,300}\/([a-z][\w-]{0,62})(?=[?#\s"'&;]|$)(?![^\s"']{0,300}@)/gi;

/** "[database]\nhost = db\nname = shop", and the same in YAML */
const DATABASE_SECTION =
  /^[^\S\n]*(?:\[(?:database|db|postgres(?:ql)?|mysql)\]|(?:database|db|postgres(?:ql)?|mysql):)[^\S\n]*\n(?:[^\S\n]*\w{1,30}[^\S\n]*[=:][^\n]{0,200}\n){0,6}?[^\S\n]*name[^\S\n]*[=:][^\S\n]*["']?([a-z][\w-]{0,62})\b/gim;

/** "in its peer db:5432 (database shop)", "in its peer db:5432 (by its variable DB_URL)", of a sentence about "its peer" whose line does not name it. */
export function withPeer(means: string, facts: PodFacts, container: ContainerFacts, word: LastWord): string {
  if (!/\bits peer$/.test(means)) return means;
  const named = namedPeer(container, word);
  // What gRPC prints of its peer is not told.
  const isTold = named !== undefined && hasWord(word.line.replace(/ debug_error_string ?= ?".*$/s, ''), named.host);
  if (isTold) return means;
  const database = databaseOf(facts, container);
  const inside = database === undefined || hasWord(word.line, database) ? '' : `database ${database}`;
  if (named !== undefined) return `${means} ${peerText(named)}${inside === '' ? '' : ` (${inside})`}`;
  const peer = surePeer(container);
  if (peer === undefined) return means;
  return `${means} ${peerText(peer)} (by its ${placeText(peer)}${inside === '' ? '' : `, ${inside}`})`;
}

/** The only database that the pod's variables, commands and files name. */
export function databaseNamed(evidence: PodEvidence): string | undefined {
  const facts = podFacts(evidence);
  const [only, ...more] = new Set(facts.containers.flatMap((container) => databaseOf(facts, container) ?? []));
  return more.length > 0 ? undefined : only;
}

/** The only database that its variables, its command or its files name. */
export function databaseOf(facts: PodFacts, container: ContainerFacts): string | undefined {
  const { spec, environment } = container;
  const found = new Set<string>();
  for (const { name, value } of environment) {
    if (DATABASE_VARIABLE.test(name) && /^[a-z][\w-]{0,62}$/i.test(value)) found.add(value);
    for (const [, database = ''] of value.slice(0, 1000).matchAll(DATABASE_IN_URL)) found.add(database);
  }
  for (const text of [commandText(spec, environment), ...configTexts(facts, container).map((each) => each.text)]) {
    for (const pattern of [DATABASE_IN_URL, DATABASE_IN_CODE, DATABASE_SECTION])
      for (const [, database = ''] of text.matchAll(pattern)) found.add(database);
  }
  const [only, ...more] = found;
  return more.length > 0 ? undefined : only;
}
