/** Reads how much memory a container's command and environment allow the heaps of a JVM or of Node.js. */
import type { Quote } from '../../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import { commandText } from '../peers/spec-peers.ts';
import { memoryLimit } from './memory.ts';

/** The part of a program's memory that a setting bounds. */
export type HeapPart = 'java' | 'node' | 'metaspace' | 'direct';

export interface HeapSetting {
  readonly part: HeapPart;
  /** "-Xmx512m", "--max-old-space-size=4096" */
  readonly flag: string;
  /** Absent: a share of a memory limit that the container does not have. */
  readonly bytes?: number;
  /** "env[0] (JAVA_OPTS)", "command" */
  readonly at: string;
  /** "ConfigMap app, key opts", of a variable that has its value from there. */
  readonly of?: string;
}

const MIB = 1024 * 1024;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: MIB, g: 1024 * MIB, t: 1024 * 1024 * MIB };
const FLAGS: readonly (readonly [HeapPart, RegExp])[] = [
  ['java', /(?:^|[\s"'=])(-Xmx(\d+)([kmgt]?))\b/i],
  ['java', /(?:^|[\s"'=])(-XX:MaxHeapSize=(\d+)([kmgt]?))\b/i],
  ['java', /(?:^|[\s"'=])(-XX:MaxRAMPercentage=(\d+(?:\.\d+)?)(%?))/i],
  ['metaspace', /(?:^|[\s"'=])(-XX:MaxMetaspaceSize=(\d+)([kmgt]?))\b/i],
  ['direct', /(?:^|[\s"'=])(-XX:MaxDirectMemorySize=(\d+)([kmgt]?))\b/i],
  ['node', /(?:^|[\s"'=])(--max[-_]old[-_]space[-_]size[= ](\d+))\b/i],
];
/** Variables that programs read such flags from: other values are no settings. */
const VARIABLES = /OPT(?:ION)?S?$|JAVA|JVM|HEAP|ARGS$|FLAGS$/i;

/** The settings of one part, each where a user would change it; the command's come first, as they outdo those of the environment. */
export function heapSettings(container: ContainerFacts, part: HeapPart): readonly HeapSetting[] {
  const { spec, environment } = container;
  const texts: readonly (Pick<HeapSetting, 'at' | 'of'> & { readonly text: string })[] = [
    { at: 'command', text: commandText(spec, []) },
    ...environment.flatMap(({ name, value, at, of }) =>
      VARIABLES.test(name) ? [{ at, ...(of !== undefined && { of }), text: value.slice(0, 2000) }] : [],
    ),
    { at: 'command', text: commandText(spec, environment) },
  ];
  return texts.flatMap(({ text, ...place }) =>
    FLAGS.flatMap(([of, pattern]): readonly HeapSetting[] => {
      const [, flag = '', number = '', unit = ''] = of === part ? (pattern.exec(text) ?? []) : [];
      if (flag === '') return [];
      const bytes = bytesOf(container, flag, Number(number), unit.toLowerCase());
      return [{ part, flag, ...place, ...(bytes !== undefined && { bytes }) }];
    }),
  );
}

function bytesOf(container: ContainerFacts, flag: string, number: number, unit: string): number | undefined {
  if (flag.startsWith('--')) return number * MIB;
  if (!flag.includes('Percentage')) return number * (UNITS[unit] ?? 1);
  const limit = memoryLimit(container);
  return limit === undefined ? undefined : Math.floor((limit.bytes * number) / 100);
}

/** Only the flag is quoted: a variable may hold more than that. */
export function heapQuote({ path }: ContainerFacts, { flag, at }: HeapSetting): Quote {
  return { source: 'field', path: `${path}.${at}`, value: flag };
}
