/** The facts of one container for rules: its state, the death to explain, and its last log lines. */
import { isRestartableInit } from '../../../api/index.ts';
import { parseTime } from '../../../lib/index.ts';
import {
  type DecisiveLine,
  doneThough,
  failsAgain,
  keepsFailing,
  requestsFail,
  standingFault,
  someFail,
  workersDie,
  type FailsAgain,
  type GivenUp,
  givenUpPrograms,
  lastFailure,
  type LogReading,
  notLoaded,
  readLog,
  saysAgain,
  type StandsAt,
  standsAt,
  timesIn,
  withoutFirstRefusals,
} from '../../../log-analysis/index.ts';
import type { Container, ContainerStatus, Event, FailedProbe, Pod } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { LOG_LINES_SEARCHED, MANY_DEATHS, MANY_DEATHS_WINDOW_MS, RECENT_DEATH_MS } from '../../limits.ts';
import { type Death, deathsOf, survivedOf } from './deaths.ts';
import { notHandedOn } from '../variables/said-unset.ts';
import { environmentOf, secretVariablesOf, type Variable } from '../variables/environment.ts';
import { containerOf, eventCount, eventsWith, lastSeenMs } from './events.ts';
import { filePeers } from '../peers/file-peers.ts';
import type { SpecPeer } from '../peers/spec-peers.ts';
import { quotable } from '../words/text.ts';

export type ContainerKind = 'init' | 'sidecar' | 'container';

/**
 * none: nothing to explain; waiting: it cannot start, or is in back-off; ended: it failed and is not started again;
 * died-lately: it died within the last minutes and has been started again; keeps-dying: it runs, but died often in the last day.
 */
export type Trouble = 'none' | 'waiting' | 'ended' | 'died-lately' | 'keeps-dying';

export interface ContainerFacts {
  readonly name: string;
  readonly kind: ContainerKind;
  /** "spec.containers[0]" */
  readonly path: string;
  readonly spec: Container;
  /** The address of its pod, which is nobody that refuses it. */
  readonly ownAddress?: string;
  /** Its variables whose values are known. */
  readonly environment: readonly Variable[];
  /** Its variables of Secrets that lead somewhere, with hosts and ports alone; never quoted as values. */
  readonly secretVariables: readonly Variable[];
  /** The peers that its files of ConfigMaps and Secrets name. */
  readonly filePeers: readonly SpecPeer[];
  readonly status?: ContainerStatus;
  readonly trouble: Trouble;
  /** Newest first. */
  readonly deaths: readonly Death[];
  /** The death to explain: the newest end, unless it was requested. */
  readonly death?: Death;
  /** Why the agent killed it, if the agent did. */
  readonly killed?: AgentKill;
  /** Kills of child processes for memory that the container survived, newest first. */
  readonly survived: readonly Death[];
  /** Probes of the present life that were refused, with the ports on which the pod listened then. */
  readonly refused: readonly FailedProbe[];
  /** The last log lines before that death, else of the present life; oldest line first. */
  readonly lines: readonly string[];
  /** What those lines say about the end. */
  readonly reading: LogReading;
  /** What it said last of anything that failed, while a probe fails it or it is not ready: perhaps of the probe's own request. */
  readonly failing?: DecisiveLine;
  /** Why it has not loaded an application that it serves, while a probe of it fails. */
  readonly notLoaded?: DecisiveLine;
  /** At what it stands while a probe of it fails, as its last lines tell. */
  readonly standsAt?: StandsAt;
  /** What it fails at with each try while it runs and looks well. */
  readonly again?: FailsAgain;
  /** The same of one that ended lately and runs again: its present life, beside that of the death to explain. */
  readonly now?: { readonly again: FailsAgain; readonly lines: readonly string[] };
  /** The programs that a supervisor in it has given up in its present life. */
  readonly givenUp?: readonly GivenUp[];
  readonly events: readonly Event[];
}

/** The facts of a container that runs, as if what it fails at with each try were the end to be explained. */
export function failingAt(container: ContainerFacts, { said }: FailsAgain): ContainerFacts {
  return { ...container, reading: { ...container.reading, decisive: said }, failing: undefined };
}

export interface AgentKill {
  /** sandbox: it ended with its pod's sandbox, or for its loss. other: somebody changed or ended it. */
  readonly because: 'liveness' | 'startup' | 'sandbox' | 'other';
  readonly event?: Event;
}

/** Two similar ends of one container within this time have one cause. */
const SAME_CAUSE_MS = 30 * 60_000;

/** Reasons of waiting that are part of every start. */
const NORMAL_WAITS = new Set(['ContainerCreating', 'PodInitializing', 'RestartingPod']);

export function containerFacts(evidence: PodEvidence): readonly ContainerFacts[] {
  const { spec, status } = evidence.pod;
  const inits = (spec?.initContainers ?? []).map((container, index) => {
    const kind = isRestartableInit(container) ? 'sidecar' : 'init';
    return one(evidence, container, kind, `spec.initContainers[${index}]`, status?.initContainerStatuses);
  });
  const main = (spec?.containers ?? []).map((container, index) =>
    one(evidence, container, 'container', `spec.containers[${index}]`, status?.containerStatuses),
  );
  return [...inits, ...main];
}

function one(
  evidence: PodEvidence,
  spec: Container,
  kind: ContainerKind,
  path: string,
  statuses: readonly ContainerStatus[] | undefined,
): ContainerFacts {
  const { name } = spec;
  const status = statuses?.find((each) => each.name === name);
  const history = evidence.history?.find((each) => each.name === name);
  const events = evidence.events.filter((event) => containerOf(event) === name);
  const deaths = deathsOf(status, history);
  const [newest] = deaths;
  const killed = newest === undefined ? undefined : agentKill(newest, events, evidence.events);
  const facts = { evidence, kind, status, deaths, killed };
  const trouble = troubleOf(facts);
  const death = trouble === 'none' || (newest !== undefined && wasWanted(newest, killed)) ? undefined : newest;
  const lines = presentLines(linesOf(evidence, name, status, death), { status, death, events });
  const judged = kind !== 'init' && isJudgedByProbe(status, death, killed);
  const failing = judged ? (workersDie(lines)?.said ?? lastFailure(lines)) : undefined;
  return {
    name,
    kind,
    path,
    spec,
    ...(evidence.pod.status?.podIP !== undefined && { ownAddress: evidence.pod.status.podIP }),
    environment: environmentOf(spec, evidence.configs),
    secretVariables: secretVariablesOf(spec, evidence.configs),
    filePeers: filePeers(evidence.pod, spec, evidence.configs),
    status,
    trouble,
    deaths,
    death,
    killed: death === undefined ? undefined : killed,
    survived: survivedOf(history),
    refused: history?.refused ?? [],
    lines,
    reading: presentReading(readingOf(lines, death, spec), lines, failing),
    ...(judged && { failing, notLoaded: notLoaded(lines), standsAt: standsAt(lines) }),
    ...(trouble === 'none' && looksWell(kind, status) && { again: againOf(evidence, spec, lines) }),
    ...(trouble === 'none' && isDone(kind, status) && { again: doneThough(lines) }),
    ...(trouble === 'died-lately' && looksWell(kind, status) && presentLife(evidence, spec)),
    ...(death === undefined && status?.state?.running !== undefined && { givenUp: givenUpIn(evidence, name, lines) }),
    events,
  };
}

/** Who asks without a right to it is turned away without a word. */
function isOwn(requests: FailsAgain | undefined): boolean {
  // Whom a proxy does not let through to a host is another thing: nobody asks a proxy for what he has no business with again and again.
  return requests?.isMinor !== true || /^[\w.-]{1,253}:\d{1,5}$/.test(requests.path ?? '');
}

/** What a server says once may stand far above its last lines. */
function againOf(evidence: PodEvidence, spec: Container, lines: readonly string[]): FailsAgain | undefined {
  const { logs, now } = evidence;
  const { name } = spec;
  const whole = logs[name]?.current ?? lines;
  const standing = standingFault([...(logs[name]?.beginning ?? []), ...whole]);
  if (standing !== undefined && standing.isMinor !== true) return standing;
  const requests = requestsFail(lines);
  const explained = requests?.isWordless === true ? undefined : requests;
  return (
    explained ??
    failsAgain(lines) ??
    workersDie(whole) ??
    standing ??
    keepsFailing(whole, now) ??
    (isOwn(requests) ? requests : undefined) ??
    notHandedOn(lines, environmentOf(spec, evidence.configs)) ??
    someFail(whole) ??
    (evidence.pod.spec?.restartPolicy === 'Always' ? undefined : waitsIn(whole))
  );
}

/** So often it says the same. */
const WAITS_OFTEN = 4;

/** At what one waits that should come to its end, as the pod of a Job should. */
function waitsIn(lines: readonly string[]): FailsAgain | undefined {
  const stands = standsAt(lines);
  if (stands?.how !== 'waits' || stands.times < WAITS_OFTEN) return undefined;
  return { said: stands.said, times: stands.times, isMinor: true, isWaiting: true };
}

/** What one that runs again after an end fails at now. */
function presentLife(evidence: PodEvidence, spec: Container): Pick<ContainerFacts, 'now'> {
  const lines = lastLines(evidence.logs[spec.name]?.current);
  const again = againOf(evidence, spec, lines);
  return again === undefined ? {} : { now: { again, lines } };
}

/** A container that ended lately as it is now: what it fails at in its present life is no matter of that end. */
export function inPresentLife(container: ContainerFacts): ContainerFacts {
  const { now } = container;
  if (now === undefined) return container;
  return { ...container, ...now, trouble: 'none', death: undefined, killed: undefined, reading: readLog(now.lines) };
}

/** The beginning of a log that is longer than what was read of its end may have the supervisor's word. */
function givenUpIn({ logs }: PodEvidence, name: string, lines: readonly string[]): readonly GivenUp[] {
  return givenUpPrograms([...(logs[name]?.beginning ?? []), ...lines]);
}

interface Standing {
  readonly evidence: PodEvidence;
  readonly kind: ContainerKind;
  readonly status: ContainerStatus | undefined;
  readonly deaths: readonly Death[];
  readonly killed: AgentKill | undefined;
}

function troubleOf(standing: Standing): Trouble {
  const { evidence, status, deaths, killed } = standing;
  const { pod, now } = evidence;
  const waiting = status?.state?.waiting;
  if (waiting !== undefined && !NORMAL_WAITS.has(waiting.reason ?? 'ContainerCreating')) return 'waiting';
  const [newest] = deaths;
  if (newest === undefined) return 'none';
  const wanted = wasWanted(newest, killed);
  if (status?.state?.terminated !== undefined) return wanted || newest.exitCode === 0 ? 'none' : 'ended';
  if (wanted || hasOutlivedDeath(standing, newest)) return 'none';
  // The container runs again, or waits for its sandbox or for other containers.
  const bad = deaths.filter((death) => isBad(death, pod) && !wasRequested(death));
  if (now - newest.finishedMs <= RECENT_DEATH_MS && isBad(newest, pod) && !repeatsNormally(standing)) {
    return 'died-lately';
  }
  const lately = bad.filter(({ finishedMs }) => now - finishedMs <= MANY_DEATHS_WINDOW_MS);
  return lately.length >= MANY_DEATHS && lately[0] === newest ? 'keeps-dying' : 'none';
}

/** An init container that has run on for so much longer than in the life before has got beyond what ended that, ms. */
const BEYOND_MS = 30_000;

function hasOutlivedDeath({ kind, status, evidence }: Standing, { livedMs = 0 }: Death): boolean {
  const startedAt = parseTime(status?.state?.running?.startedAt ?? undefined);
  if (kind !== 'init' || startedAt === undefined) return false;
  return evidence.now - startedAt > Math.max(BEYOND_MS, 3 * livedMs);
}

/** Whether the death is normal: an init container runs and ends again when its pod starts again. */
function repeatsNormally({ kind, deaths }: Standing): boolean {
  return kind === 'init' && deaths[0]?.exitCode === 0;
}

/** Whether the end is a failure; exit code 0 is one only where the container must run for ever. */
function isBad(death: Death, pod: Pod): boolean {
  return death.exitCode !== 0 || (pod.spec?.restartPolicy ?? 'Always') === 'Always';
}

function wasRequested(death: Death): boolean {
  return death.requested !== undefined;
}

/** Whether the end was requested, or the agent ended the container for a reason outside it. */
function wasWanted(death: Death, killed: AgentKill | undefined): boolean {
  return wasRequested(death) || killed?.because === 'other';
}

/** The agent's kill that led to a death, from the node's history, else from a Killing event of that life. */
function agentKill(death: Death, events: readonly Event[], ofPod: readonly Event[]): AgentKill | undefined {
  const event = killingEvent(death, events);
  if (death.sandboxLost !== undefined) return { because: 'sandbox', event };
  if (death.probe?.type === 'liveness' || death.probe?.type === 'startup') return { because: death.probe.type, event };
  // The node's history contains every kill for a probe.
  if (death.number !== undefined)
    return event === undefined || isProbeKill(event) ? undefined : { because: 'other', event };
  if (event === undefined) return undefined;
  const because = probeOfKill(event);
  if (because !== undefined) return { because, event };
  if (isForSandbox(event, ofPod)) return { because: 'sandbox', event };
  // A failed hook is a failure of the container, too.
  return (event.message ?? '').includes('PostStartHook') ? undefined : { because: 'other', event };
}

/** Whether a new sandbox was announced right after the kill. The history of a node says so itself. */
function isForSandbox(kill: Event, ofPod: readonly Event[]): boolean {
  if (!/^Stopping container \S+$/.test(kill.message ?? '')) return false;
  return eventsWith(ofPod, 'SandboxChanged').some((event) => Math.abs(lastSeenMs(event) - lastSeenMs(kill)) <= 5000);
}

function isProbeKill(event: Event): boolean {
  return probeOfKill(event) !== undefined || (event.message ?? '').includes('PostStartHook');
}

function probeOfKill({ message = '' }: Event): 'liveness' | 'startup' | undefined {
  if (message.includes('failed liveness probe')) return 'liveness';
  return message.includes('failed startup probe') ? 'startup' : undefined;
}

/** Exit codes of containers that were asked to end, or were killed after their grace period. */
const KILLED_CODES = new Set([0, 137, 143]);

function killingEvent(death: Death, events: readonly Event[]): Event | undefined {
  const killings = eventsWith(events, 'Killing');
  // Events count whole seconds.
  const from = (parseTime(death.startedAt) ?? death.finishedMs) - 1000;
  const to = death.finishedMs + 1000;
  const own = killings.find((event) => lastSeenMs(event) >= from && lastSeenMs(event) <= to);
  if (own !== undefined || death.number !== undefined || !KILLED_CODES.has(death.exitCode)) return own;
  // The recorder limits a pod with many events to one in five minutes, so the event of an earlier, similar life counts.
  return killings.find(
    (event) => probeOfKill(event) !== undefined && lastSeenMs(event) < from && from - lastSeenMs(event) < SAME_CAUSE_MS,
  );
}

function linesOf(
  evidence: PodEvidence,
  name: string,
  status: ContainerStatus | undefined,
  death: Death | undefined,
): readonly string[] {
  const logs = evidence.logs[name];
  if (death === undefined) return lastLines(logs?.current);
  if (death.log !== undefined) return lastLines(death.log.tail.split('\n'));
  const isCurrent = status?.state?.terminated !== undefined;
  return lastLines(isCurrent ? (logs?.current ?? logs?.previous) : (logs?.previous ?? logs?.current));
}

function looksWell(kind: ContainerKind, status: ContainerStatus | undefined): boolean {
  return kind !== 'init' && status?.state?.running !== undefined && status.ready;
}

/** Whether it has done its work, as its exit code tells. */
export function isDone(kind: ContainerKind, status: ContainerStatus | undefined): boolean {
  return kind === 'container' && status?.state?.terminated?.exitCode === 0;
}

function isJudgedByProbe(
  status: ContainerStatus | undefined,
  death: Death | undefined,
  killed: AgentKill | undefined,
): boolean {
  if (death !== undefined) return killed?.because === 'liveness' || killed?.because === 'startup';
  return status?.state?.running !== undefined && !status.ready;
}

/** A probe that fails so often without an answer gets further than to a refusal. */
const MANY_TIMEOUTS = 3;
/** A start is over by then, ms. */
const LATER_MS = 15_000;

/** Without what a server said in its first moments of those behind it, where its probe has come further since, and gets no answer. */
function presentLines(
  lines: readonly string[],
  { status, death, events }: { status?: ContainerStatus; death?: Death; events: readonly Event[] },
): readonly string[] {
  const startedAt = parseTime(status?.state?.running?.startedAt ?? undefined);
  if (startedAt === undefined || death !== undefined || status?.ready === true) return lines;
  const hangs = eventsWith(events, 'Unhealthy').some(
    (event) =>
      /Client\.Timeout|context deadline exceeded|i\/o timeout/.test(event.message ?? '') &&
      eventCount(event) >= MANY_TIMEOUTS &&
      lastSeenMs(event) - startedAt > LATER_MS,
  );
  return hangs ? withoutFirstRefusals(lines, startedAt) : lines;
}

/** The node's agent found the decisive line in more of the log than it kept. */
function readingOf(lines: readonly string[], death: Death | undefined, spec: Container): LogReading {
  const reading = readLog(lines, { livedMs: death?.livedMs });
  const told = terminationMessage(death, spec) ?? death?.log?.says;
  const says = told === undefined ? undefined : plainPaths(told);
  // A newer reader tells more of the same line.
  if (says === undefined || reading.decisive?.line.startsWith(says) === true) return reading;
  return { ...reading, decisive: { line: says, index: -1, related: [], firmness: 'firm' } };
}

/** So often another failure follows one that was got over. */
const OTHERS_AFTER = 2;

/** Of a program that ended nothing, what it says again and again outdates what it said before, such as that a peer was not up yet. */
function presentReading(reading: LogReading, lines: readonly string[], failing: DecisiveLine | undefined): LogReading {
  const { decisive } = reading;
  if (failing === undefined || decisive === undefined) return reading;
  const since = lines.slice(lines.findLastIndex((line) => saysAgain(line, decisive.line)) + 1);
  if (since.length === lines.length || timesIn(since, failing.line) < OTHERS_AFTER) return reading;
  return { ...reading, decisive: failing, others: reading.others.filter((line) => line !== decisive.line) };
}

/** Reasons whose message is the runtime's, and not the program's. */
const OF_RUNTIME: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun', 'ContainerStatusUnknown']);

/** What the program wrote to its termination message itself, which is for this; what is taken from its log is not. */
function terminationMessage(death: Death | undefined, { terminationMessagePolicy }: Container): string | undefined {
  const message = death?.message?.trim() ?? '';
  if (death === undefined || message === '' || OF_RUNTIME.has(death.reason)) return undefined;
  if (terminationMessagePolicy === 'FallbackToLogsOnError' || death.exitCode === 0) return undefined;
  const lines = message.split('\n');
  return readLog(lines, { livedMs: 0 }).decisive?.line ?? (lines.length === 1 ? quotable(message) : undefined);
}

/** The folder of one version of a ConfigMap, Secret or token, behind its links: /etc/app/..2026_01_31_12_00_00.123/app.yaml. */
const VERSION_FOLDER = /\/\.\.(?:\d{4}(?:_\d\d){5}\.\w{1,30}|data)(?=\/)/g;

/** Paths as the pod's specification has them. */
function plainPaths(line: string): string {
  return line.replace(VERSION_FOLDER, '');
}

function lastLines(lines: readonly string[] | undefined): readonly string[] {
  const said = (lines ?? []).filter((line) => line.trim() !== '').slice(-LOG_LINES_SEARCHED);
  return said.map((line) => plainPaths(line));
}
