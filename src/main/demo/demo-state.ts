/**
 * The state of the demo's view, made from what any client sees: watch events of pods and Events. Pure: each step takes the
 * state before and returns the one after. Times are ms on the monotonic clock at which the news came.
 */
import type { ContainerStateTerminated, ContainerStatus, DeathRecord, Event, Pod } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';

export type Now =
  | { readonly kind: 'pending'; readonly reason: string }
  | { readonly kind: 'running'; readonly since: number; readonly ready: boolean }
  | { readonly kind: 'dead' }
  /** `until`: when the next start is due, if the server says so. */
  | { readonly kind: 'back-off'; readonly until: number | undefined };

export interface Death {
  readonly at: number;
  /** "exit code 1", "out of memory", "hung" */
  readonly short: string;
}

export interface PodView {
  readonly now: Now;
  readonly restarts: number;
  readonly lastDeath?: Death;
  /** The last healing without a back-off: from the news of the death to the news of the running replacement. */
  readonly healedInMs?: number;
  readonly memoryLimit?: string;
  /** Container ids that are dead. */
  readonly dead: readonly string[];
  /** The last death, while its last words may still come. */
  readonly wordless?: { readonly id: string; readonly entry: number };
  /** The death that waits for its healing. */
  readonly open?: { readonly at: number; readonly seen: boolean; readonly backedOff: boolean };
  /** The last failed liveness probe of the container that runs. */
  readonly probeFailure?: string;
}

export interface TimelineEntry {
  /** Counts up from 1. */
  readonly number: number;
  readonly at: number;
  readonly pod: string;
  readonly kind: 'death' | 'healing' | 'probe' | 'back-off';
  readonly text: string;
}

export interface DemoState {
  readonly pods: Readonly<Record<string, PodView>>;
  /** Oldest first. Entries are added, and a death may get its last words a moment later. */
  readonly timeline: readonly TimelineEntry[];
  readonly entries: number;
  readonly deaths: number;
  readonly healings: number;
  readonly slowestHealingMs: number;
}

/** Both clocks, read when the news came. */
export interface Reading {
  readonly mono: number;
  readonly wall: number;
}

const MAX_TIMELINE = 200;
const MAX_DEAD = 8;
const MAX_EVIDENCE_CHARACTERS = 120;

export const emptyDemo: DemoState = { pods: {}, timeline: [], entries: 0, deaths: 0, healings: 0, slowestHealingMs: 0 };

const newPod: PodView = { now: { kind: 'pending', reason: 'Pending' }, restarts: 0, dead: [] };

/** A pod as a watch shows it. */
export function onPod(state: DemoState, pod: Pod, at: Reading): DemoState {
  const name = pod.metadata?.name ?? '';
  const status = pod.status?.containerStatuses?.[0];
  const memoryLimit = pod.spec?.containers[0]?.resources?.limits?.['memory'];
  const before = { ...(state.pods[name] ?? newPod), ...(memoryLimit === undefined ? {} : { memoryLimit }) };
  if (status === undefined) {
    return withPod(state, name, { ...before, now: { kind: 'pending', reason: pod.status?.phase ?? 'Pending' } });
  }
  let next = afterDeath(withPod(state, name, before), name, status, at);
  next = afterState(next, name, status, at);
  return afterHealing(next, name, status, at);
}

/** An Event as a watch shows it: only failed liveness probes matter here; all else is in the pod. */
export function onEvent(state: DemoState, event: Event, at: Reading): DemoState {
  const name = event.involvedObject?.name ?? '';
  const pod = state.pods[name];
  const message = event.message ?? '';
  if (pod === undefined || event.reason !== 'Unhealthy' || !message.startsWith('Liveness')) return state;
  const text = shortened(message);
  const told = pod.probeFailure !== undefined;
  const next = withPod(state, name, { ...pod, probeFailure: text });
  return told ? next : withEntry(next, { at: at.mono, pod: name, kind: 'probe', text });
}

function afterDeath(state: DemoState, name: string, status: ContainerStatus, at: Reading): DemoState {
  const before = state.pods[name] ?? newPod;
  const seen = status.state?.terminated !== undefined;
  const terminated = status.state?.terminated ?? status.lastState?.terminated;
  // As a node's records have it: without "containerd://".
  const id = (terminated?.containerID ?? '').replace(/^[a-z0-9-]+:\/\//, '');
  if (terminated === undefined || id === '') return state;
  const words = shortened(terminated.message ?? '');
  if (before.dead.includes(id)) return withLastWords(state, name, id, words);
  const { probeFailure, wordless: _, ...rest } = before;
  const cause = causeOf(terminated, probeFailure !== undefined, before.memoryLimit);
  const next = withPod(state, name, {
    ...rest,
    dead: [...before.dead, id].slice(-MAX_DEAD),
    lastDeath: { at: at.mono, short: cause.short },
    open: { at: at.mono, seen, backedOff: false },
    ...(probeFailure === undefined ? { wordless: { id, entry: state.entries + 1 } } : {}),
  });
  const entry = withEntry(
    { ...next, deaths: next.deaths + 1 },
    { at: at.mono, pod: name, kind: 'death', text: `died, ${cause.long}` },
  );
  return withLastWords(entry, name, id, words);
}

interface Cause {
  readonly short: string;
  readonly long: string;
}

function causeOf(
  { exitCode, reason }: Pick<ContainerStateTerminated, 'exitCode' | 'reason'>,
  hung: boolean,
  memoryLimit = 'none',
): Cause {
  const exit = `exit code ${exitCode}`;
  if (reason === 'OOMKilled')
    return { short: 'out of memory', long: `OOMKilled at its memory limit of ${memoryLimit} (${exit})` };
  if (hung) return { short: 'hung', long: `killed as its liveness probe kept failing (${exit})` };
  return { short: exit, long: exit };
}

/** The death that nothing has explained so far: its container's id. */
export function unexplained(state: DemoState, name: string): string | undefined {
  return state.pods[name]?.wordless?.id;
}

/**
 * What the node remembers of a death: an event of a probe may be missing, as clients send only so many events about one object
 * (client-go's EventSourceObjectSpamFilter).
 */
export function onRecord(state: DemoState, name: string, record: DeathRecord): DemoState {
  const { wordless, ...pod } = state.pods[name] ?? newPod;
  if (wordless?.id !== record.containerId || record.probe?.type !== 'liveness' || pod.lastDeath === undefined)
    return state;
  const { short, long } = causeOf(record, true, pod.memoryLimit);
  const explain = (entry: TimelineEntry) =>
    entry.number === wordless.entry ? { ...entry, text: `died, ${long}` } : entry;
  return {
    ...withPod(state, name, { ...pod, lastDeath: { ...pod.lastDeath, short } }),
    timeline: state.timeline.map(explain),
  };
}

/** A container's last words are read only after its end: quote them where its death is shown. */
function withLastWords(state: DemoState, name: string, id: string, words: string): DemoState {
  const { wordless, ...pod } = state.pods[name] ?? newPod;
  if (wordless?.id !== id || words === '') return state;
  const quote = (entry: TimelineEntry) =>
    entry.number === wordless.entry ? { ...entry, text: `${entry.text}: "${words}"` } : entry;
  return { ...withPod(state, name, pod), timeline: state.timeline.map(quote) };
}

function afterState(state: DemoState, name: string, status: ContainerStatus, at: Reading): DemoState {
  const before = state.pods[name] ?? newPod;
  const now = stateOf(status, before, at);
  const next = withPod(state, name, { ...before, now, restarts: status.restartCount ?? 0 });
  if (now.kind !== 'back-off' || before.now.kind === 'back-off') return next;
  const seconds = backOffSeconds(status);
  const length = seconds === undefined ? '' : ` of ${seconds} s`;
  const text = `waits for a back-off${length}, as it keeps dying (CrashLoopBackOff)`;
  const open = { ...(before.open ?? { at: at.mono, seen: false }), backedOff: true };
  const waiting = withPod(next, name, { ...before, now, restarts: status.restartCount ?? 0, open });
  return withEntry(waiting, { at: at.mono, pod: name, kind: 'back-off', text });
}

function stateOf(status: ContainerStatus, before: PodView, at: Reading): Now {
  const { waiting, running, terminated } = status.state ?? {};
  if (running !== undefined) {
    const same = before.now.kind === 'running' && before.restarts === status.restartCount;
    const since = same && before.now.kind === 'running' ? before.now.since : at.mono;
    return { kind: 'running', since, ready: status.ready };
  }
  if (terminated !== undefined) return { kind: 'dead' };
  if (waiting?.reason === 'CrashLoopBackOff') {
    const seconds = backOffSeconds(status);
    const finished = parseTime(status.lastState?.terminated?.finishedAt);
    if (seconds === undefined || finished === undefined) return { kind: 'back-off', until: undefined };
    return { kind: 'back-off', until: at.mono + (finished + seconds * 1000 - at.wall) };
  }
  return { kind: 'pending', reason: waiting?.reason ?? 'Pending' };
}

function afterHealing(state: DemoState, name: string, status: ContainerStatus, at: Reading): DemoState {
  const { open, ...pod } = state.pods[name] ?? newPod;
  if (open === undefined || status.state?.running === undefined) return state;
  // Only what was seen as it happened can be timed; the times in the status are whole seconds.
  const tookMs = open.seen && !open.backedOff ? at.mono - open.at : undefined;
  const how = open.backedOff
    ? 'restarted after its back-off'
    : tookMs === undefined
      ? 'healed at once'
      : `healed in ${formatMs(tookMs)}`;
  const next = withPod(state, name, { ...pod, ...(tookMs === undefined ? {} : { healedInMs: tookMs }) });
  return withEntry(
    { ...next, healings: next.healings + 1, slowestHealingMs: Math.max(next.slowestHealingMs, tookMs ?? 0) },
    { at: at.mono, pod: name, kind: 'healing', text: `${how} (restart ${status.restartCount})` },
  );
}

/** "back-off 10s restarting failed container=…" or "back-off 1m20s …", as the kubelet says it. */
function backOffSeconds(status: ContainerStatus): number | undefined {
  const match = /^back-off (?:(\d+)m)?(?:(\d+)s)? /.exec(status.state?.waiting?.message ?? '');
  if (match === null) return undefined;
  return Number(match[1] ?? 0) * 60 + Number(match[2] ?? 0);
}

export function formatMs(ms: number): string {
  return ms < 9950 ? `${(ms / 1000).toFixed(ms < 995 ? 2 : 1)} s` : `${Math.round(ms / 1000)} s`;
}

function shortened(text: string): string {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  return line.length > MAX_EVIDENCE_CHARACTERS ? `${line.slice(0, MAX_EVIDENCE_CHARACTERS - 1)}…` : line;
}

function withPod(state: DemoState, name: string, pod: PodView): DemoState {
  return { ...state, pods: { ...state.pods, [name]: pod } };
}

function withEntry(state: DemoState, entry: Omit<TimelineEntry, 'number'>): DemoState {
  const number = state.entries + 1;
  return { ...state, entries: number, timeline: [...state.timeline, { ...entry, number }].slice(-MAX_TIMELINE) };
}
