/** Rule: a database that is a file of the program itself, as SQLite's are, lacks a table or column; no peer has to do with it. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { databaseFile } from '../../facts/servers/database-files.ts';
import { endedByItself, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { placeOf, volumeOf } from '../../facts/files/mounts.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { quotable } from '../../facts/words/text.ts';
import type { RankedFinding } from '../../finding.ts';
import { eachContainer, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, saidBy, title } from './exit-code.ts';

/** SQLite's words. */
export const NO_SUCH_TABLE = /\bno such (?:table|column): /i;

export const ownDatabase: PodRule = eachContainer(ofContainer);

function ofContainer(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const word = endedByItself(container) ? lastWord(container, NO_SUCH_TABLE) : undefined;
  if (word === undefined) return [];
  const { decisive } = container.reading;
  const line = decisive?.line === word.line ? saidBy(decisive) : quotable(word.line);
  const named = databaseFile(facts, container);
  const isMounted = named !== undefined && volumeOf(facts, container, named.file) !== undefined;
  const where = isMounted ? ` ${placeOf(facts, container, named.file).where}` : '';
  const file = named === undefined ? '' : ` ${named.file} (${named.at})${where}`;
  return [
    explainedEnd(facts, container, {
      id: 'missing-data',
      rank: rankOfWord(84, word),
      says: `${title(container)} does not find a table or column that it needs in its database file${file}: ${line.replace(/\.+$/, '')}`,
      line: word.line,
      more: named === undefined ? [] : [named.quote],
      try: [commandForLog(facts, container), ...facts.commands.edit],
    }),
  ];
}
