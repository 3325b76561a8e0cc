/**
 * Keeps the runtime's event stream open: attempts go on for ever, with a capped back-off, also while the mode is Generic.
 * Says whether events can be relied on, and reports each change of mode.
 */
import { RuntimeError, type RuntimeEvent } from '../../cri/index.ts';
import {
  childController,
  type Clock,
  errorMessage,
  exponentialDelay,
  jitterUp,
  type Logger,
  type Random,
} from '../../lib/index.ts';
import { NO_EVENTS_RETRY_MS, RECONNECT_BASE_MS, RECONNECT_CAP_MS, STREAM_CONNECT_TIMEOUT_MS } from './limits.ts';
import type { PlegMetrics } from './pleg-metrics.ts';
import type { PlegRuntime } from './pleg-runtime.ts';
import { type FoundChange, SilenceWatch } from './silence-watch.ts';
import {
  afterStream,
  isReliedOn,
  NO_HISTORY,
  nextMode,
  type PlegMode,
  type StreamEnd,
  type StreamHistory,
} from './stream-history.ts';

export interface ModeChange {
  readonly mode: PlegMode;
  /** Absent: the first mode after the start. */
  readonly before?: PlegMode;
  /** Why, when the mode is Generic. */
  readonly reason: string;
  /** It is Generic because streams failed that were to stand. */
  readonly failed: boolean;
}

export interface EventStreamPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly runtime: PlegRuntime;
}

export interface EventStreamListener {
  readonly onEvent: (event: RuntimeEvent) => void;
  /** The stream works (again), or ended: events in between are not in it. */
  readonly onTurn: () => void;
  readonly onMode: (change: ModeChange) => void;
}

/** `evented`: a runtime without events is a reported failure; `auto`: it is accepted. */
export type EventStreamMode = 'auto' | 'evented';

/** One attempt from its beginning to its end. */
interface Attempt {
  readonly begunAt: number;
  readonly controller: AbortController;
  standsSince: number | undefined;
  spoke: boolean;
  /** Why we ended it ourselves. */
  failure: string | undefined;
  silent: boolean;
}

export class EventStream {
  readonly #ports: EventStreamPorts;
  readonly #metrics: PlegMetrics;
  readonly #mode: EventStreamMode;
  readonly #listener: EventStreamListener;
  readonly #silence: SilenceWatch;
  #history: StreamHistory = NO_HISTORY;
  #attempt: Attempt | undefined;
  #told: PlegMode | undefined;
  #lastError = '';

  constructor(ports: EventStreamPorts, metrics: PlegMetrics, mode: EventStreamMode, listener: EventStreamListener) {
    this.#ports = ports;
    this.#metrics = metrics;
    this.#mode = mode;
    this.#listener = listener;
    this.#silence = new SilenceWatch({ clock: ports.clock, onSilent: (change) => this.#onSilent(change) });
  }

  /** Whether the relist may slow down now. */
  reliedOn(): boolean {
    return isReliedOn(this.#history, this.#standsMs());
  }

  /** A relist that began at `beganAt` found `changes` against what the relist that began at `knownSince` left. Mono ms. */
  relisted(beganAt: number, knownSince: number, changes: readonly FoundChange[]): void {
    this.#silence.relisted(beganAt, knownSince, changes);
    // A probation may be over.
    this.#tellMode();
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { end, error } = await this.#once(signal);
      if (signal.aborted) return;
      const unimplemented = error instanceof RuntimeError && error.code === 'Unimplemented';
      this.#lastError = typeof error === 'string' ? error : errorMessage(error);
      const delayMs = unimplemented && this.#mode === 'auto' ? this.#noEvents() : this.#failed(end);
      if (end.stoodMs > 0) this.#listener.onTurn();
      this.#tellMode();
      await this.#ports.clock.sleep(delayMs, signal).catch(() => {});
    }
  }

  /** No events were promised: the mode is Generic, and the runtime is asked again from time to time. */
  #noEvents(): number {
    if (this.#told !== 'generic') this.#setMode('generic', false);
    return NO_EVENTS_RETRY_MS;
  }

  #failed(end: StreamEnd): number {
    const { logger, random } = this.#ports;
    const metrics = this.#metrics;
    this.#history = afterStream(this.#history, end);
    metrics.connectionErrors.inc();
    if (end.silent) metrics.silentStreams.inc();
    const { failures } = this.#history;
    const delayMs = jitterUp(
      exponentialDelay({ baseMs: RECONNECT_BASE_MS, capMs: RECONNECT_CAP_MS }, failures),
      0.2,
      random,
    );
    const fields = { error: this.#lastError, failures, delayMs: Math.round(delayMs) };
    // A runtime that stays away says so once, in the change of mode.
    if (this.#told === 'generic') logger.debug('runtime event stream ended', fields);
    else logger.warn('runtime event stream ended', fields);
    return delayMs;
  }

  async #once(signal: AbortSignal): Promise<{ readonly end: StreamEnd; readonly error: unknown }> {
    const { clock, runtime } = this.#ports;
    const child = childController(signal);
    const attempt: Attempt = {
      begunAt: clock.now().mono,
      controller: child.controller,
      standsSince: undefined,
      spoke: false,
      failure: undefined,
      silent: false,
    };
    this.#attempt = attempt;
    const deadline = clock.setTimer(STREAM_CONNECT_TIMEOUT_MS, () => {
      if (attempt.standsSince === undefined) this.#giveUp(attempt, 'the stream does not stand');
    });
    let error: unknown = 'the runtime ended the stream';
    try {
      for await (const event of runtime.events(child.controller.signal, () => this.#onConnected(attempt))) {
        if (attempt.failure !== undefined) break;
        attempt.spoke = true;
        this.#silence.heard(event);
        this.#listener.onEvent(event);
      }
    } catch (thrown) {
      error = thrown;
    }
    const end = { stoodMs: this.#standsMs() ?? 0, silent: attempt.silent, spoke: attempt.spoke };
    deadline.cancel();
    child.release();
    this.#attempt = undefined;
    this.#silence.streamEnded();
    return { end, error: attempt.failure ?? error };
  }

  #onConnected(attempt: Attempt): void {
    if (attempt !== this.#attempt || attempt.standsSince !== undefined || attempt.failure !== undefined) return;
    const { clock } = this.#ports;
    const metrics = this.#metrics;
    attempt.standsSince = clock.now().mono;
    metrics.connectionSuccesses.inc();
    metrics.connectionLatency.observe((attempt.standsSince - attempt.begunAt) / 1000);
    this.#silence.streamStands();
    this.#tellMode();
    this.#listener.onTurn();
  }

  #onSilent({ type, id }: FoundChange): void {
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    attempt.silent = true;
    this.#giveUp(attempt, `nothing came for a change that the relist found (${type} ${id})`);
  }

  #giveUp(attempt: Attempt, failure: string): void {
    attempt.failure = failure;
    attempt.controller.abort(new Error(failure));
  }

  #standsMs(): number | undefined {
    const since = this.#attempt?.standsSince;
    return since === undefined ? undefined : this.#ports.clock.now().mono - since;
  }

  #tellMode(): void {
    const mode = nextMode(this.#told, this.#history, this.#standsMs());
    if (mode !== undefined && mode !== this.#told) this.#setMode(mode, mode === 'generic');
  }

  #setMode(mode: PlegMode, failed: boolean): void {
    const before = this.#told;
    this.#told = mode;
    this.#listener.onMode({ mode, ...(before === undefined ? {} : { before }), reason: this.#lastError, failed });
  }
}
