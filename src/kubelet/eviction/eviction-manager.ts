/**
 * Keeps the node from running out of memory, disk and PIDs. It looks every 10 s, reports the node's conditions, first frees
 * what hurts nobody (dead containers, unused images), and only then evicts one pod at a time. Upstream: pkg/kubelet/eviction.
 * The decisions are in the pure files beside.
 */
import type { Pod, PodCondition } from '../../api/index.ts';
import { type Clock, errorMessage, type Logger, type MetricsRegistry, withDeadline } from '../../lib/index.ts';
import type { TerminationRequest } from '../plan/pod-memory.ts';
import type { Machine } from '../ports.ts';
import type { KubeletSettings } from '../settings.ts';
import type { PodStats, StatsProvider } from '../stats/summary.ts';
import type { PodEvents, PressureVerdict } from '../types.ts';
import { CLEANUP_TIMEOUT_MS, HARD_GRACE_SECONDS, MONITOR_PERIOD_MS, PRESSURE_TIMEOUT_MS } from './limits.ts';
import { hasStorageLimits, storageViolation } from './local-storage.ts';
import { evictionMessage, resourceOf } from './messages.ts';
import { type Observation, type Observations, observe } from './observations.ts';
import { CALM, conditionOf, isCrossed, NO_PRESSURE, type PressureState, stepPressure } from './pressure-step.ts';
import { rankPods } from './rank-pods.ts';
import { type EvictionSignal, hardReserve, parseThresholds, type Threshold } from './thresholds.ts';
import { isVolumesFault, type VolumeOveruse } from './volume-blame.ts';

export interface EvictionPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly machine: Pick<Machine, 'facts' | 'pressure'>;
}

export interface EvictionParts {
  readonly stats: StatsProvider;
  readonly events: PodEvents;
  /** Pods that the node is doing something for, and that are not ending already. */
  readonly activePods: () => readonly Pod[];
  /** Ends the pod and fixes its end. */
  readonly terminate: (
    pod: Pod,
    request: TerminationRequest,
    end: { readonly phase: 'Failed'; readonly reason: string; readonly message: string },
  ) => void;
  /** Removes dead containers and unused images; rejects when nothing could be freed for a reason worth reporting. */
  readonly freeDisk: () => Promise<void>;
  /** Absent, or undefined: no volumes that claims outgrew are on the disk of the pods' folders. */
  readonly volumeOveruse?: (signal: AbortSignal) => Promise<VolumeOveruse | undefined>;
  /** The verdict changed: the node's status should say so now. */
  readonly onChange: () => void;
  /** The first verdict rests on the first observation, whatever it is. */
  readonly onKnown?: () => void;
}

interface Eviction {
  readonly pod: Pod;
  readonly message: string;
  readonly graceSeconds: number;
  /** For the metric: the signal, or which limit was crossed. */
  readonly signal: string;
}

export class EvictionManager {
  readonly #ports: EvictionPorts;
  readonly #settings: KubeletSettings['eviction'];
  readonly #parts: EvictionParts;
  readonly #thresholds: readonly Threshold[];
  readonly #evictions;
  #state: PressureState = CALM;
  #verdict: PressureVerdict = NO_PRESSURE;
  #disk: Observation | undefined;
  #size: { readonly memoryBytes: number; readonly maxPids: number } | undefined;
  #looks = 0;
  #known = false;
  /** Until this time (mono ms) the effect of the last eviction, of this pod, is waited for. */
  #waiting: { readonly uid: string; readonly until: number } | undefined;

  /** @throws ThresholdError for settings that make no sense */
  constructor(ports: EvictionPorts, settings: KubeletSettings['eviction'], parts: EvictionParts) {
    this.#ports = ports;
    this.#settings = settings;
    this.#parts = parts;
    this.#thresholds = parseThresholds(settings);
    this.#evictions = ports.metrics.counter({
      name: 'kubelet_evictions',
      help: 'Pods evicted, by the signal that was crossed.',
      labels: ['eviction_signal'],
    });
  }

  /** For the node's conditions and for admission. */
  verdict(): PressureVerdict {
    return this.#verdict;
  }

  /** The verdict rests on what was seen: at the agent's start nothing has been. */
  known(): boolean {
    return this.#known;
  }

  /** Of the file system with the pods' folders, as it was looked at last: 0 to 100; undefined: not yet, or it has no size. */
  diskUsedPercent(): number | undefined {
    if (this.#disk === undefined) return undefined;
    const { available, capacity } = this.#disk;
    return Math.round(Math.min(100, Math.max(0, (1 - available / capacity) * 100)));
  }

  /** The amount of this capacity that the hard threshold of this signal keeps free. */
  keepsFree(signal: EvictionSignal, capacity: number): number {
    return hardReserve(this.#thresholds, signal, capacity);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#ports;
    while (!signal.aborted) {
      try {
        await this.#look(signal);
      } catch (error) {
        if (!signal.aborted) logger.warn('the node could not be checked for pressure', { error: errorMessage(error) });
      }
      await clock.sleep(MONITOR_PERIOD_MS, signal).catch(() => {});
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const observed = await this.#observe(signal);
    const reclaim = observed === undefined ? undefined : this.#step(observed);
    const isFirst = this.#looks === 0;
    this.#looks += 1;
    // At the agent's start little is known about usage: no pod is evicted by guess.
    if (isFirst || this.#stillWaits()) return;
    const eviction = (await this.#storageEviction()) ?? (await this.#reclaim(reclaim, signal));
    if (eviction !== undefined && !signal.aborted) this.#evict(eviction);
  }

  async #observe(signal: AbortSignal): Promise<Observations | undefined> {
    const { clock, machine } = this.#ports;
    const answer = await withDeadline({ clock, timeoutMs: PRESSURE_TIMEOUT_MS, signal }, async () => {
      const [facts, pressure] = await Promise.all([this.#size ?? machine.facts(), machine.pressure()]);
      return { facts, pressure };
    });
    if (answer.kind !== 'done') return undefined;
    const { facts, pressure } = answer.value;
    this.#size = { memoryBytes: facts.memoryBytes, maxPids: facts.maxPids };
    const observed = observe(pressure, this.#size);
    this.#disk = observed['nodefs.available'];
    return observed;
  }

  /** @returns the threshold to reclaim for */
  #step(observed: Observations): Threshold | undefined {
    const { clock } = this.#ports;
    const settings = this.#settings;
    const step = stepPressure(this.#state, observed, {
      thresholds: this.#thresholds,
      now: clock.now().mono,
      transitionMs: settings.pressureTransitionPeriodMs,
    });
    const changed = (['memory', 'disk', 'pid'] as const).some((key) => step.verdict[key] !== this.#verdict[key]);
    this.#state = step.state;
    this.#verdict = step.verdict;
    const isFirst = !this.#known;
    this.#known = true;
    if (changed) this.#parts.onChange();
    if (isFirst) this.#parts.onKnown?.();
    return step.reclaim;
  }

  /** One pod at a time: the next is looked at when the last one is gone, or does not go. */
  #stillWaits(): boolean {
    if (this.#waiting === undefined) return false;
    const { uid, until } = this.#waiting;
    const gone = !this.#parts.activePods().some(({ metadata }) => metadata?.uid === uid);
    if (!gone && this.#ports.clock.now().mono < until) return true;
    this.#waiting = undefined;
    return false;
  }

  async #storageEviction(): Promise<Eviction | undefined> {
    const limited = this.#parts.activePods().filter(hasStorageLimits);
    if (limited.length === 0) return undefined;
    const stats = await this.#podStats();
    for (const pod of limited) {
      const message = storageViolation(pod, stats.get(pod.metadata?.uid ?? ''));
      if (message !== undefined) return { pod, message, graceSeconds: HARD_GRACE_SECONDS, signal: 'local-storage' };
    }
    return undefined;
  }

  async #reclaim(threshold: Threshold | undefined, signal: AbortSignal): Promise<Eviction | undefined> {
    if (threshold === undefined) return undefined;
    const { logger } = this.#ports;
    const settings = this.#settings;
    const { events, activePods } = this.#parts;
    const resource = resourceOf(threshold.signal);
    events.node('Warning', 'EvictionThresholdMet', `Attempting to reclaim ${resource}`);
    logger.warn('the node is short of a resource', { signal: threshold.signal, threshold: threshold.text });
    if (conditionOf(threshold.signal) === 'disk') {
      if (await this.#freedEnough(threshold, signal)) return undefined;
      if (await this.#isVolumesFault(threshold, signal)) return undefined;
    }
    const stats = await this.#podStats();
    const candidates = activePods().map((pod) => ({ pod, stats: stats.get(pod.metadata?.uid ?? '') }));
    const [first] = rankPods(threshold.signal, candidates);
    if (first === undefined) {
      logger.warn('no pod may be evicted', { signal: threshold.signal });
      return undefined;
    }
    const own = first.pod.spec?.terminationGracePeriodSeconds ?? HARD_GRACE_SECONDS;
    const observed = await this.#observe(signal);
    return {
      pod: first.pod,
      message: evictionMessage(threshold, observed?.[threshold.signal], first.pod, first.stats),
      graceSeconds:
        threshold.gracePeriodMs === 0 ? HARD_GRACE_SECONDS : Math.min(settings.maxPodGracePeriodSeconds, own),
      signal: threshold.signal,
    };
  }

  /** Unneeded things are removed first. */
  async #freedEnough(threshold: Threshold, signal: AbortSignal): Promise<boolean> {
    const { logger } = this.#ports;
    const { freeDisk } = this.#parts;
    try {
      await freeDisk();
    } catch (error) {
      logger.warn('nothing could be freed on disk', { error: errorMessage(error) });
    }
    const observed = await this.#observe(signal);
    return observed !== undefined && !isCrossed(threshold, observed, true);
  }

  /** Says so, too. */
  async #isVolumesFault(threshold: Threshold, signal: AbortSignal): Promise<boolean> {
    const { clock, logger } = this.#ports;
    const { volumeOveruse, events } = this.#parts;
    if (volumeOveruse === undefined) return false;
    try {
      const timeoutMs = PRESSURE_TIMEOUT_MS;
      const measured = await withDeadline({ clock, timeoutMs, signal }, (inTime) => volumeOveruse(inTime));
      const overuse = measured.kind === 'done' ? measured.value : undefined;
      const observed = await this.#observe(signal);
      if (observed === undefined || !isVolumesFault(threshold, observed, overuse)) return false;
      events.node('Warning', 'VolumeDiskFull', `no pod is evicted for it: ${overuse?.message ?? ''}`);
      return true;
    } catch (error) {
      if (!signal.aborted) logger.warn('what volumes take of the disk is not known', { error: errorMessage(error) });
      return false;
    }
  }

  async #podStats(): Promise<ReadonlyMap<string, PodStats>> {
    const { pods } = await this.#parts.stats.summary({ fresh: true });
    return new Map(pods.map((pod) => [pod.podRef.uid, pod]));
  }

  #evict({ pod, message, graceSeconds, signal }: Eviction): void {
    const { clock, logger } = this.#ports;
    const { events, terminate } = this.#parts;
    const now = clock.now();
    const condition: PodCondition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'TerminationByKubelet',
      message,
    };
    logger.warn('pod evicted', { pod: `${pod.metadata?.namespace}/${pod.metadata?.name}`, signal, message });
    events.pod(pod, 'Warning', 'Evicted', message);
    this.#evictions.inc({ eviction_signal: signal });
    terminate(
      pod,
      { reason: 'Evicted', message, gracePeriodSeconds: graceSeconds, requestedAt: now.wall, condition },
      { phase: 'Failed', reason: 'Evicted', message },
    );
    this.#waiting = { uid: pod.metadata?.uid ?? '', until: now.mono + CLEANUP_TIMEOUT_MS };
  }
}
