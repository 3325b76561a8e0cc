/** Rule: a program gave up because a part of its own memory is full, which the kernel had no part in. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { type HeapPart, type HeapSetting, heapQuote, heapSettings } from '../../facts/pod/heap-setting.ts';
import { endedByItself, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { limitQuote, memoryLimit } from '../../facts/pod/memory.ts';
import { placeText } from '../../facts/peers/spec-peers.ts';
import { formatBytes } from '../../facts/words/text.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { argumentsOf, commandForLog, explainedEnd, title } from './exit-code.ts';

interface Full {
  readonly pattern: RegExp;
  /** "its Java heap" */
  readonly what: string;
  /** Absent: no flag of the command line bounds it. */
  readonly part?: HeapPart;
  /** The bound without a setting. */
  readonly byDefault?: (limitBytes: number | undefined) => string;
}

const ofLimit =
  (text: string, share: number) =>
  (limit: number | undefined): string =>
    limit === undefined
      ? `${text} of its node's memory`
      : `${text} of its memory limit: ${formatBytes(Math.floor(limit * share))}`;

const FULL: readonly Full[] = [
  {
    pattern: /OutOfMemoryError: (?:Java heap space|GC overhead limit exceeded)/,
    what: 'its Java heap is full',
    part: 'java',
    byDefault: ofLimit('by default a quarter', 0.25),
  },
  {
    pattern: /OutOfMemoryError: (?:Metaspace|Compressed class space)/,
    what: "the JVM's room for classes (metaspace) is full, and not its heap",
    part: 'metaspace',
  },
  {
    pattern: /OutOfMemoryError: (?:Direct buffer memory|Cannot reserve \d+ bytes of direct buffer memory)/,
    what: "the JVM's memory for direct buffers is full, and not its heap",
    part: 'direct',
  },
  {
    pattern: /OutOfMemoryError: Requested array size exceeds VM limit/,
    what: 'it asks for one array that is larger than any JVM allows',
  },
  {
    pattern: /heap out of memory|FATAL ERROR: Reached heap limit/,
    what: 'its JavaScript heap is full',
    part: 'node',
  },
  {
    pattern: /Allowed memory size of \d+ bytes exhausted/,
    what: "its script has used up PHP's memory_limit",
  },
  {
    pattern: /^MemoryError\b|^fatal error: (?:runtime: )?out of memory/,
    what: 'it is given no more memory (a limit of its own, or of its address space)',
  },
];

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container)) return NOTHING;
  for (const full of FULL) {
    const word = lastWord(container, full.pattern);
    if (word === undefined) continue;
    const [setting] = full.part === undefined ? [] : heapSettings(container, full.part);
    return [
      explainedEnd(facts, container, {
        id: 'heap-exhausted',
        rank: rankOfWord(85, word),
        says: `${title(container)} gives up: ${full.what}${bound(container, full, setting)}`,
        line: word.line,
        more: [
          ...(setting === undefined ? argumentsOf(container) : [heapQuote(container, setting)]),
          ...limitQuote(memoryLimit(container)),
        ],
        try: [commandForLog(facts, container), ...facts.commands.edit],
      }),
    ];
  }
  return NOTHING;
};

export const heap: PodRule = eachContainer(ofContainer);

/** " (-Xmx512m, 512Mi of its memory limit of 1Gi)" */
function bound(container: ContainerFacts, { byDefault }: Full, setting: HeapSetting | undefined): string {
  const limit = memoryLimit(container);
  if (setting === undefined) {
    if (byDefault !== undefined) return ` (${byDefault(limit?.bytes)})`;
    return limit === undefined ? '' : ` (its memory limit is ${limit.text})`;
  }
  const of = limit === undefined ? '' : `, with a memory limit of ${limit.text}`;
  const place = setting.at === 'command' && setting.of === undefined ? '' : ` of its ${placeText(setting)}`;
  return ` (${setting.flag}${place}${of})`;
}
