/**
 * Notices deaths in the passes of the pod workers and records them without delaying a restart: known facts are taken at once;
 * logs are read and files written in the background, in order for each pod; a failure is logged and counted.
 */
import type { DeathRecord, Pod } from '../../api/index.ts';
import {
  BoundedMap,
  type Clock,
  type Counter,
  errorMessage,
  FileError,
  type FileSystem,
  type Logger,
  type MetricsRegistry,
  KeyedLines,
  Semaphore,
  whenAborted,
  withDeadline,
} from '../../lib/index.ts';
import { withoutKnown } from '../../log-analysis/index.ts';
import { containerLogPath, isSafeName, podLogDir } from '../pods/pod-paths.ts';
import { fieldPath, findContainer } from '../plan/containers.ts';
import type { Death, PodNote } from '../plan/pod-memory.ts';
import type { PodEvents, PodObservation, PodUID } from '../types.ts';
import { amendmentOf, composeDeath } from './compose-death.ts';
import type { CpuWatch } from './cpu-watch.ts';
import {
  type DeathAmendment,
  findDeath,
  findSurvival,
  type NewDeath,
  type PodBook,
  type PodNames,
  withAmendment,
  withDeath,
  withDeathForSurvival,
  withSurvival,
} from './death-book.ts';
import type { DeathStore } from './death-store.ts';
import type { FailedProbes } from './failed-probes.ts';
import {
  ENDING_HOLD_MS,
  FIRST_LOG_TAIL_BYTES,
  FIRST_LOG_TAIL_LINES,
  LOG_TAIL_BYTES,
  LOG_TAIL_LINES,
  LOG_WAIT_MS,
  MAX_OOM_CONTAINERS,
  MAX_RECORDINGS_AT_ONCE,
  MAX_WAITING_RECORDINGS,
  OOM_EVENT_PERIOD_MS,
  SAID_EVENT_PERIOD_MS,
} from './limits.ts';
import { readLogTail, type TailLimits } from './log-tail.ts';
import { lostSandboxOf } from './lost-sandbox.ts';
import { type OomEvidence, proofOf, untoldKills, withoutSurvival } from './oom-proofs.ts';
import type { OomWatch, Survival } from './oom-watch.ts';
import { wasSent } from './signals.ts';
import { namesOf } from './pod-names.ts';
import type { RecentChanges } from './recent-changes.ts';
import { memoryLimitOf } from './resource-limits.ts';
import { survivalRecord, survivalText } from './survival-record.ts';

export interface DeathRecorderPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly fs: FileSystem;
}

/** Where deaths are reported. */
export interface DeathSinks {
  readonly store: DeathStore;
  readonly events: PodEvents;
}

/** What led to a death is found in these. */
export interface DeathSources {
  readonly podLogsDir: string;
  readonly changes: RecentChanges;
  readonly failedProbes: FailedProbes;
  readonly oom: Pick<OomWatch, 'evidence' | 'forget'>;
  readonly cpu: Pick<CpuWatch, 'of' | 'forget'>;
  /** Whether its reason OOMKilled is ours, and not the runtime's. */
  readonly isOurReason: (containerId: string) => boolean;
  /** The values of the pod's Secrets. Never rejects. */
  readonly secrets: (pod: Pod) => Promise<readonly string[]>;
}

/** The facts that one pass over one pod shows. */
export interface SeenPass {
  readonly pod: Pod;
  readonly noteBefore: PodNote;
  readonly note: PodNote;
  readonly observed: PodObservation | undefined;
}

/** One death on its way to the store. */
interface Tracked {
  readonly pod: Pod;
  readonly names: PodNames;
  readonly container: string;
  readonly composed: NewDeath;
  /** `undefined`: nothing says where it is. */
  readonly logPath: string | undefined;
  readonly limitBytes: number | undefined;
  /** Mono ms. */
  readonly seenAt: number;
  /** waiting: its log may still grow. */
  state: 'waiting' | 'recording' | 'recorded';
  amendment: DeathAmendment;
}

/** A death with all that is known of it; `wasNone`: it was taken for a survival before. */
interface ToldDeath {
  readonly death: NewDeath;
  readonly wasNone: boolean;
}

const FIRST_TAIL = { lines: FIRST_LOG_TAIL_LINES, bytes: FIRST_LOG_TAIL_BYTES };
const TAIL = { lines: LOG_TAIL_LINES, bytes: LOG_TAIL_BYTES };

export class DeathRecorder {
  readonly #ports: DeathRecorderPorts;
  readonly #sources: DeathSources;
  readonly #sinks: DeathSinks;
  readonly #records: Counter;
  readonly #kills: Counter;
  /** By pod, then by container id: deaths that the pod's memory still has. */
  readonly #tracked = new Map<PodUID, Map<string, Tracked>>();
  /** The work for each pod, one piece after another. */
  readonly #work = new KeyedLines();
  readonly #places = new Semaphore(MAX_RECORDINGS_AT_ONCE);
  /** Mono ms of the last event about a survivor, by container id. */
  readonly #told = new BoundedMap<string, number>(MAX_OOM_CONTAINERS);
  /** By container id: the survivals that were recorded before the last report. */
  readonly #outlived = new BoundedMap<string, DeathRecord | undefined>(MAX_OOM_CONTAINERS);
  /** What containers said last before they ended, by pod and container, and when it was reported, mono ms. */
  readonly #said = new BoundedMap<string, { readonly line: string; readonly at: number }>(MAX_OOM_CONTAINERS);
  /** Container ids whose deaths broke the recorder; each is logged once. */
  readonly #broken = new BoundedMap<string, true>(MAX_OOM_CONTAINERS);
  #waiting = 0;

  constructor(ports: DeathRecorderPorts, sources: DeathSources, sinks: DeathSinks) {
    this.#ports = ports;
    this.#sources = sources;
    this.#sinks = sinks;
    this.#records = ports.metrics.counter({
      name: 'mendlet_death_records_total',
      help: 'Deaths of containers by what became of their record: recorded, known (from an earlier agent), failed, dropped.',
      labels: ['result'],
    });
    this.#kills = ports.metrics.counter({
      name: 'mendlet_container_oom_kills_total',
      help: 'Processes of containers that were killed for memory, by whether their container lived on.',
      labels: ['survived'],
    });
  }

  /** Takes what a pass shows. Never blocks, and never throws, so that the pass goes on to heal. */
  observe(pass: SeenPass): void {
    const { pod, note } = pass;
    const uid = pod.metadata?.uid ?? '';
    this.#sources.changes.pod(pod, {
      ...(note.sandboxAttempt === undefined ? {} : { sandboxAttempt: note.sandboxAttempt }),
      ...(note.recovery === undefined ? {} : { recovery: note.recovery }),
    });
    const tracked = this.#tracked.get(uid) ?? new Map<string, Tracked>();
    const seen = new Set<string>();
    for (const [container, { deaths }] of Object.entries(note.containers)) {
      for (const death of deaths.toReversed()) {
        seen.add(death.containerId);
        this.#seeSafely(tracked, pass, container, death);
      }
    }
    for (const id of tracked.keys()) if (!seen.has(id)) tracked.delete(id);
    if (tracked.size > 0) this.#tracked.set(uid, tracked);
    else this.#tracked.delete(uid);
  }

  /** Nothing is left of the pod. */
  gone(uid: PodUID): void {
    const { store } = this.#sinks;
    const { changes } = this.#sources;
    for (const [id, each] of this.#tracked.get(uid) ?? []) if (each.state === 'waiting') this.#record(id, each);
    this.#tracked.delete(uid);
    this.#next(uid, async () => {
      store.gone(uid);
      changes.forget(uid);
    });
  }

  /** A process was killed for memory, and its container lives on. */
  survived(survival: Survival): void {
    const { clock } = this.#ports;
    const { events, store } = this.#sinks;
    const { container, untold } = survival;
    const { pod, name, id } = container;
    const now = clock.now();
    this.#kills.inc({ survived: 'true' }, untold);
    if (now.mono - (this.#told.get(id) ?? Number.NEGATIVE_INFINITY) >= OOM_EVENT_PERIOD_MS) {
      this.#told.set(id, now.mono);
      const spec = findContainer(pod, name);
      events.pod(pod, 'Warning', 'OOMKilledProcess', survivalText(survival), spec && fieldPath(spec));
    }
    const record = survivalRecord(survival, now.wall);
    const names = namesOf(pod);
    this.#next(names.uid, async () => {
      const loss = { ...record, ...(await this.#log(container.logPath, TAIL)) };
      const book = await this.#book(names.uid);
      this.#outlived.set(id, book && findSurvival(book, name, id));
      store.edit(names, (book) => withSurvival(book, name, loss));
    });
  }

  /** Resolves when the logs of the pod's dead have been read, or that takes too long: they may go then. */
  async logsRead(uid: PodUID): Promise<void> {
    const { clock } = this.#ports;
    await withDeadline({ clock, timeoutMs: LOG_WAIT_MS }, () => this.#work.settled(uid));
  }

  /** The values of the Secrets that the pod uses; those that cannot be read soon are left out. */
  async secretValues(pod: Pod): Promise<readonly string[]> {
    return await this.#sources.secrets(pod);
  }

  /** Resolves when all that was seen so far is with the store. */
  async settled(): Promise<void> {
    await this.#work.settled();
  }

  async run(signal: AbortSignal): Promise<void> {
    await whenAborted(signal);
    while (this.#work.size > 0) await this.settled();
  }

  /** A mistake in the code costs one record, and is logged once. */
  #seeSafely(tracked: Map<string, Tracked>, pass: SeenPass, container: string, death: Death): void {
    const { containerId } = death;
    if (this.#broken.get(containerId) === true) return;
    try {
      this.#see(tracked, pass, container, death);
    } catch (error) {
      this.#broken.set(containerId, true);
      this.#records.inc({ result: 'failed' });
      this.#ports.logger.error('a death could not be noted', { uid: pass.pod.metadata?.uid, containerId, error });
    }
  }

  #see(tracked: Map<string, Tracked>, pass: SeenPass, container: string, death: Death): void {
    const { containerId } = death;
    const instance = pass.observed?.containers.find(({ id }) => id === containerId);
    const each = tracked.get(containerId) ?? this.#begin(pass, container, death, instance?.logPath);
    tracked.set(containerId, each);
    const heldMs = this.#ports.clock.now().mono - each.seenAt;
    if (each.state === 'waiting' && (instance?.ending !== true || heldMs > ENDING_HOLD_MS)) {
      this.#record(containerId, each);
    }
    const sandboxLost = lostSandboxOf({ ...pass, container, death, seen: this.#seenIn(pass) });
    const amendment = amendmentOf(death, pass.note, container, sandboxLost ?? each.amendment.sandboxLost);
    if (isSame(amendment, each.amendment)) return;
    each.amendment = amendment;
    if (each.state === 'recorded') {
      this.#sinks.store.edit(each.names, (book) => withAmendment(book, container, containerId, amendment));
    }
  }

  #begin(pass: SeenPass, container: string, death: Death, logPath: string | undefined): Tracked {
    const { clock } = this.#ports;
    const { podLogsDir, changes, failedProbes } = this.#sources;
    const { pod } = pass;
    const now = clock.now();
    const endedAt = death.finishedAt > 0 ? death.finishedAt : now.wall;
    const composed = composeDeath({
      ...pass,
      container,
      death,
      failed: (type) => failedProbes.of(death.containerId, type),
      changes: changes.before(pod, { startedAt: death.startedAt, endedAt }),
      seen: this.#seenIn(pass),
    });
    failedProbes.forget(death.containerId);
    return {
      pod,
      names: namesOf(pod),
      container,
      composed,
      logPath: logPath || logPathOf(podLogsDir, pod, container, death.restartCount),
      limitBytes: memoryLimitOf(pod, container),
      seenAt: now.mono,
      state: 'waiting',
      amendment: {},
    };
  }

  #seenIn({ observed }: SeenPass) {
    return { at: this.#ports.clock.now().wall, observed };
  }

  #record(containerId: string, tracked: Tracked): void {
    tracked.state = 'recording';
    const { uid } = tracked.names;
    if (this.#waiting >= MAX_WAITING_RECORDINGS) {
      this.#records.inc({ result: 'dropped' });
      this.#ports.logger.warn('too many deaths at once: one is not recorded', { uid, containerId });
      return;
    }
    this.#next(uid, () => this.#write(containerId, tracked));
  }

  async #write(containerId: string, tracked: Tracked): Promise<void> {
    const { store } = this.#sinks;
    const { oom, cpu } = this.#sources;
    const { names, container } = tracked;
    const book = await this.#book(names.uid);
    const isKnown = book !== undefined && findDeath(book, container, containerId) !== undefined;
    const told = isKnown ? undefined : await this.#complete(book, containerId, tracked);
    const outlived = this.#outlived.get(containerId);
    store.edit(names, (before) => {
      const after = told === undefined ? before : withTold(before, container, told, outlived);
      return withAmendment(after, container, containerId, tracked.amendment);
    });
    if (told !== undefined) this.#tell(tracked, told.death);
    tracked.state = 'recorded';
    oom.forget(containerId);
    cpu.forget(containerId);
    this.#outlived.delete(containerId);
    this.#records.inc({ result: isKnown ? 'known' : 'recorded' });
  }

  /** Reports what the container said before it ended by itself, unless that was just reported. */
  #tell({ pod, container }: Tracked, { exitCode, log, oom, probe, requested }: NewDeath): void {
    const byItself = exitCode !== 0 && oom === undefined && probe === undefined && requested === undefined;
    if (!byItself || log?.says === undefined) return;
    const now = this.#ports.clock.now().mono;
    const key = `${pod.metadata?.uid ?? ''}/${container}`;
    const before = this.#said.get(key);
    if (before?.line === log.says && now - before.at < SAID_EVENT_PERIOD_MS) return;
    this.#said.set(key, { line: log.says, at: now });
    const spec = findContainer(pod, container);
    const message = `Container ${container} ended with exit code ${exitCode}: ${log.says}`;
    this.#sinks.events.pod(pod, 'Warning', 'ContainerFailed', message, spec && fieldPath(spec));
  }

  /** With what takes time to find out. */
  async #complete(book: PodBook | undefined, containerId: string, tracked: Tracked): Promise<ToldDeath> {
    const { pod, container, composed, logPath, limitBytes } = tracked;
    const isFirst = book?.containers.some(({ name }) => name === container) !== true;
    const secrets = await this.#sources.secrets(pod);
    const isFailure = composed.exitCode !== 0 || mustRun(pod, container);
    const byItself = isFailure && !wasSent(composed.exitCode) && composed.requested === undefined;
    const limits = { ...(isFirst ? FIRST_TAIL : TAIL), secrets, ...(byItself && { decides: composed }) };
    const log = logPath === undefined ? {} : await this.#log(logPath, limits);
    const { evidence, wasNone } = this.#evidence(containerId, composed);
    const byRuntime = composed.reason === 'OOMKilled' && !this.#sources.isOurReason(containerId);
    const oom = proofOf(evidence, { byRuntime, limitBytes });
    // Kills of a survival that was none are counted already.
    if (oom !== undefined && !wasNone) this.#kills.inc({ survived: 'false' }, Math.max(1, untoldKills(evidence)));
    const cpu = this.#sources.cpu.of(containerId);
    const proofs = { ...(oom === undefined ? {} : { oom }), ...(cpu === undefined ? {} : { cpu }) };
    return { death: { ...withoutSecrets(composed, secrets), ...proofs, ...log }, wasNone };
  }

  /** The facts about its memory; `wasNone`: a survival was reported, and this is the end of that life. */
  #evidence(containerId: string, death: NewDeath): { readonly evidence: OomEvidence; readonly wasNone: boolean } {
    const evidence = this.#sources.oom.evidence(containerId);
    const isOwn = death.probe === undefined && death.requested === undefined;
    const end = { exitCode: death.exitCode, finishedAt: Date.parse(death.finishedAt) };
    const revised = isOwn ? withoutSurvival(evidence, end) : undefined;
    if (revised === undefined) return { evidence, wasNone: false };
    this.#ports.logger.info('a container died of a kill for memory that it was said to have survived', {
      containerId,
    });
    return { evidence: revised, wasNone: true };
  }

  /** Without what cannot be read: a death without its log is still a death. */
  async #log(path: string, limits: TailLimits): Promise<Pick<NewDeath, 'log'>> {
    try {
      const log = await readLogTail(this.#ports.fs, path, limits);
      return log === undefined ? {} : { log };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#ports.logger.warn('the end of a log could not be read', { path, error: error.message });
      return {};
    }
  }

  /** A book that cannot be read now is no reason to lose a death: the store tries again. */
  async #book(uid: PodUID): Promise<PodBook | undefined> {
    try {
      return await this.#sinks.store.read(uid);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return undefined;
    }
  }

  /** Runs after earlier work for this pod. A mistake in the code costs one record, and is logged. */
  #next(uid: PodUID, run: () => Promise<void>): void {
    this.#waiting += 1;
    void this.#work.run(uid, async () => {
      try {
        await this.#places.run(run);
      } catch (error) {
        this.#records.inc({ result: 'failed' });
        this.#ports.logger.error('a death could not be recorded', { uid, error: errorMessage(error) });
      } finally {
        this.#waiting -= 1;
      }
    });
  }
}

/** A termination message and the outputs of a probe may repeat them, too. */
function withoutSecrets(death: NewDeath, secrets: readonly string[]): NewDeath {
  const { message, probe } = death;
  const outputs = probe?.outputs.map(({ at, output }) => ({ at, output: withoutKnown(output, secrets) }));
  return {
    ...death,
    ...(message === undefined ? {} : { message: withoutKnown(message, secrets) }),
    ...(probe === undefined || outputs === undefined ? {} : { probe: { ...probe, outputs } }),
  };
}

function withTold(
  book: PodBook,
  container: string,
  { death, wasNone }: ToldDeath,
  outlived: DeathRecord | undefined,
): PodBook {
  return wasNone ? withDeathForSurvival(book, container, death, outlived) : withDeath(book, container, death);
}

/** Of an orphan even the name may be unknown. */
function logPathOf(podLogsDir: string, pod: Pod, container: string, restartCount: number): string | undefined {
  const { namespace, name, uid } = namesOf(pod);
  if (![namespace, name, uid, container].every(isSafeName)) return undefined;
  return `${podLogDir(podLogsDir, pod)}/${containerLogPath(container, restartCount)}`;
}

function isSame(a: DeathAmendment, b: DeathAmendment): boolean {
  return (
    a.message === b.message &&
    a.rung === b.rung &&
    a.backOffSeconds === b.backOffSeconds &&
    a.startedAgain === b.startedAgain &&
    a.sandboxLost === b.sandboxLost
  );
}

/** An end with exit code 0 is no success of a container that is started again for it. */
function mustRun({ spec }: Pod, container: string): boolean {
  return (
    (spec?.restartPolicy ?? 'Always') === 'Always' && (spec?.containers ?? []).some(({ name }) => name === container)
  );
}
