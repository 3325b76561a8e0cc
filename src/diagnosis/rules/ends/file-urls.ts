/** Rule: a program cannot open a database file that its error does not name, and that a variable, an argument or a configuration of it does. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { databaseFile } from '../../facts/servers/database-files.ts';
import { endedByItself, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { type MountedVolume, volumeOf } from '../../facts/files/mounts.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { commandText } from '../../facts/peers/spec-peers.ts';
import { quotable } from '../../facts/words/text.ts';
import { fileIn } from '../../../log-analysis/index.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';
import { keptFrom } from './permissions.ts';

const CANNOT_OPEN =
  /(?:unable|failed|cannot|can't|could not|couldn't) (?:to )?open (?:the |its )?database\b|\bSQLITE_(?:CANTOPEN|READONLY)\b|attempt to write a readonly database|database is read-?only|\berror opening database\b/i;
const IS_READ_ONLY = /read-?only|READONLY/i;

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container)) return NOTHING;
  const word = lastWord(container, CANNOT_OPEN);
  if (word === undefined || fileIn(word.line.replace(/https?:\/\/\S+/g, '')) !== undefined) return NOTHING;
  const named = databaseFile(facts, container);
  if (named === undefined) return NOTHING;
  const { file, at, quote } = named;
  const isReadOnly = IS_READ_ONLY.test(word.line);
  return [
    explainedEnd(facts, container, {
      id: 'permission-denied',
      rank: rankOfWord(85, word),
      says: `${title(container)} cannot ${isReadOnly ? 'write' : 'open'} its database ${file} (${at})${whereText(facts, container, file)}: ${quotable(word.line).replace(/\.+$/, '')}`,
      line: word.line,
      more: [quote],
      try: [commandForLog(facts, container), ...facts.commands.edit],
    }),
  ];
};

export const fileUrls: PodRule = eachContainer(ofContainer);

/** The volume, its user and mode; without a volume, that its folder may not be there. */
function whereText(facts: PodFacts, container: ContainerFacts, file: string): string {
  const kept = keptFrom(facts, container, file);
  if (kept !== '') return kept;
  const mounted = volumeOf(facts, container, file);
  if (mounted !== undefined) return ` in volume ${mounted.volume.name}${emptyFolderText(facts, mounted, file)}`;
  const user = container.spec.securityContext?.runAsUser ?? facts.pod.spec?.securityContext?.runAsUser;
  const folder = file.slice(0, file.lastIndexOf('/')) || '/';
  return user === undefined || user === 0
    ? `, whose folder ${folder} has to be there`
    : ` as user ${user}, whose folder ${folder} of the image has to be there and that user's`;
}

/** A folder below the place of an emptyDir is not there until something makes it. */
function emptyFolderText({ pod }: PodFacts, { volume, mountPath }: MountedVolume, file: string): string {
  const folder = file.slice(0, file.lastIndexOf('/'));
  const root = mountPath.replace(/\/+$/, '');
  const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const makes = all.some((each) => /\bmkdir\b|\binstall -d\b|\btar\b|\bcp -\w*[ra]/.test(commandText(each)));
  const isBelow = folder.startsWith(`${root}/`);
  return volume.emptyDir === undefined || !isBelow || makes
    ? ''
    : `, an emptyDir, which is empty at first: nothing makes its folder ${folder}`;
}
