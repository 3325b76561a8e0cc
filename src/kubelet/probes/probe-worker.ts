/** Probes one container by one of its probes, from the container's start until it is stopped. */
import type { Container, Pod, Probe } from '../../api/index.ts';
import { type Clock, errorMessage, type Logger, type Random, type Semaphore, type Timer } from '../../lib/index.ts';
import { maskSecrets } from '../../log-analysis/index.ts';
import type { ProbeAttempt } from '../ports.ts';
import type { PodEvents, ProbeResult } from '../types.ts';
import { type AttemptPorts, attemptProbe } from './attempt.ts';
import { DEFAULT_FAILURE_THRESHOLD, DEFAULT_SUCCESS_THRESHOLD, MAX_OUTPUT_LENGTH } from './limits.ts';
import { kindTitle, type ProbeMetrics, type ProbeSubject } from './probe-metrics.ts';
import { initialProbeState, type ProbeKind, type ProbeState, probeStep } from './probe-step.ts';
import { firstAttemptAt, nextAttemptAt } from './probe-timing.ts';

/** An attempt that failed, and counts. */
export interface FailedAttempt {
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly kind: ProbeKind;
  readonly output: string;
  /** It is the one by which the probe has failed: the container may be killed for it at once. */
  readonly decides: boolean;
}

export interface WorkerContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly events: PodEvents;
  readonly metrics: ProbeMetrics;
  readonly attempt: AttemptPorts;
  readonly onFailure?: (failed: FailedAttempt) => void;
  /** Shared by all workers of the node. */
  readonly places: Semaphore;
}

export interface WorkerSpec {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly target: ProbedContainer;
  readonly adopted: boolean;
  readonly carried: ProbeResult | undefined;
  readonly onVerdict: () => void;
}

export interface ProbedContainer {
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  /** Mono ms. */
  readonly startedAt: number;
  readonly podIp: () => string | undefined;
}

export class ProbeWorker {
  readonly kind: ProbeKind;
  readonly subject: ProbeSubject;
  readonly #context: WorkerContext;
  readonly #spec: WorkerSpec;
  readonly #stopped = new AbortController();
  #state: ProbeState;
  #timer: Timer | undefined;
  #running = false;
  #attempts = 0;

  constructor(context: WorkerContext, spec: WorkerSpec) {
    this.#context = context;
    this.#spec = spec;
    this.kind = spec.kind;
    this.#state = initialProbeState(spec.kind, spec.carried);
    const { pod, container } = spec.target;
    this.subject = {
      kind: spec.kind,
      container: container.name,
      pod: pod.metadata?.name ?? '',
      namespace: pod.metadata?.namespace ?? '',
      uid: pod.metadata?.uid ?? '',
    };
  }

  get verdict(): ProbeResult {
    return this.#state.verdict;
  }

  /** Begins to probe; idempotent. `startedAt`: mono ms from which the initial delay counts. */
  start(): void {
    if (this.#running || this.#stopped.signal.aborted) return;
    this.#running = true;
    const { clock, random } = this.#context;
    const { kind, probe, target, adopted } = this.#spec;
    const { startedAt } = target;
    const now = clock.now().mono;
    this.#arm(firstAttemptAt({ kind, probe, now, startedAt, adopted, chance: random.next() }));
  }

  /** No more attempts; one under way is abandoned, its result dropped. */
  stop(): void {
    this.#timer?.cancel();
    this.#stopped.abort();
  }

  #arm(at: number): void {
    const { clock } = this.#context;
    this.#timer = clock.setTimer(at - clock.now().mono, () => void this.#attempt());
  }

  async #attempt(): Promise<void> {
    const { clock, random, places } = this.#context;
    const { kind, probe } = this.#spec;
    const release = await places.acquire();
    const begunAt = clock.now().mono;
    try {
      if (this.#stopped.signal.aborted) return;
      this.#take(await this.#probe(), (clock.now().mono - begunAt) / 1000);
    } catch (error) {
      // A mistake in the code of one probe: the probe goes on, and so does the agent.
      this.#context.logger.error('a probe broke', { pod: this.subject.pod, uid: this.subject.uid, error });
      const { pod } = this.#spec.target;
      this.#context.events.pod(pod, 'Warning', 'FailedSync', `error syncing pod, skipping: ${errorMessage(error)}`);
    } finally {
      release();
    }
    if (this.#stopped.signal.aborted || this.#isDone()) return;
    this.#attempts += 1;
    const previous = { begunAt, first: this.#attempts === 1, chance: random.next(), now: clock.now().mono };
    this.#arm(nextAttemptAt(kind, probe, previous));
  }

  async #probe(): Promise<ProbeAttempt> {
    const { probe, target } = this.#spec;
    const { container, containerId } = target;
    const input = { probe, container, containerId, podIp: target.podIp(), signal: this.#stopped.signal };
    try {
      return await attemptProbe(this.#context.attempt, input);
    } catch (error) {
      return { result: 'error', output: errorMessage(error) };
    }
  }

  /** A startup probe ends with its success, a probe on hold with its container. */
  #isDone(): boolean {
    return this.#state.onHold || (this.kind === 'startup' && this.#state.verdict === 'success');
  }

  #take(attempt: ProbeAttempt, seconds: number): void {
    if (this.#stopped.signal.aborted) return;
    this.#context.metrics.attempted(this.subject, attempt.result, seconds);
    const before = this.#state.verdict;
    if (attempt.result !== 'error') this.#step(attempt.result);
    const decides = this.#state.verdict !== before;
    this.#tell(attempt, decides);
    if (decides) this.#spec.onVerdict();
  }

  #step(result: 'success' | 'failure'): void {
    const { successThreshold, failureThreshold } = this.#spec.probe;
    const thresholds = {
      successThreshold: successThreshold ?? DEFAULT_SUCCESS_THRESHOLD,
      failureThreshold: failureThreshold ?? DEFAULT_FAILURE_THRESHOLD,
    };
    this.#state = probeStep(this.kind, thresholds, this.#state, result);
  }

  #tell(attempt: ProbeAttempt, decides: boolean): void {
    const title = kindTitle(this.kind);
    const output = maskSecrets(attempt.output.slice(0, MAX_OUTPUT_LENGTH));
    if (attempt.result === 'failure') {
      const { pod, container, containerId } = this.#spec.target;
      this.#context.onFailure?.({ pod, container, containerId, kind: this.kind, output, decides });
      this.#event('Unhealthy', `${title} probe failed: ${output}`);
    }
    if (attempt.result === 'error') {
      this.#event('Unhealthy', `${title} probe errored and resulted in unknown state: ${output}`);
    }
    if (attempt.result === 'success' && attempt.warning !== undefined) {
      this.#event('ProbeWarning', `${title} probe warning: ${attempt.warning.slice(0, MAX_OUTPUT_LENGTH)}`);
    }
  }

  #event(reason: string, message: string): void {
    const { pod, container } = this.#spec.target;
    const sidecar = pod.spec?.initContainers?.some(({ name }) => name === container.name) ?? false;
    const list = sidecar ? 'initContainers' : 'containers';
    this.#context.events.pod(pod, 'Warning', reason, message, `spec.${list}{${container.name}}`);
  }
}
