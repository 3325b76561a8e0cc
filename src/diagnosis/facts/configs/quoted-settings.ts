/** Finds the configuration in which stands what an error quotes: a setting, a value, a host. Pure. */
import { peerIn } from '../../../log-analysis/index.ts';
import { type ConfigFile, configFiles } from './config-files.ts';
import { textOf } from './config-lines.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { filesOf, originOf } from '../files/mounted-files.ts';
import { configsBehind, volumeOf } from '../files/mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { settingAt } from './setting-names.ts';

export interface QuotedSetting extends ConfigFile {
  /** The only line that has it, counted from 1. */
  readonly line?: number;
  /** The setting of that line, where the error quotes its value only. */
  readonly setting?: string;
}

/** What an error quotes: 'abc', "abc", `abc`, [abc]. */
const QUOTED = /(?<!\w)'([^'\n]{1,200})'(?!\w)|"([^"\n]{1,200})"|`([^`\n]{3,200})`|\[([\w.:/@-]{3,200})\]/g;
/** Names of settings: max_connections, log-level, spring.datasource.url, maxConnections. */
const SETTING = /\b[a-z][a-z0-9]{0,40}(?:[_.-][a-z0-9]{1,40}){1,8}\b|\b[a-z]{2,30}(?:[A-Z][a-z0-9]{1,30}){1,5}\b/g;
const PATH = /(?:^|[\s"'`=:(])((?:\/[\w.@%+-]{1,60}){1,20})(?=["'`\s:,)]|$)/g;
/** "mod_geoip" of /usr/lib/mod_geoip.so: the name of a library without what every library has. */
const LIBRARY = /\/([\w+-]{3,60})\.(?:so(?:\.\d{1,4}){0,3}|dll|dylib|jar)$/;
/** Words that many files have, or that a program says of itself. */
const COMMON =
  /^(?:true|false|yes|none|null|undefined|default|localhost|config(?:uration)?|string|number|object|info|error|warn(?:ing)?|debug|main|data|name|value|type|host|port|user|server|utf-?8|ascii|[\d.]+)$/i;
/** Of one machine. */
const ADDRESS = /^(?!127\.|0\.0\.0\.0$)(?:\d{1,3}\.){3}\d{1,3}$/;
const MAX_WORDS = 20;

/** The only configuration of a ConfigMap with the longest word that the line quotes, and that only one has; undefined: none. */
export function quotedSetting(
  facts: PodFacts,
  container: ContainerFacts,
  said: string,
  among: readonly ConfigFile[] = configFiles(facts, container),
): QuotedSetting | undefined {
  const files = among.flatMap((found) => {
    const text = textOf(facts, found);
    return text === undefined ? [] : [{ found, text }];
  });
  if (files.length === 0) return undefined;
  for (const word of wordsOf(said)) {
    if (word.startsWith('/') && isConfig(facts, container, word)) continue;
    const having = files.filter(({ text }) => hasWhole(text, word));
    const [only, ...more] = having;
    if (only === undefined || more.length > 0) continue;
    const lines = only.text.split('\n').flatMap((text, index) => (hasWhole(text, word) ? [{ text, index }] : []));
    const [line] = lines;
    if (lines.length !== 1 || line === undefined) return only.found;
    const setting = settingAt(line.text, line.text.indexOf(word));
    return { ...only.found, line: line.index + 1, ...(setting !== undefined && { setting }) };
  }
  return undefined;
}

/** Whether its volumes of ConfigMaps and Secrets have the file, as far as that is known: it is told by itself. */
function isConfig(facts: PodFacts, container: ContainerFacts, file: string): boolean {
  const mounted = volumeOf(facts, container, file);
  if (mounted === undefined || configsBehind(mounted).length === 0) return false;
  return filesOf(facts, mounted) === undefined || originOf(facts, mounted, file) !== undefined;
}

/** The longest first: a short one is in many texts. */
function wordsOf(said: string): readonly string[] {
  const quoted = [...said.matchAll(QUOTED)].flatMap(([, a, b, c, d]) => a ?? b ?? c ?? d ?? []);
  const { host } = peerIn(said);
  const settings = said.replaceAll(PATH, ' ').match(SETTING) ?? [];
  const paths = [...said.matchAll(PATH)].flatMap(([, path = '']) => [path, ...(LIBRARY.exec(path)?.slice(1) ?? [])]);
  const all = [...new Set([...quoted, ...paths, ...(host === undefined ? [] : [host]), ...settings])];
  return all
    .filter((word) => word.trim().length > 2 && (!COMMON.test(word) || ADDRESS.test(word)))
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_WORDS);
}

/** "db" is none of "mydb" or "db-main". */
function hasWhole(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const edges = [text[at - 1] ?? ' ', text[at + word.length] ?? ' '];
    if (edges.every((edge) => !/[\w-]/.test(edge))) return true;
  }
  return false;
}
