/** Rule: a program's log says that it ran out of disk space, processes or watched files. */
import { anyOf } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, type LastWord, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { type MountedVolume, volumeOf } from '../../facts/files/mounts.ts';
import { fileIn } from '../../../log-analysis/index.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { fillsSharedMemory, sharedMemoryVolume } from '../../facts/pod/shared-memory.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { type ContainerRule, eachContainer, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';
import { type FullAtServer, fullAtServer } from './full-at-server.ts';
import { SHARED_MEMORY_FULL } from './shared-memory.ts';

const NO_SPACE =
  /no space left on device|ENOSPC|disk quota exceeded|database or disk is full|\berror (?:number )?28\b|errno: ?28\b|insufficient shared memory \(shm\)|raise your shared memory limit/i;
const NO_PROCESS = new RegExp(
  [
    String.raw`(?:\bfork|clone|pthread_create|\bthread\b|spawn\w*)\b.*(?:resource temporarily unavailable|\bEAGAIN\b)`,
    String.raw`unable to create (?:new )?native thread|can't start new thread|newosproc|failed to create new OS thread`,
    String.raw`pthread_create failed|could not fork|unable to fork|fork failed|no more OS threads|Could not create G1\w+Thread`,
    String.raw`Can't create (?:a )?(?:new )?thread\b|BlockingIOError: \[Errno 11\]`,
  ].join('|'),
  'i',
);
/** Python says the same of a read that would wait. */
const FORKS = /_fork_exec|\bos\.fork|subprocess\.py|multiprocessing/;
const WATCHES = anyOf(
  /system limit for number of file watchers/i,
  /\binotify\b.*(?:no space left|too many open files|limit|EMFILE|ENOSPC)/i,
  /(?:no space left|too many open files|limit|EMFILE|ENOSPC).*\binotify\b/i,
  /fsnotify.*too many open files/i,
  /max_user_(?:watches|instances)/i,
);

const noSpace: ContainerRule = (facts, container) => {
  const word = endedByItself(container) ? lastWord(container, NO_SPACE) : undefined;
  if (word === undefined || WATCHES.test(word.line) || SHARED_MEMORY_FULL.test(word.line)) return [];
  const file = fileIn(word.line);
  const atServer = fullAtServer(facts, container, word.line, file);
  if (atServer !== undefined) return [fullBehind(facts, container, word, atServer)];
  const shared = fillsSharedMemory(facts, container, { line: word.line, file });
  if (shared !== undefined) return [sharedMemoryFull(facts, container, word, shared)];
  const mounted = file === undefined ? onlySmallVolume(facts, container) : volumeOf(facts, container, file);
  const limit = mounted?.volume.emptyDir?.sizeLimit;
  const quote: readonly Quote[] =
    mounted?.volume.emptyDir === undefined
      ? []
      : [{ source: 'field', path: `${mounted.path}.emptyDir`, value: JSON.stringify(mounted.volume.emptyDir) }];
  const perhaps = file === undefined ? 'perhaps ' : '';
  const inMemory = mounted?.volume.emptyDir?.medium === 'Memory' ? ' in memory' : '';
  const where =
    mounted === undefined
      ? ''
      : ` ${perhaps}in volume ${mounted.volume.name}${inMemory}${sizeOf(facts, mounted)}${file === undefined ? `, at ${mounted.mountPath}` : ''}`;
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

function fullBehind(
  facts: PodFacts,
  container: ContainerFacts,
  word: LastWord,
  { says, object }: FullAtServer,
): RankedFinding {
  return explainedEnd(facts, container, {
    id: 'no-space',
    rank: rankOfWord(86, word),
    says: `${title(container)} ${container.again === undefined ? 'ends' : 'fails'}, as ${says}`,
    line: word.line,
    try: [...(object === undefined ? [] : [facts.commands.mendlet('why', object)]), commandForLog(facts, container)],
  });
}

function sharedMemoryFull(
  facts: PodFacts,
  container: ContainerFacts,
  word: LastWord,
  how: 'sure' | 'perhaps',
): RankedFinding {
  const says =
    how === 'sure'
      ? 'cannot write to its shared memory /dev/shm: no space is left in the 64Mi that it has without a volume there'
      : 'cannot write, perhaps to its shared memory /dev/shm: no space is left, and that has 64Mi without a volume there';
  return explainedEnd(facts, container, {
    id: 'no-space',
    rank: rankOfWord(85, word),
    says: `${title(container)} ${says}`,
    line: word.line,
    try: facts.commands.edit,
    manifest: sharedMemoryVolume(container.name),
  });
}

/** The only volume of the container whose size is bounded and which it may write, when its log does not say what is full. */
function onlySmallVolume(facts: PodFacts, { spec }: ContainerFacts): MountedVolume | undefined {
  const bounded = (spec.volumeMounts ?? []).flatMap(({ name, mountPath, readOnly }): readonly MountedVolume[] => {
    const index = (facts.pod.spec?.volumes ?? []).findIndex((volume) => volume.name === name);
    const volume = facts.pod.spec?.volumes?.[index];
    const { emptyDir, persistentVolumeClaim } = volume ?? {};
    const isBounded = emptyDir?.sizeLimit !== undefined || emptyDir?.medium === 'Memory' || persistentVolumeClaim;
    return volume === undefined || !isBounded || readOnly === true
      ? []
      : [{ volume, path: `spec.volumes[${index}]`, mountPath }];
  });
  return bounded.length === 1 ? bounded[0] : undefined;
}

const noProcess: ContainerRule = (facts, container): readonly RankedFinding[] => {
  const word = endedByItself(container) ? lastWord(container, NO_PROCESS) : undefined;
  if (word === undefined) return [];
  if (word.line.includes('BlockingIOError') && !container.lines.some((line) => FORKS.test(line))) return [];
  const finding = explainedEnd(facts, container, {
    id: 'too-many-processes',
    rank: rankOfWord(85, word),
    says: `${title(container)} cannot start one more process or thread: its pod, its user or its node has as many as it may`,
    line: word.line,
    try: onNode(facts),
  });
  return [finding];
};

/** The kernel's limits of watched files, which count for all containers of one user on the node. */
const watches: ContainerRule = (facts, container): readonly RankedFinding[] => {
  const word = endedByItself(container) ? lastWord(container, WATCHES) : undefined;
  if (word === undefined) return [];
  const setting = /instance|too many open files|EMFILE/i.test(word.line) ? 'max_user_instances' : 'max_user_watches';
  const node = facts.pod.spec?.nodeName;
  const finding = explainedEnd(facts, container, {
    id: 'too-many-watches',
    rank: rankOfWord(88, word),
    says: `${title(container)} may not watch more files: fs.inotify.${setting} of ${node === undefined ? 'its node' : `node ${node}`}, which all containers of its user share, is used up (no disk is full)`,
    line: word.line,
    try: [...onNode(facts), ...facts.commands.edit],
  });
  return [finding];
};

export const exhausted: PodRule = eachContainer((facts, container) => [
  ...noSpace(facts, container),
  ...noProcess(facts, container),
  ...watches(facts, container),
]);

function onNode({ commands, pod }: PodFacts): readonly string[] {
  const node = pod.spec?.nodeName;
  return node === undefined ? [] : [commands.whyNode(node)];
}

/** ", of 1Gi": the size that the volume was given. */
function sizeOf({ evidence }: PodFacts, { volume }: MountedVolume): string {
  const claim = evidence.claims.find(({ name }) => name === volume.persistentVolumeClaim?.claimName)?.claim;
  const size = volume.emptyDir?.sizeLimit ?? claim?.status?.capacity?.['storage'];
  return size === undefined ? '' : `, of ${size}`;
}
