/** Names the limit that a command or a file sets, behind an error that says that it is used up. Pure. */
import type { RankedFinding } from '../../finding.ts';
import { configTexts } from './config-texts.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { type Setting } from './setting.ts';
import { quotable } from '../words/text.ts';

interface CommandSetting {
  readonly about: RegExp;
  readonly pattern: RegExp;
}

/** Words of a command that bound what an error says is used up. */
const OF_COMMAND: readonly CommandSetting[] = [
  {
    about: /too many open files|\bE[MN]FILE\b/i,
    pattern: /\bulimit (?:-[SH]{0,2}n|-n -[SH]) \d{1,9}|--nofile[= ]\d{1,9}(?::\d{1,9})?/,
  },
  {
    about: /resource temporarily unavailable|can't start new thread|unable to create (?:native )?thread|\bEAGAIN\b/i,
    pattern: /\bulimit -[SH]{0,2}u \d{1,9}/,
  },
  {
    about: /cannot allocate memory|\bENOMEM\b|MemoryError|bad_alloc|out of memory/i,
    pattern: /\bulimit -[SH]{0,2}[vdm] \d{1,12}/,
  },
  { about: /file (?:size|too large)|\bEFBIG\b|SIGXFSZ/i, pattern: /\bulimit -[SH]{0,2}f \d{1,12}/ },
  {
    about: /heap exhausted|heap.{0,40}(?:exhausted|full|out of)/i,
    pattern: /--dynamic-space-size[= ]\S{1,20}|--max-?heap\S{0,20}[= ]\S{1,20}/i,
  },
];

/** The limit that its command sets, or a script that it has of a ConfigMap. */
export function commandLimit(facts: PodFacts, container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  const { spec, path, reading } = container;
  const text = [...(spec.command ?? []), ...(spec.args ?? [])].join(' ').slice(0, 4000);
  const said = `${says}\n${reading.decisive?.line ?? ''}`;
  for (const { about, pattern } of OF_COMMAND) {
    const [found] = about.test(said) ? (pattern.exec(text) ?? []) : [];
    if (found === undefined && about.test(said)) {
      const inFile = ofScript(facts, container, pattern);
      if (inFile !== undefined && !says.includes(inFile.found)) return inFile.setting;
    }
    if (found === undefined || says.includes(found)) continue;
    const field = (spec.command ?? []).some((part) => part.includes(found)) ? 'command' : 'args';
    return {
      says: `its command sets ${quotable(found)}`,
      quotes: [{ source: 'field', path: `${path}.${field}`, value: quotable(found) }],
    };
  }
  return undefined;
}

function ofScript(
  facts: PodFacts,
  container: ContainerFacts,
  pattern: RegExp,
): { readonly found: string; readonly setting: Setting } | undefined {
  for (const { at, text } of configTexts(facts, container)) {
    const line = text.split('\n').find((each) => pattern.test(each) && !/^\s*#/.test(each));
    const found = line === undefined ? undefined : pattern.exec(line)?.[0];
    if (found === undefined) continue;
    const setting: Setting = {
      says: `${at}, sets ${quotable(found)}`,
      quotes: [{ source: 'object', object: at, says: quotable(found) }],
    };
    return { found, setting };
  }
  return undefined;
}

const PHP_LIMIT = /Allowed memory size of \d{1,15} bytes exhausted/;
const PHP_SETTING = /\bmemory_limit\]?\s{0,4}=\s{0,4}["']?(-?\d{1,12}[KMG]?)/i;

/** The memory_limit of a command or of a file. */
export function phpMemory(facts: PodFacts, container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  if (!PHP_LIMIT.test(container.reading.decisive?.line ?? '')) return undefined;
  const command = PHP_SETTING.exec([...(container.spec.command ?? []), ...(container.spec.args ?? [])].join(' '));
  if (command !== null) return { says: `its command sets memory_limit to ${command[1]}`, quotes: [] };
  const found = configTexts(facts, container).flatMap(({ at, text }) => {
    const line = text.split('\n').find((each) => PHP_SETTING.test(each) && !/^\s*;/.test(each));
    const value = line === undefined ? undefined : PHP_SETTING.exec(line)?.[1];
    return value === undefined ? [] : [{ at, value }];
  });
  const [only, ...more] = found;
  if (only === undefined || more.length > 0 || says.includes(only.at)) return undefined;
  const { at, value } = only;
  return {
    says: `${at}, sets memory_limit to ${value}`,
    quotes: [{ source: 'object', object: at, says: `memory_limit = ${value}` }],
  };
}
