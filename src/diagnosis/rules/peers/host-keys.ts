/** Rule: a client of SSH does not trust the key of a host: which host, which file of known hosts, and where that comes from. */
import { anyOf } from '../../../log-analysis/index.ts';
import { codeTexts } from '../../facts/variables/code-variables.ts';
import { configFiles } from '../../facts/configs/config-files.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { configsBehind, ofVolumeText, volumeOf } from '../../facts/files/mounts.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { commandText } from '../../facts/peers/spec-peers.ts';
import { quotable } from '../../facts/words/text.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, title } from '../ends/exit-code.ts';

const REFUSED = anyOf(
  /host key verification failed/i,
  /BadHostKeyException|\bHost key for server '?[\w.-]{1,253}'? does not match/i,
  /Server '?[\w.:[\]-]{1,253}'? not found in known_hosts/i,
  /\bknownhosts: key (?:mismatch|is unknown)/i,
  /\b(?:reject|Unknown|Changed)HostKey: /i,
  /Could not verify [`'"]?[\w-]{1,60}[`'"]? host key/i,
  /Host denied \(verification failed\)|\bhostkey (?:verification failed|mismatch)/i,
);
const CHANGED =
  /has changed|identification has changed|does not match|key mismatch|Offending|ChangedHostKey|hostkey mismatch/i;
/** The first group is the host. */
const HOSTS: readonly RegExp[] = [
  /\bHost key for \[?([\w.-]{1,253})\]?(?::\d{1,5})? has changed/i,
  /\bNo [\w-]{1,40} host key is known for \[?([\w.-]{1,253})\]?/i,
  /\bauthenticity of host '\[?([\w.-]{1,253})/i,
  /\bHost key for server '?([\w.-]{1,253})'? does not match/i,
  /\bServer '?\[?([\w.-]{1,253})\]?(?::\d{1,5})?'? not found in known_hosts/i,
  /HostKey: ([\w.-]{1,253})/,
  /\bhost key with fingerprint \S{1,100} for [`'"]?([\w.-]{1,253})/i,
  /\bdial(?:ing)? (?:tcp )?([\w.-]{1,253}):\d{1,5}.{0,200}knownhosts:/i,
];
const FILES: readonly RegExp[] = [
  /\bOffending (?:[\w-]{1,40} )?key (?:for IP )?in (\/[^\s:]{1,300}):(\d{1,7})/,
  /\bAdd correct host key in (\/\S{1,300}) to get rid/,
];
const FILE_OPTION = /\bUserKnownHostsFile[= ]["']?(\/[^\s"',;]{1,300})/;
/** The beginning of a key is enough to know it again. */
const KEY = /\b([A-Za-z0-9+/]{24})[A-Za-z0-9+/]{20,800}={0,2}/g;
/** Lines of the end that are looked at. */
const LINES = 40;

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container)) return NOTHING;
  const word = lastWord(container, REFUSED);
  if (word === undefined) return NOTHING;
  const lines = container.lines.slice(-LINES);
  const host = first(lines, HOSTS)?.[1];
  const named = first(lines, FILES);
  const file = named?.[1] ?? fileOfCommand(container) ?? fileMounted(facts, container);
  const isChanged = [...lines, word.line].some((line) => CHANGED.test(line));
  const mounted = file === undefined ? undefined : volumeOf(facts, container, file);
  const place = `${file ?? 'its known hosts'}${named?.[2] === undefined ? '' : ` (line ${named[2]})`}`;
  const of = mounted === undefined ? '' : `, of volume ${mounted.volume.name}${ofVolumeText(mounted)}`;
  const why = isChanged ? `that is another than ${place} has` : `there is none of it in ${place}`;
  return [
    explainedEnd(facts, container, {
      id: 'host-key-refused',
      rank: rankOfWord(86, word),
      says: `${title(container)} does not trust the host key of ${host ?? 'its SSH server'}, as ${why}${of}: ${quotable(word.line).replace(/\.+$/, '').replace(KEY, '$1…')}`,
      line: word.line,
      more: mounted === undefined ? [] : configsBehind(mounted).map(({ quote }) => quote),
      try: [
        ...(host === undefined ? [] : [`ssh-keyscan ${host}`]),
        commandForLog(facts, container),
        ...facts.commands.edit,
      ],
    }),
  ];
};

export const hostKeys: PodRule = eachContainer(ofContainer);

/** The last match, of the first pattern that has one. */
function first(lines: readonly string[], patterns: readonly RegExp[]): RegExpExecArray | undefined {
  for (const pattern of patterns) {
    const found = lines.map((line) => pattern.exec(line.slice(0, 600))).findLast((match) => match !== null);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** The file of known hosts that it has of a ConfigMap or Secret. */
function fileMounted(facts: PodFacts, container: ContainerFacts): string | undefined {
  const files = configFiles(facts, container).map(({ file }) => file);
  const inCode = codeTexts(facts, container).flatMap(({ lines }) =>
    lines.flatMap((line) => /["'](\/[\w@%+.,/-]{1,200}known_hosts[\w.]{0,20})["']/.exec(line)?.[1] ?? []),
  );
  const found = new Set([...files.filter((file) => /known_?hosts/.test(file)), ...inCode]);
  return found.size === 1 ? [...found][0] : undefined;
}

function fileOfCommand({ spec, environment }: ContainerFacts): string | undefined {
  const text = [commandText(spec, environment), ...environment.map(({ value }) => value.slice(0, 500))].join('\n');
  return FILE_OPTION.exec(text)?.[1];
}
