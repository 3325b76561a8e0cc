/**
 * One worker per pod, strictly serial. A pass: the desired pod, a fresh enough observation, outcomes of background jobs →
 * plan (pure) → note on disk → status, events, probes → actions begun. It never waits for an action: each marks the pod dirty
 * when it ends, and the next pass sees the outcome as a fact.
 */
import type { Pod, PodStep } from '../../api/index.ts';
import { RuntimeError } from '../../cri/index.ts';
import {
  type Clock,
  errorMessage,
  type Logger,
  type MetricsRegistry,
  runWorkQueue,
  WorkQueue,
} from '../../lib/index.ts';
import type { Admission } from '../admission/admit-pod.ts';
import type { DesiredPods } from '../config/desired-pods.ts';
import type { DayKeeper } from '../day-ring/day-keeper.ts';
import type { DeathRecorder } from '../deaths/death-recorder.ts';
import { changesRuntime, type Executor, onlyAsks, waitsForNote } from '../execute/execute-actions.ts';
import type { PodAction } from '../plan/actions.ts';
import type { PodNoteStore } from '../notes/pod-note-store.ts';
import { noteFromStatus } from '../plan/absorb-observation.ts';
import { allocatedPod } from '../plan/allocation.ts';
import { computePodActions, type PodPlan } from '../plan/compute-pod-actions.ts';
import { allContainers, CONTAINER_TYPES } from '../plan/containers.ts';
import type { NodeFacts, PodFacts, ResizeVerdict } from '../plan/facts.ts';
import { withLadderToldLater } from '../plan/healing/told-later.ts';
import {
  EMPTY_VOLATILE,
  emptyMemory,
  leavesToRestart,
  type PodNote,
  type TerminationRequest,
} from '../plan/pod-memory.ts';
import { remember } from '../plan/remember.ts';
import type { PodRouting } from '../ports.ts';
import type { RecoveryWatch } from '../recovery/recovery-watch.ts';
import type { HostPortKeeper } from '../routing/host-port-keeper.ts';
import type { RoutingKeeper } from '../routing/routing-keeper.ts';
import type {
  ImageManager,
  Pleg,
  PodDirectory,
  PodEvents,
  PodObservation,
  PodUID,
  PodView,
  ProbeManager,
  StatusManager,
  VolumeManager,
  VolumeTrouble,
} from '../types.ts';
import { ghostPod } from './ghost-pod.ts';
import { countHealing, type HealingMetrics, healingMetrics, tellStoppedPods } from './healing-metrics.ts';
import {
  ABSENCE_WAIT_MS,
  ADMISSION_WAIT_MS,
  MAX_CONCURRENT_PASSES,
  NAMESAKE_WAIT_MS,
  PASS_RETRY,
  SYNC_WAIT_MS,
} from './limits.ts';
import { type PodWorkersMetrics, podWorkersMetrics } from './pod-workers-metrics.ts';
import { endsBeforeItReturns, mayHaveNamesake, namesakeInTheWay } from './namesakes.ts';
import { withMirrorAnnotations } from '../pods/static-pods.ts';
import type { Worker } from './worker.ts';

export interface PodWorkersOptions {
  readonly ports: PodWorkersPorts;
  readonly sources: PodSources;
  readonly parts: PassParts;
  readonly reporters: PassReporters;
  readonly node: HostingNode;
}

export interface PodWorkersPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/** Which pods there should be, and which there are. */
export interface PodSources {
  readonly queue: WorkQueue<PodUID>;
  readonly desired: DesiredPods;
  readonly pleg: Pleg;
  /** The mirror of a static pod, if there is one. */
  readonly mirrorOf?: (pod: Pod) => Pod | undefined;
  /** Has the server said that this pod, which no source has, is gone? Absent: the sources' word is enough. */
  readonly isGone?: (uid: PodUID, namespace: string, name: string) => boolean;
}

/** The parts that a pass acts with. */
export interface PassParts {
  readonly notes: PodNoteStore;
  readonly executor: Executor;
  readonly volumes: VolumeManager;
  readonly images: ImageManager;
  readonly probes: ProbeManager;
  /** Watches the circumstances of pods that asked for late recovery; absent: none is watched. */
  readonly recovery?: RecoveryWatch;
  /** Absent: mendlet does not route here. */
  readonly routing?: { readonly keeper: RoutingKeeper; readonly port: PodRouting };
  /** Absent: the runtime makes host ports. */
  readonly hostPorts?: HostPortKeeper;
}

/** The parts that a pass tells what it saw and did. */
export interface PassReporters {
  readonly status: StatusManager;
  readonly events: PodEvents;
  /** Records how containers ended. Neither call blocks or throws. */
  readonly deaths?: Pick<DeathRecorder, 'observe' | 'gone'>;
  /** Remembers the pods' last day. Neither call blocks or throws. */
  readonly days?: Pick<DayKeeper, 'passed' | 'gone'>;
}

/** The node that pods are to run on. */
export interface HostingNode {
  /** May the pod, asked about since `sinceMono`, run beside `others`, which do? `undefined`: ask again a little later. */
  readonly admit: (pod: Pod, others: readonly Pod[], sinceMono: number) => Admission | undefined;
  /** Has the node room for the pod as its spec wants it now, beside `others`? Absent: it has. */
  readonly resize?: (pod: Pod, others: readonly Pod[]) => ResizeVerdict;
  /** `undefined`: the node is not known yet. */
  readonly facts: () => NodeFacts | undefined;
}

/** The queue of passes; made separately, because all parts mark pods dirty before the workers exist. */
export function createPodQueue(clock: Clock): WorkQueue<PodUID> {
  return new WorkQueue<PodUID>({ clock, backOff: PASS_RETRY });
}

export class PodWorkers implements PodDirectory {
  readonly #ports: PodWorkersPorts;
  readonly #sources: PodSources;
  readonly #parts: PassParts;
  readonly #reporters: PassReporters;
  readonly #node: HostingNode;
  readonly #metrics: PodWorkersMetrics;
  readonly #healing: HealingMetrics;
  readonly #workers = new Map<PodUID, Worker>();

  constructor({ ports, sources, parts, reporters, node }: PodWorkersOptions) {
    this.#ports = ports;
    this.#sources = sources;
    this.#parts = parts;
    this.#reporters = reporters;
    this.#node = node;
    this.#metrics = podWorkersMetrics(ports.metrics);
    this.#healing = healingMetrics(ports.metrics);
    ports.metrics.onCollect(() => tellStoppedPods(this.#healing, this.#notes()));
  }

  /** Passes until the signal is aborted and the passes under way have ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { queue } = this.#sources;
    const close = (): void => queue.close();
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) close();
    await runWorkQueue({
      queue,
      concurrency: MAX_CONCURRENT_PASSES,
      handler: (uid) => this.#timedPass(uid),
      onPanic: (uid, error) => this.#panic(uid, error),
    });
    await this.#parts.notes.settled();
  }

  /** Asks for the pod's end, e.g. by eviction. Unknown pods are left alone. */
  terminate(uid: PodUID, request: TerminationRequest, end?: PodNote['end']): void {
    const worker = this.#workers.get(uid);
    if (worker === undefined) return;
    const { note } = worker.memory;
    const termination = note.termination ?? request;
    worker.memory = { ...worker.memory, note: { ...note, termination, ...(end === undefined ? {} : { end }) } };
    this.#sources.queue.add(uid);
  }

  /** Its end has been asked for or has begun. */
  isEnding(uid: PodUID): boolean {
    const worker = this.#workers.get(uid);
    return (
      worker !== undefined && (worker.memory.note.termination !== undefined || worker.lifecycle.state !== 'syncing')
    );
  }

  /** @param uids the pods that the runtime has, once it and all sources of pods have been read */
  observed(uids: readonly PodUID[]): void {
    this.#parts.hostPorts?.known(uids);
  }

  /** UIDs that have a worker. */
  uids(): readonly PodUID[] {
    return [...this.#workers.keys()];
  }

  has(uid: PodUID): boolean {
    return this.#workers.has(uid);
  }

  /** The things that the pod's last pass waited for; for logs and debugging. */
  why(uid: PodUID): readonly string[] {
    return this.#workers.get(uid)?.why ?? [];
  }

  /** What happens next to pods by time alone, for who looks. */
  nextSteps(): readonly PodStep[] {
    const { mono } = this.#ports.clock.now();
    return [...this.#workers.values()].flatMap(({ uid, pod: { metadata }, next }) => {
      if (next === undefined || next.at <= mono) return [];
      const { namespace = '' } = metadata ?? {};
      return [{ uid, namespace, words: next.words, inMs: Math.round(next.at - mono) }];
    });
  }

  pods(): readonly PodView[] {
    const { desired } = this.#sources;
    return desired.all().flatMap(({ pod, wanted }) => (wanted ? [this.#view(pod)] : []));
  }

  find(namespace: string, name: string, uid?: PodUID): PodView | undefined {
    const found = this.pods().find(({ pod: { metadata } }) => {
      const named = metadata?.namespace === namespace && metadata.name === name;
      return named && (uid === undefined || metadata.uid === uid);
    });
    return found;
  }

  /** Pods that the node is doing something for: admitted and not yet over. */
  activePods(except?: PodUID): readonly Pod[] {
    return [...this.#workers.values()]
      .filter((worker) => worker.uid !== except && isActive(worker))
      .map(({ pod, memory }) => allocatedPod(pod, memory.note));
  }

  #notes(): readonly PodNote[] {
    return [...this.#workers.values()].map(({ memory }) => memory.note);
  }

  #view(pod: Pod): PodView {
    const uid = pod.metadata?.uid ?? '';
    return { pod, status: this.#workers.get(uid)?.status, observation: this.#sources.pleg.observation(uid) };
  }

  async #timedPass(uid: PodUID): Promise<'retry' | void> {
    const { clock } = this.#ports;
    const begun = clock.now().mono;
    try {
      return await this.#pass(uid);
    } finally {
      const operation = this.#workers.get(uid)?.lifecycle.state === 'syncing' ? 'sync' : 'terminate';
      this.#metrics.passSeconds.observe((clock.now().mono - begun) / 1000, { operation_type: operation });
    }
  }

  async #pass(uid: PodUID): Promise<'retry' | void> {
    const { clock } = this.#ports;
    const { pleg, desired, queue } = this.#sources;
    const { executor } = this.#parts;
    const node = this.#node.facts();
    if (!pleg.synced() || node === undefined) return queue.addAfter(uid, SYNC_WAIT_MS);
    // The runtime's state of this pod is not known: neither its presence nor its absence may be acted on.
    if (!pleg.known(uid)) return 'retry';
    const worker = await this.#worker(uid);
    if (worker === 'unsure') return queue.addAfter(uid, ABSENCE_WAIT_MS);
    if (worker === undefined) return desired.synced() ? undefined : queue.addAfter(uid, SYNC_WAIT_MS);
    if (this.#waitsForNamesake(worker)) return queue.addAfter(uid, NAMESAKE_WAIT_MS);
    // Together, before anything is read: an action that ends during the read still counts as under way, because the read
    // may not show it yet. Its outcome comes with the next pass.
    const outcomes = executor.takeOutcomes(uid);
    const jobs = executor.jobs(uid);
    worker.memory = remember(worker.memory, outcomes);
    for (const outcome of outcomes) {
      if (changesRuntime(outcome)) worker.freshAfter = Math.max(worker.freshAfter, outcome.at.mono);
    }
    if (!(await this.#observe(worker))) return 'retry';
    const observed = pleg.observation(uid);
    if (!this.#admit(worker, observed)) return queue.addAfter(uid, ADMISSION_WAIT_MS);
    if (isToEnd(worker)) this.#parts.routing?.keeper.leaves(uid);
    const plan = computePodActions({
      pod: worker.pod,
      wanted: worker.wanted,
      lifecycle: worker.lifecycle,
      observed,
      memory: worker.memory,
      facts: this.#facts(uid, jobs, node),
      previousStatus: worker.status ?? worker.pod.status,
      now: clock.now(),
    });
    await this.#apply(worker, plan, observed);
  }

  /** Whether a pod of the same name must end first, which the pod's events say once. */
  #waitsForNamesake(worker: Worker): boolean {
    if (!mayHaveNamesake(worker)) return false;
    const { pleg, queue } = this.#sources;
    const seen = pleg.uids().flatMap((each) => pleg.observation(each) ?? []);
    const namesake = namesakeInTheWay(worker, this.#workers.values(), seen);
    if (namesake === undefined) return false;
    if (!this.#workers.has(namesake)) queue.add(namesake);
    const why = `pod ${namesake} of the same name has not ended`;
    if (worker.why[0] !== why) {
      const message = `Containers of an earlier pod of this name still run on this node; this one starts after their end (pod ${namesake})`;
      this.#reporters.events.pod(worker.pod, 'Normal', 'WaitingForEarlierPod', message);
    }
    worker.why = [why];
    worker.next = undefined;
    return true;
  }

  /** The pod's worker, made at its first pass from what desired, runtime and disk know of it. */
  async #worker(uid: PodUID): Promise<Worker | 'unsure' | undefined> {
    const { clock } = this.#ports;
    const { desired, pleg } = this.#sources;
    const { notes, volumes } = this.#parts;
    const entry = desired.get(uid);
    const known = this.#workers.get(uid);
    if (known !== undefined) {
      if (entry !== undefined) {
        known.pod = this.#annotated(entry.pod);
        known.wanted = entry.wanted && !endsBeforeItReturns(known);
      }
      return known;
    }
    if (entry === undefined && !desired.synced()) return undefined;
    const note = await notes.load(uid);
    const observed = pleg.observation(uid);
    // No source wants it, and nothing is left of it.
    if (
      entry === undefined &&
      observed === undefined &&
      note === undefined &&
      !(await volumes.onDisk()).includes(uid)
    ) {
      desired.forget(uid);
      return undefined;
    }
    if (entry === undefined && this.#mayStillBeWanted(uid, observed, note)) return 'unsure';
    const pod = this.#annotated(entry?.pod ?? ghostPod(uid, observed, note));
    const empty = emptyMemory(pod.metadata?.namespace ?? '', pod.metadata?.name ?? '').note;
    const worker: Worker = {
      uid,
      pod,
      wanted: entry?.wanted ?? false,
      lifecycle: { state: 'waiting' },
      memory: {
        note: note === undefined ? noteFromStatus(empty, pod) : withLadderToldLater(note, pod),
        volatile: EMPTY_VOLATILE,
      },
      status: undefined,
      annotations: {},
      freshAfter: Number.NEGATIVE_INFINITY,
      admissionAskedAt: undefined,
      firstSeenAt: pod.status?.startTime === undefined && note === undefined ? clock.now().mono : undefined,
      preparedVersion: undefined,
      why: [],
      next: undefined,
    };
    this.#workers.set(uid, worker);
    return worker;
  }

  /** No source has it, and the server has not said that it is gone: its object may be one that cannot be read. */
  #mayStillBeWanted(uid: PodUID, observed: PodObservation | undefined, note: PodNote | undefined): boolean {
    const named = observed ?? note;
    // Its name is not known: nothing runs, and only its remains exist.
    if (named?.namespace === undefined || named.name === undefined) return false;
    return this.#sources.isGone?.(uid, named.namespace, named.name) === false;
  }

  #annotated(pod: Pod): Pod {
    return withMirrorAnnotations(pod, this.#sources.mirrorOf?.(pod));
  }

  /** Reads the pod again if the last observation is older than the last action on it. */
  async #observe(worker: Worker): Promise<boolean> {
    const { logger } = this.#ports;
    const { pleg } = this.#sources;
    const cached = pleg.observation(worker.uid);
    if (worker.freshAfter === Number.NEGATIVE_INFINITY) return true;
    if (cached === undefined || cached.at < worker.freshAfter) {
      try {
        await pleg.inspect(worker.uid);
      } catch (error) {
        if (!(error instanceof RuntimeError)) throw error;
        logger.info('the pod cannot be inspected', { uid: worker.uid, error: errorMessage(error) });
        return false;
      }
    }
    worker.freshAfter = Number.NEGATIVE_INFINITY;
    return true;
  }

  /** Once per pod; false: not decided yet. A pod that the runtime already runs was admitted in an earlier life. */
  #admit(worker: Worker, observed: PodObservation | undefined): boolean {
    const { note } = worker.memory;
    if (note.admitted || note.end !== undefined || worker.lifecycle.state !== 'waiting') return true;
    if (worker.pod.metadata?.deletionTimestamp !== undefined) return true;
    if ((observed?.sandboxes.length ?? 0) > 0 || !worker.wanted) {
      worker.memory = { ...worker.memory, note: { ...note, admitted: true } };
      return true;
    }
    worker.admissionAskedAt ??= this.#ports.clock.now().mono;
    const verdict = this.#node.admit(worker.pod, this.activePods(worker.uid), worker.admissionAskedAt);
    if (verdict === undefined) return false;
    if (verdict.admitted) {
      worker.memory = { ...worker.memory, note: { ...note, admitted: true } };
      return true;
    }
    this.#reporters.events.pod(worker.pod, 'Warning', verdict.reason, verdict.message);
    const end = { phase: 'Failed', reason: verdict.reason, message: `Pod was rejected: ${verdict.message}` } as const;
    worker.memory = { ...worker.memory, note: { ...note, end } };
    return true;
  }

  #facts(uid: PodUID, jobs: ReturnType<Executor['jobs']>, node: NodeFacts): PodFacts {
    const { volumes, images, probes, recovery, routing } = this.#parts;
    const { resize } = this.#node;
    const circumstances = recovery?.circumstances(uid);
    return {
      jobs,
      node,
      ...(circumstances === undefined ? {} : { circumstances }),
      ...(routing === undefined ? {} : routingFacts(uid, routing.port)),
      ...(resize === undefined ? {} : { resize: (pod: Pod) => resize(pod, this.activePods(uid)) }),
      volumes: volumes.fact(uid),
      ...troublesFact(volumes.troubles?.(uid) ?? []),
      image: (container: string, attempt: number) => images.fact(uid, container, attempt),
      probes: probes.results(uid),
    };
  }

  async #apply(worker: Worker, plan: PodPlan, observed: PodObservation | undefined): Promise<void> {
    const { queue } = this.#sources;
    const { notes, executor, probes } = this.#parts;
    const { events } = this.#reporters;
    const { uid } = worker;
    const pod = allocatedPod(worker.pod, plan.memory.note);
    this.#countDeaths(worker, plan);
    for (const { scope, source, result } of plan.endedRestarts)
      this.#metrics.podRestarts.inc({ scope, source, result });
    const noteBefore = worker.memory.note;
    countHealing(this.#healing, noteBefore, plan.memory.note);
    const { note } = plan.memory;
    this.#reporters.deaths?.observe({ pod, noteBefore, note, observed });
    worker.memory = plan.memory;
    if (worker.lifecycle.state !== plan.lifecycle.state) this.#logTransition(worker, plan);
    worker.lifecycle = plan.lifecycle;
    worker.status = plan.status;
    worker.annotations = plan.annotations;
    worker.why = plan.why;
    worker.next = plan.next;
    const ending = plan.lifecycle.state !== 'syncing' && plan.lifecycle.state !== 'waiting';
    this.#reporters.days?.passed({ pod, status: plan.status, noteBefore, note, observed, ending });
    this.#parts.routing?.keeper.passed(uid, {
      pod,
      observed,
      status: plan.status,
      ending,
      leaving: leavesToRestart(plan.memory.note),
    });
    this.#parts.hostPorts?.passed(uid, { pod, observed });
    if (plan.gone) {
      await this.#forget(worker);
      return;
    }
    const podIp = plan.status.podIP ?? '';
    // The note is saved before the actions that it justifies. If the disk refuses, healing continues, and the containers'
    // annotations carry the state.
    const noted = notes.save(uid, plan.memory.note);
    // Questions need no note, and a container is made while its note is written: a slow disk is not the way of a restart.
    const early = (action: PodAction): boolean => onlyAsks(action) || waitsForNote(action);
    executor.execute(pod, plan.actions.filter(early), podIp, noted);
    if (plan.actions.length === 0 || !plan.actions.every(early)) {
      await noted;
      this.#prepareVolumes(worker);
      executor.execute(
        pod,
        plan.actions.filter((action) => !early(action)),
        podIp,
      );
      this.#report(worker);
    } else {
      this.#prepareVolumes(worker);
      noted.then(
        () => this.#workers.get(uid) === worker && this.#report(worker),
        (error: unknown) => this.#panic(uid, error),
      );
    }
    for (const { type, reason, message, fieldPath } of plan.events) events.pod(pod, type, reason, message, fieldPath);
    const probed = withoutHooked(pod, observed, executor.jobs(uid));
    probes.sync(pod, probed, { terminating: plan.lifecycle.state !== 'syncing' });
    this.#watchRecovery(worker);
    this.#observeStart(worker);
    if (plan.wakeAt !== undefined) queue.addAt(uid, plan.wakeAt);
  }

  #watchRecovery({ uid, pod, status, lifecycle }: Worker): void {
    const syncing = lifecycle.state === 'syncing';
    this.#parts.recovery?.sync(pod, { syncing, status, volumes: this.#parts.volumes.fact(uid) });
  }

  /** Volumes follow the pod's object: a downwardAPI volume shows its labels. */
  #prepareVolumes(worker: Worker): void {
    const version = worker.pod.metadata?.resourceVersion;
    if (worker.lifecycle.state !== 'syncing' || worker.preparedVersion === version) return;
    const first = worker.preparedVersion === undefined;
    worker.preparedVersion = version;
    if (!first) this.#parts.volumes.prepare(allocatedPod(worker.pod, worker.memory.note));
  }

  #report(worker: Worker): void {
    const { status } = this.#reporters;
    if (!worker.wanted || worker.status === undefined) return;
    const over = worker.lifecycle.state === 'terminated' || worker.lifecycle.state === 'finished';
    if (over && worker.memory.note.reclaimed) status.finish(worker.pod, worker.status, worker.annotations);
    else status.report(worker.pod, worker.status, worker.annotations);
  }

  async #forget({ uid }: Worker): Promise<void> {
    const { queue, desired } = this.#sources;
    const { notes, executor, probes, images } = this.#parts;
    const { status } = this.#reporters;
    await notes.remove(uid);
    this.#workers.delete(uid);
    this.#reporters.deaths?.gone(uid);
    this.#reporters.days?.gone(uid);
    executor.forget(uid);
    probes.forget(uid);
    images.forget(uid);
    this.#parts.recovery?.forget(uid);
    this.#parts.routing?.keeper.forget(uid);
    this.#parts.hostPorts?.forget(uid);
    status.forget(uid);
    desired.forget(uid);
    queue.discard(uid);
    if (desired.get(uid)?.wanted !== true) return;
    // It came back while it ended.
    this.#metrics.restarted.inc({ static: 'true' });
    queue.add(uid);
  }

  #logTransition(worker: Worker, plan: PodPlan): void {
    const request = 'request' in plan.lifecycle ? plan.lifecycle.request : undefined;
    this.#ports.logger.info(`pod ${plan.lifecycle.state}`, {
      pod: `${worker.pod.metadata?.namespace}/${worker.pod.metadata?.name}`,
      uid: worker.uid,
      ...(request === undefined ? {} : { reason: request.reason, graceSeconds: request.gracePeriodSeconds }),
    });
  }

  #observeStart(worker: Worker): void {
    const statuses = worker.status?.containerStatuses ?? [];
    if (worker.firstSeenAt === undefined || statuses.length === 0) return;
    if (!statuses.every(({ state }) => state?.running !== undefined)) return;
    const { mono } = this.#ports.clock.now();
    this.#metrics.startSeconds.observe((mono - worker.firstSeenAt) / 1000);
    worker.firstSeenAt = undefined;
  }

  #countDeaths(worker: Worker, plan: PodPlan): void {
    for (const { container, kind } of allContainers(worker.pod)) {
      const before = worker.memory.note.containers[container.name]?.deaths ?? [];
      for (const death of plan.memory.note.containers[container.name]?.deaths ?? []) {
        if (before.some(({ containerId }) => containerId === death.containerId)) continue;
        this.#metrics.terminated.inc({
          container_type: CONTAINER_TYPES[kind],
          exit_code: String(death.exitCode),
          reason: death.reason,
        });
      }
    }
  }

  /** A mistake in the code of one pod's pass is reported, and the pass is tried again with growing pauses. The agent goes on. */
  #panic(uid: PodUID, error: unknown): void {
    const { logger } = this.#ports;
    const { desired } = this.#sources;
    const { events } = this.#reporters;
    this.#metrics.panics.inc();
    logger.error('a pass over a pod broke', { uid, error });
    const pod = this.#workers.get(uid)?.pod ?? desired.get(uid)?.pod;
    if (pod === undefined) return;
    events.pod(pod, 'Warning', 'FailedSync', `error syncing pod, skipping: ${errorMessage(error)}`);
  }
}

function isToEnd({ pod, wanted, memory }: Worker): boolean {
  return pod.metadata?.deletionTimestamp !== undefined || !wanted || memory.note.termination !== undefined;
}

/** The view of probes: a container whose postStart hook is under way does not count as running yet. */
function withoutHooked(
  pod: Pod,
  observed: PodObservation | undefined,
  jobs: ReturnType<Executor['jobs']>,
): PodObservation | undefined {
  if (observed === undefined) return undefined;
  const hooked = allContainers(pod)
    .map(({ container }) => container)
    .filter(
      ({ name, lifecycle }) => lifecycle?.postStart !== undefined && jobs[`start-container/${name}`] !== undefined,
    );
  if (hooked.length === 0) return observed;
  return {
    ...observed,
    containers: observed.containers.filter((each) => !hooked.some(({ name }) => name === each.name)),
  };
}

function isActive(worker: Worker): boolean {
  const { state } = worker.lifecycle;
  return worker.memory.note.admitted && state !== 'terminated' && state !== 'finished';
}

function routingFacts(uid: PodUID, port: PodRouting): Pick<PodFacts, 'withdrawal' | 'canLeave'> {
  return { withdrawal: port.withdrawal(uid) ?? 'needless', canLeave: () => port.canLeave(uid) };
}

/** Absent while there are none, which is nearly always. */
function troublesFact(volumeTroubles: readonly VolumeTrouble[]): Pick<PodFacts, 'volumeTroubles'> {
  return volumeTroubles.length === 0 ? {} : { volumeTroubles };
}
