/** Rule: a program's log says that it ran out of disk space, processes or heap. */
import { endedByItself, lastWord, rankOfWord } from '../facts/last-words.ts';
import { limitQuote, memoryLimit } from '../facts/memory.ts';
import { volumeOf } from '../facts/mounts.ts';
import { fileIn } from '../../log-analysis/index.ts';
import type { PodFacts } from '../facts/pod-facts.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { type ContainerRule, eachContainer, type PodRule } from '../rule.ts';
import { argumentsOf, commandForLog, explainedEnd, title } from './exit-code.ts';

const NO_SPACE = /no space left on device|ENOSPC|disk quota exceeded/i;
const NO_PROCESS =
  /(?:fork|clone|pthread_create|thread)\b.*(?:resource temporarily unavailable|EAGAIN)|unable to create (?:new )?native thread|can't start new thread|newosproc|failed to create new OS thread/i;
const FULL_HEAP =
  /OutOfMemoryError: (?:Java heap|GC overhead|Metaspace|Direct buffer)|heap out of memory|Allowed memory size of \d+ bytes exhausted|^MemoryError\b|^fatal error: (?:runtime: )?out of memory/;

const noSpace: ContainerRule = (facts, container) => {
  const word = endedByItself(container) ? lastWord(container, NO_SPACE) : undefined;
  if (word === undefined) return [];
  const file = fileIn(word.line);
  const mounted = file === undefined ? undefined : volumeOf(facts, container, file);
  const limit = mounted?.volume.emptyDir?.sizeLimit;
  const quote: readonly Quote[] =
    mounted?.volume.emptyDir === undefined
      ? []
      : [{ source: 'field', path: `${mounted.path}.emptyDir`, value: JSON.stringify(mounted.volume.emptyDir) }];
  const where = mounted === undefined ? '' : ` in volume ${mounted.volume.name}`;
  const finding = explainedEnd(facts, container, {
    id: 'no-space',
    rank: rankOfWord(85, word),
    says: `${title(container)} cannot write${file === undefined ? '' : ` ${file}`}: no space is left${where}`,
    line: word.line,
    more: quote,
    try: limit === undefined ? [...onNode(facts), ...facts.commands.edit] : facts.commands.edit,
  });
  return [finding];
};

const noProcess: ContainerRule = (facts, container): readonly RankedFinding[] => {
  const word = endedByItself(container) ? lastWord(container, NO_PROCESS) : undefined;
  if (word === undefined) return [];
  const finding = explainedEnd(facts, container, {
    id: 'too-many-processes',
    rank: rankOfWord(85, word),
    says: `${title(container)} cannot start one more process or thread: its pod, its user or its node has as many as it may`,
    line: word.line,
    try: onNode(facts),
  });
  return [finding];
};

/** The program ended itself at the heap limit of its own language runtime; the kernel did not kill it. */
const fullHeap: ContainerRule = (facts, container): readonly RankedFinding[] => {
  const word = endedByItself(container) ? lastWord(container, FULL_HEAP) : undefined;
  if (word === undefined) return [];
  const finding = explainedEnd(facts, container, {
    id: 'heap-exhausted',
    rank: rankOfWord(85, word),
    says: `${title(container)} gives up: the heap that it allows itself is full (its own setting, or a share of its memory limit)`,
    line: word.line,
    more: [...limitQuote(memoryLimit(container)), ...argumentsOf(container)],
    try: [commandForLog(facts, container), ...facts.commands.edit],
  });
  return [finding];
};

export const exhausted: PodRule = eachContainer((facts, container) => [
  ...noSpace(facts, container),
  ...noProcess(facts, container),
  ...fullHeap(facts, container),
]);

function onNode({ commands, pod }: PodFacts): readonly string[] {
  const node = pod.spec?.nodeName;
  return node === undefined ? [] : [commands.whyNode(node)];
}
