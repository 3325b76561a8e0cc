/**
 * Records events at the API server without delaying its callers: events are queued (bounded; dropped ones are counted and
 * logged), correlated one after another, and created or counted up.
 */
import { EVENTS, type Event, type KubeObject, type ObjectReference, StatusError, isNotFound } from '../api/index.ts';
import {
  AsyncQueue,
  type Clock,
  type Counter,
  type Logger,
  type MetricsRegistry,
  type Random,
  errorMessage,
  formatTime,
} from '../lib/index.ts';
import { type Correlated, EventCorrelator, type EventDraft } from './event-correlator.ts';
import type { KubeClient } from './kube-client.ts';
import { EVENT_RETRY_MS, EVENT_TRIES, MAX_EVENT_MESSAGE_LENGTH, MAX_QUEUED_EVENTS } from './limits.ts';

export interface EventRecorder {
  /**
   * Queues an event; it never blocks or throws. `regarding.fieldPath` names a part of the object, e.g.
   * "spec.containers{web}".
   */
  event(
    regarding: ObjectReference,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    annotations?: Readonly<Record<string, string>>,
  ): void;
  /** Sends events until the signal is aborted; events still in the queue are lost. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether no event waits to be sent. */
  settled(): boolean;
}

export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The reporting component: "kubelet", "default-scheduler". */
  readonly component: string;
  /** The component's node, if it is on one. */
  readonly host?: string;
  readonly metrics?: MetricsRegistry;
  /** Reasons with a separate limit per object, so that other events do not use it up. Default: none. */
  readonly toldApart?: ReadonlySet<string>;
}

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new Recorder(options);
}

/** The reference to `object` for its events. */
export function referenceTo(object: KubeObject, fieldPath?: string): ObjectReference {
  const { kind, apiVersion, metadata } = object;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(metadata?.namespace === undefined ? {} : { namespace: metadata.namespace }),
    ...(metadata?.name === undefined ? {} : { name: metadata.name }),
    ...(metadata?.uid === undefined ? {} : { uid: metadata.uid }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(metadata?.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
    ...(fieldPath === undefined ? {} : { fieldPath }),
  };
}

class Recorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #correlator: EventCorrelator;
  readonly #queue = new AsyncQueue<EventDraft>(MAX_QUEUED_EVENTS);
  readonly #dropped: Counter | undefined;
  #sending = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.toldApart);
    this.#dropped = options.metrics?.counter({
      name: 'mendlet_events_dropped_total',
      help: 'Events that never reached the API server, by cause.',
      labels: ['component', 'cause'],
    });
  }

  event(
    regarding: ObjectReference,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    annotations?: Readonly<Record<string, string>>,
  ): void {
    const text = message.length > MAX_EVENT_MESSAGE_LENGTH ? message.slice(0, MAX_EVENT_MESSAGE_LENGTH) : message;
    const at = this.#options.clock.now().wall;
    const extra = annotations === undefined ? {} : { annotations };
    const taken = this.#queue.push({ regarding, type, reason, message: text, at, ...extra });
    if (!taken) this.#drop('queue full', { regarding, reason });
  }

  settled(): boolean {
    return this.#queue.size === 0 && !this.#sending;
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#queue.end();
    signal.addEventListener('abort', stop, { once: true });
    for (
      let draft = await this.#queue.shift();
      draft !== undefined && !signal.aborted;
      draft = await this.#queue.shift()
    ) {
      this.#sending = true;
      await this.#send(draft, signal);
      this.#sending = false;
    }
    signal.removeEventListener('abort', stop);
  }

  async #send(draft: EventDraft, signal: AbortSignal): Promise<void> {
    const correlated = this.#correlator.correlate(draft, this.#options.clock.now().mono);
    if (correlated.kind === 'skip') {
      this.#drop('spam filter', draft);
      return;
    }
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        const event = await this.#write(draft, correlated, signal);
        this.#correlator.remember(correlated.key, {
          namespace: event.metadata.namespace ?? '',
          name: event.metadata.name ?? '',
          count: event.count ?? correlated.count,
          firstAt: correlated.kind === 'create' ? correlated.firstAt : correlated.written.firstAt,
        });
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof StatusError) {
          this.#drop('refused', draft, error);
          return;
        }
        if (tries >= EVENT_TRIES) {
          this.#drop('no answer', draft, error);
          return;
        }
        // The first pause has a random length, so that recorders that lost the server together do not return together.
        const pauseMs = tries === 1 ? EVENT_RETRY_MS * this.#options.random.next() : EVENT_RETRY_MS;
        await this.#options.clock.sleep(pauseMs, signal).catch(() => {});
      }
    }
  }

  async #write(
    draft: EventDraft,
    correlated: Exclude<Correlated, { kind: 'skip' }>,
    signal: AbortSignal,
  ): Promise<Event> {
    const { client } = this.#options;
    if (correlated.kind === 'count') {
      const { written, count, message } = correlated;
      const patch = { count, lastTimestamp: formatTime(draft.at), message };
      try {
        return await client.patch(EVENTS, written.namespace, written.name, 'strategic', patch, undefined, signal);
      } catch (error) {
        // The event has expired meanwhile, so it is created again with its count.
        if (!isNotFound(error)) throw error;
      }
    }
    return client.create(EVENTS, this.#toEvent(draft, correlated), signal);
  }

  #toEvent(draft: EventDraft, correlated: Exclude<Correlated, { kind: 'skip' }>): Event {
    const { component, host } = this.#options;
    const firstAt = correlated.kind === 'create' ? correlated.firstAt : correlated.written.firstAt;
    const namespace =
      draft.regarding.namespace === undefined || draft.regarding.namespace === ''
        ? 'default'
        : draft.regarding.namespace;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: this.#nameOf(draft),
        namespace,
        ...(draft.annotations === undefined ? {} : { annotations: { ...draft.annotations } }),
      },
      involvedObject: draft.regarding,
      reason: draft.reason,
      message: correlated.message,
      source: host === undefined ? { component } : { component, host },
      firstTimestamp: formatTime(firstAt),
      lastTimestamp: formatTime(draft.at),
      count: correlated.count,
      type: draft.type,
      reportingComponent: component,
      reportingInstance: host ?? '',
    };
  }

  /** `OBJECT.HEX`: the nanoseconds since the epoch in hex, as upstream; digits below our clock's resolution are random. */
  #nameOf(draft: EventDraft): string {
    const nanoseconds =
      BigInt(Math.floor(draft.at)) * 1_000_000n + BigInt(Math.floor(this.#options.random.next() * 1e6));
    const suffix = nanoseconds.toString(16);
    return `${(draft.regarding.name ?? '').slice(0, 253 - suffix.length - 1)}.${suffix}`;
  }

  #drop(cause: string, draft: Pick<EventDraft, 'regarding' | 'reason'>, error?: unknown): void {
    const { component, logger } = this.#options;
    this.#dropped?.inc({ component, cause });
    const { namespace, name } = draft.regarding;
    const why = error === undefined ? {} : { error: errorMessage(error) };
    logger.debug('event dropped', { cause, namespace, name, reason: draft.reason, ...why });
  }
}
