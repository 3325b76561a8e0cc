/** Rule: a container was killed for memory at its own limit or the node's, or survived the kill of a child process. */
import { type ContainerFacts } from '../../facts/pod/container-facts.ts';
import { type Death, isOutOfMemory, quoteDeath } from '../../facts/pod/deaths.ts';
import { type HeapSetting, heapQuote, heapSettings } from '../../facts/pod/heap-setting.ts';
import { quoteLastLines } from '../../facts/words/last-words.ts';
import { largerLimit, limitQuote, type MemoryLimit, memoryLimit } from '../../facts/pod/memory.ts';
import { largestMemorySetting, type MemorySetting } from '../../facts/servers/memory-settings.ts';
import { defaultText } from '../../facts/pod/limit-defaults.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { formatAge, formatBytes } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { RECENT_DEATH_MS } from '../../limits.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { severityOf } from './exit-code.ts';

const SAME_KILL_MS = 10_000;
/** A kill that was no longer ago belongs to what a container that is not ready lacks. */
const LATELY_MS = 3 * 60_000;

const ofContainer: ContainerRule = (facts, container) => [...killed(facts, container), ...survivors(facts, container)];

export const outOfMemory: PodRule = eachContainer(ofContainer);

function killed(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const { death } = container;
  if (death === undefined || !isOutOfMemory(death)) return NOTHING;
  const limit = memoryLimit(container);
  const heap = heapSettings(container, 'java')[0] ?? heapSettings(container, 'node')[0];
  const own = heapText(heap, limit) === '' ? tooLarge(largestMemorySetting(facts, container), limit) : undefined;
  const at = limit === undefined ? 'and has no limit: the node ran out' : `at its limit of ${limit.text}`;
  return [
    {
      id: 'out-of-memory',
      severity: severityOf(container),
      rank: 95,
      topic: `end/${container.name}`,
      container: container.name,
      says: `container ${container.name} is killed for memory ${at}${defaultText(facts, container)}${heapText(heap, limit)}${own?.text ?? ''}${inMemoryFiles(facts, container, death, limit)}`,
      evidence: [
        quoteDeath(container.name, death),
        ...proof(container.name, death),
        ...limitQuote(limit),
        ...(heap === undefined ? [] : [heapQuote(container, heap)]),
        ...(own === undefined ? [] : [own.setting.quote]),
        ...quoteLastLines(container, 1),
      ],
      try:
        limit === undefined
          ? withoutLimit(facts, container)
          : raise(facts, container, limit, heap?.bytes ?? own?.setting.bytes),
    },
  ];
}

/** What its processes had is so much less than the limit that files in memory must have had the rest. */
const SMALL_SHARE = 0.6;

/** "; files in its volume spool, which is in memory at /spool, count, too", where its processes had far less than the limit. */
function inMemoryFiles(
  { pod }: PodFacts,
  { spec }: ContainerFacts,
  { oom }: Death,
  limit: MemoryLimit | undefined,
): string {
  const used = Math.max(0, ...(oom?.processes ?? []).map(({ rssBytes = 0 }) => rssBytes));
  if (limit === undefined || used === 0 || used > limit.bytes * SMALL_SHARE) return '';
  const inMemory = (pod.spec?.volumes ?? []).filter(({ emptyDir }) => emptyDir?.medium === 'Memory');
  const mounted = (spec.volumeMounts ?? []).find(({ name }) => inMemory.some((volume) => volume.name === name));
  return mounted === undefined
    ? ''
    : `; files in its volume ${mounted.name}, which is in memory at ${mounted.mountPath}, count, too`;
}

/** A heap that may grow to this share of the limit leaves too little for threads, code and buffers. */
const LARGE_HEAP = 0.75;

/** "; its heap alone may take 512Mi (-Xmx512m), which leaves 0Mi for …": the sum that does not fit. */
function heapText(heap: HeapSetting | undefined, limit: MemoryLimit | undefined): string {
  if (heap?.bytes === undefined || limit === undefined || heap.bytes < limit.bytes * LARGE_HEAP) return '';
  const left = limit.bytes - heap.bytes;
  const rest = left > 0 ? `and leaves ${formatBytes(left)}` : 'and leaves nothing';
  return `: its heap alone may take ${formatBytes(heap.bytes)} (${heap.flag}) ${rest} for threads, code and buffers`;
}

/** ": maxmemory 512mb (line 1 of /etc/redis.conf, of ConfigMap cache) lets it take more than that", of a setting that the limit has no room for. */
function tooLarge(
  setting: MemorySetting | undefined,
  limit: MemoryLimit | undefined,
): { readonly setting: MemorySetting; readonly text: string } | undefined {
  if (setting === undefined || limit === undefined || setting.bytes < limit.bytes * LARGE_HEAP) return undefined;
  const left = limit.bytes - setting.bytes;
  const rest = left > 0 ? `all but ${formatBytes(left)} of that` : 'more than that';
  return { setting, text: `: ${setting.says} (${setting.at}) lets it take ${left === 0 ? 'all of that' : rest}` };
}

function survivors(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const [newest] = container.survived;
  if (newest === undefined || facts.now - newest.finishedMs > RECENT_DEATH_MS) return NOTHING;
  // The kernel's report may come just before the container's own death, which is the same kill.
  if (container.deaths.some((death) => isOutOfMemory(death) && isSameKill(death, newest))) return NOTHING;
  const limit = memoryLimit(container);
  const count = container.survived.length;
  const { status } = container;
  // What is killed again and again is what keeps it from being ready.
  const isHarmful = status?.ready === false && facts.now - newest.finishedMs < LATELY_MS;
  return [
    {
      id: 'child-out-of-memory',
      severity: isHarmful ? 'critical' : 'warning',
      rank: isHarmful ? 90 : 80,
      topic: `memory/${container.name}`,
      container: container.name,
      says: `a child process of container ${container.name} is killed for memory${limit === undefined ? '' : ` at the limit of ${limit.text}`}, and the container goes on without it${count > 1 ? ` (${count} times)` : ''}, last ${formatAge(facts.now - newest.finishedMs)} ago`,
      evidence: [...survivedQuote(container.name, newest), ...proof(container.name, newest), ...limitQuote(limit)],
      try: limit === undefined ? withoutLimit(facts, container) : raise(facts, container, limit),
    },
  ];
}

function survivedQuote(container: string, { message }: Death): readonly Quote[] {
  return message === undefined ? [] : [{ source: 'cgroup', container, figure: 'survived', value: message }];
}

/** Whether both records are of the same kill. */
function isSameKill(death: Death, survived: Death): boolean {
  return Math.abs(death.finishedMs - survived.finishedMs) <= SAME_KILL_MS;
}

/** The memory figures that the node recorded. */
function proof(container: string, { oom }: Death): readonly Quote[] {
  if (oom === undefined) return [];
  const quotes: Quote[] = [];
  const say = (figure: string, value: string): void => void quotes.push({ source: 'cgroup', container, figure, value });
  if (oom.peakBytes !== undefined) {
    const of = oom.limitBytes === undefined ? '' : ` of ${formatBytes(oom.limitBytes)}`;
    say('memory peak', `${formatBytes(oom.peakBytes)}${of}`);
  }
  if (oom.kills !== undefined) say('processes killed', String(oom.kills));
  for (const { name, pid, rssBytes } of (oom.processes ?? []).slice(0, 3)) {
    // The kernel's figure counts pages that the process shares with others, so it may be higher than the limit.
    const resident =
      rssBytes === undefined ? '' : `, rss ${formatBytes(rssBytes)} with mapped files and memory shared with others`;
    say('killed', `${name} (pid ${pid}${resident})`);
  }
  return quotes;
}

/** Raises the limit: in the owner, which makes new pods, or by a resize in place for a pod without an owner. */
function raise(
  { commands, pod, name }: PodFacts,
  container: ContainerFacts,
  limit: MemoryLimit,
  heapBytes = 0,
): readonly string[] {
  // A heap is not all of a process: the same share is left beside it that counts as enough.
  const memory = largerLimit(Math.max(limit.bytes, heapBytes / LARGE_HEAP / 2));
  const requests = container.spec.resources?.requests?.['memory'] === limit.text ? { requests: { memory } } : {};
  const patch = {
    spec: { containers: [{ name: container.name, resources: { limits: { memory }, ...requests } }] },
  };
  const canResize = container.kind === 'container' && pod.status?.phase === 'Running';
  if (commands.settable) {
    const request = 'requests' in requests ? [`--requests=memory=${memory}`] : [];
    return [
      commands.kubectl(
        'set',
        'resources',
        commands.target,
        '-c',
        container.name,
        `--limits=memory=${memory}`,
        ...request,
      ),
      commands.kubectl('top', 'pod', name, '--containers'),
    ];
  }
  if (commands.owned || !canResize) return commands.edit;
  return [commands.kubectl('patch', `pod/${name}`, '--subresource=resize', '--patch', JSON.stringify(patch))];
}

function withoutLimit({ commands, pod, name }: PodFacts, container: ContainerFacts): readonly string[] {
  const node = pod.spec?.nodeName;
  return [
    ...(node === undefined ? [] : [commands.whyNode(node), commands.cluster('top', 'node', node)]),
    commands.settable
      ? commands.kubectl('set', 'resources', commands.target, '-c', container.name, '--requests=memory=128Mi')
      : commands.kubectl('top', 'pod', name, '--containers'),
  ];
}
