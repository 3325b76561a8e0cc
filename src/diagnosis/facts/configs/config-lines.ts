/** Finds the line of a ConfigMap whose number an error names. Pure. */
import { type ConfigFile, configFiles } from './config-files.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { hasWord, quotable } from '../words/text.ts';

export interface ConfigLine extends ConfigFile {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/** "/a.conf:9", "/a.conf[9]", "/a.conf: line 9", "'/a.conf' on line 9", "/a.conf, on or before line 9". */
const AFTER =
  /^(?:["'`\])]{0,2}:(\d{1,6})\b|\[(\d{1,6})\]|["'`\])]{0,2}[:,;]? {0,2}\(?(?:on |at |in |on or before )?line:? ?(\d{1,6})\b)/i;
/** "line 9 of /a.conf" */
const BEFORE = /\bline:? ?(\d{1,6}) (?:of|in) (?:[\w ]{0,30} )?["'`]?$/i;
const ANYWHERE = /\bline:? ?(\d{1,6})\b/gi;
/** Parsers of YAML name the line before or after the one that is meant. */
const IS_INEXACT = /\bya?ml\b/i;

/** The line that an error means, of a file that the ConfigMaps of its container have; undefined: it names none. */
export function lineNamed(facts: PodFacts, container: ContainerFacts, said: string): ConfigLine | undefined {
  if (IS_INEXACT.test(said)) return undefined;
  const found = configFiles(facts, container).find(({ file }) => hasWord(said, file));
  const text = found === undefined ? undefined : textOf(facts, found);
  const number = found === undefined ? undefined : numberFor(said, found.file);
  const line = number === undefined ? undefined : text?.split('\n')[number - 1]?.trim();
  return found === undefined || number === undefined || line === undefined || line === ''
    ? undefined
    : { ...found, number, text: line };
}

function numberFor(said: string, file: string): number | undefined {
  const at = said.indexOf(file);
  const [, a, b, c] = AFTER.exec(said.slice(at + file.length, at + file.length + 40)) ?? [];
  const own = a ?? b ?? c ?? BEFORE.exec(said.slice(Math.max(0, at - 60), at))?.[1];
  if (own !== undefined) return Number(own);
  const all = new Set([...said.matchAll(ANYWHERE)].flatMap(([, each]) => each ?? []));
  return all.size === 1 ? Number([...all][0]) : undefined;
}

/** What the file holds, as far as it was read. */
export function textOf({ evidence }: PodFacts, { origin }: Pick<ConfigFile, 'origin'>): string | undefined {
  const { config, key = '' } = origin ?? {};
  const known = evidence.configs.find(({ kind, name }) => kind === config?.kind && name === config.name);
  return known?.texts?.[key];
}

/** Settings whose values nobody else may see. */
const SECRET = /pass|pwd|\bpw|secret|token|cred|auth|api_?key|private|\bkey\b/i;
const MAX_LINE = 100;

/** 'its line 9 is "directory /var/lib/a"'; undefined where it may hold a secret, or the error has told it. */
export function lineText({ number, text }: ConfigLine, says: string): string | undefined {
  const words = text.split(/[\s=:,;"'`(){}[\]<>]+/).toSorted((a, b) => b.length - a.length);
  const [longest = ''] = words;
  if (SECRET.test(text) || longest.length < 3 || says.includes(longest)) return undefined;
  const flat = quotable(text);
  return `its line ${number} is ${JSON.stringify(flat.length <= MAX_LINE ? flat : `${flat.slice(0, MAX_LINE - 1)}…`)}`;
}
