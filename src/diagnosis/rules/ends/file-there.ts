/** A file of a ConfigMap or Secret that is there, and that an error about something missing names: what it names is not there. Not a rule by itself. */
import { type ConfigFile, fileAt, isCode } from '../../facts/configs/config-files.ts';
import { lineNamed, textOf } from '../../facts/configs/config-lines.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { type LastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { configsBehind, placeOf, volumeOf } from '../../facts/files/mounts.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { quotable } from '../../facts/words/text.ts';
import type { RankedFinding } from '../../finding.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';

/** The file of the volume, if that has it. */
function there(facts: PodFacts, container: ContainerFacts, file: string): ConfigFile | undefined {
  const mounted = volumeOf(facts, container, file);
  if (mounted === undefined || configsBehind(mounted).length === 0) return undefined;
  const found = fileAt(facts, mounted, file);
  return found.origin?.config === undefined ? undefined : found;
}

/** The system says of a script, too, that it is not there, where the program is not there that its first line names. */
export function isScriptThere(facts: PodFacts, container: ContainerFacts, { line }: LastWord, file: string): boolean {
  return (
    isCode(file) && !/\b(?:open|read|load|includ|import)/i.test(line) && there(facts, container, file) !== undefined
  );
}

/** ", which has it now": a file that was not there, and has been put into its ConfigMap or Secret since. */
export function hasItNow(facts: PodFacts, container: ContainerFacts, file: string): string {
  return there(facts, container, file) === undefined ? '' : ', which has it now';
}

/** The finding about what the file names; undefined: the volume does not have it, or the error says plainly that it was not there. */
export function aboutContent(
  facts: PodFacts,
  container: ContainerFacts,
  word: LastWord,
  file: string,
): RankedFinding | undefined {
  const found = there(facts, container, file);
  if (found === undefined || isOfItself(word, file)) return undefined;
  const line = quotable(word.line).replace(/\.+$/, '');
  return explainedEnd(facts, container, {
    id: 'missing-setting',
    rank: rankOfWord(80, word),
    says: `${title(container)} does not find ${missing(facts, container, found, word.line)}: ${line}`,
    line: word.line,
    more: configsBehind(found.mounted).map(({ quote }) => quote),
    try: [commandForLog(facts, container), ...facts.commands.edit],
  });
}

/** What may stand between a file and the words that it is not there: "open /a: no such file", "/a (No such file or directory)". */
const BETWEEN =
  /^["'`\])]{0,2}[:,;]? {0,2}[("'`[]{0,2}(?:\(?(?:\[?Errno )?\d{1,4}[\]):]* ?)?(?:(?:the )?(?:system )?(?:file|directory)? ?(?:was |is |could |does )?)$/i;

/** Whether the words are about the file itself; what follows them names it. */
function isOfItself({ line, match }: LastWord, file: string): boolean {
  const at = line.lastIndexOf(file, match.index);
  return at === -1 || BETWEEN.test(line.slice(at + file.length, match.index));
}

const PATH_IN_LINE = /(?:^|[\s"'=:,(])(\/[\w@%+.,~-]{1,255}(?:\/[\w@%+.,~-]{1,255}){0,20}\/?)(?=["')\s,;]|$)/g;
/** "myid file is missing", "no such file: extra.conf" */
const BY_NAME =
  /["'`(: ]([\w-]{2,60}(?:\.[\w-]{1,12}){0,3})["'`]? file (?:is|was) (?:missing|not found)|(?:missing|no such|cannot find|can't find|could not find) (?:the )?file:? ["'`]?([\w-]{1,60}(?:\.[\w-]{1,12}){1,3})/i;

/** "/var/lib/a in volume data (claim a), which line 9 of its configuration /etc/a.conf names" */
function missing(facts: PodFacts, container: ContainerFacts, found: ConfigFile, said: string): string {
  const line = lineNamed(facts, container, said);
  const [path, ...more] = [...(line?.text ?? '').matchAll(PATH_IN_LINE)].flatMap(([, each]) => each ?? []);
  if (line !== undefined && path !== undefined && more.length === 0)
    return `${path} ${placeOf(facts, container, path).where}, which line ${line.number} of its configuration ${found.file} names`;
  const name = BY_NAME.exec(said)
    ?.slice(1)
    .find((each) => each !== undefined);
  if (name !== undefined)
    return `its file ${name}, for which it read its configuration ${found.file}${folderText(facts, container, found)}`;
  return `what its configuration ${found.file} names`;
}

const FOLDER =
  /^[ \t]*["']?([\w.-]{0,40}(?:dir|directory|folder|home|root|path))["']?[ \t]*[:= \t][ \t]*["']?(\/[\w@%+.,~/-]{1,255})["']?,?;?[ \t\r]*$/gim;

/** " (dataDir is /data, in volume data)": the only folder that it sets. */
function folderText(facts: PodFacts, container: ContainerFacts, found: ConfigFile): string {
  const [only, ...more] = [...(textOf(facts, found) ?? '').matchAll(FOLDER)];
  const [, name = '', folder = ''] = only ?? [];
  return only === undefined || more.length > 0
    ? ''
    : ` (${name} is ${folder}, ${placeOf(facts, container, folder).where})`;
}
