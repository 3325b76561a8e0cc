/**
 * Turns runtime events into fresh reads (Evented PLEG's lesson, KEP-3386: an event is a hint, never truth). From the event
 * to the pod being marked dirty there is nothing but the status reads.
 */
import type { RuntimeEvent } from '../../cri/index.ts';
import { type Clock, type Counter, type Logger, Semaphore } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import { type EventKind, laterKind, rereadDelayMs, shows } from './event-step.ts';
import { EVENT_READ_TIMEOUT_MS, MAX_CONCURRENT_EVENT_READS, MAX_EVENT_READS } from './limits.ts';
import { isOurs } from '../pods/ownership.ts';
import type { PodCache } from './pod-cache.ts';
import type { PlegRuntime } from './pleg-runtime.ts';

export interface EventReaderPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly runtime: PlegRuntime;
  /** Only sandboxes labelled with it are ours. */
  readonly instanceId: string;
}

/** What is known of the runtime, and how far. */
export interface ReadRecords {
  readonly cache: PodCache;
  readonly discarded: Counter;
  /** The number of a read that begins now. */
  readonly nextSeq: () => number;
}

export interface EventReaderListener {
  /** The cache changed in a way that a worker must look at. */
  readonly onChange: (uid: PodUID) => void;
  /** Read the whole pod: something of it is new to the cache. Must not reject. */
  readonly inspect: (uid: PodUID) => Promise<void>;
  /** A container or sandbox of this pod is said to have ended; no read has shown it yet. */
  readonly onStopAnnounced: (uid: PodUID, id: string) => void;
  /** Reads do not show the announced end of this id. */
  readonly onStopDenied: (id: string) => void;
  /** It could not be read to the end, or there was no room for it: the relist must find it, soon. `uid`: if it is known. */
  readonly leave: (uid: PodUID | undefined) => void;
}

interface Job {
  kind: EventKind;
  since: number;
}

/** What one read brought: `again` = it does not show what was announced; `foreign` = nothing of ours. */
type ReadOutcome = 'shown' | 'again' | 'foreign';

export class EventReader {
  readonly #ports: EventReaderPorts;
  readonly #records: ReadRecords;
  readonly #listener: EventReaderListener;
  readonly #jobs = new Map<string, Job>();
  readonly #reads = new Semaphore(MAX_CONCURRENT_EVENT_READS);

  constructor(ports: EventReaderPorts, records: ReadRecords, listener: EventReaderListener) {
    this.#ports = ports;
    this.#records = records;
    this.#listener = listener;
  }

  /** Never blocks; events about an id that is being read merge. */
  handle(event: RuntimeEvent, signal: AbortSignal): void {
    const { clock } = this.#ports;
    const { discarded } = this.#records;
    const since = clock.now().mono;
    this.#announce(event);
    const job = this.#jobs.get(event.id);
    if (job !== undefined) {
      job.kind = laterKind(job.kind, event.kind);
      job.since = since;
      return;
    }
    if (this.#alreadyShown(event)) return;
    if (this.#jobs.size >= MAX_EVENT_READS) {
      discarded.inc();
      if (event.kind === 'stopped') this.#listener.onStopDenied(event.id);
      this.#listener.leave(undefined);
      return;
    }
    this.#jobs.set(event.id, { kind: event.kind, since });
    void this.#run(event.id, signal);
  }

  /** The only thing that follows an event before it was read: see `RoutingKeeper`. */
  #announce({ kind, id }: RuntimeEvent): void {
    const { cache } = this.#records;
    const owner = kind === 'stopped' ? cache.ownerOf(id) : undefined;
    if (owner === undefined) return;
    const state = cache.container(id)?.state ?? cache.sandbox(id)?.state;
    if (state === 'running' || state === 'ready') this.#listener.onStopAnnounced(owner.uid, id);
  }

  #alreadyShown(event: RuntimeEvent): boolean {
    const { cache } = this.#records;
    if (event.kind === 'deleted') return false;
    const state = cache.container(event.id)?.state ?? cache.sandbox(event.id)?.state;
    return state === 'exited' || state === 'notready' || (event.kind !== 'stopped' && state === 'running');
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    const job = this.#jobs.get(id) as Job;
    try {
      let delayMs: number | undefined;
      while (!signal.aborted) {
        const outcome = await this.#reads.run(() => this.#read(id, job, signal));
        if (outcome !== 'again') return;
        delayMs = rereadDelayMs(this.#ports.clock.now().mono - job.since, delayMs);
        if (delayMs === undefined) break;
        await this.#ports.clock.sleep(delayMs, signal);
      }
      this.#giveUp(id, job.kind);
    } catch (error) {
      if (signal.aborted) return;
      this.#ports.logger.debug('reading after a runtime event failed', { id, kind: job.kind, error });
      this.#giveUp(id, job.kind);
    } finally {
      this.#jobs.delete(id);
    }
  }

  #giveUp(id: string, kind: EventKind): void {
    this.#ports.logger.debug('the runtime does not show what it announced; left to the relist', { id, kind });
    if (kind === 'stopped') this.#listener.onStopDenied(id);
    this.#listener.leave(this.#records.cache.ownerOf(id)?.uid);
  }

  async #read(id: string, job: Job, signal: AbortSignal): Promise<ReadOutcome> {
    const { runtime } = this.#ports;
    const { cache } = this.#records;
    const owner = cache.ownerOf(id);
    const seq = this.#records.nextSeq();
    const call = { signal, timeoutMs: EVENT_READ_TIMEOUT_MS };
    if (owner?.kind === 'sandbox') {
      const status = await runtime.sandboxStatus(id, call);
      if (cache.putSandbox(owner.uid, id, status, seq)) this.#listener.onChange(owner.uid);
      return shows(job.kind, status?.state) ? 'shown' : 'again';
    }
    if (owner?.kind === 'container') {
      const status = await runtime.containerStatus(id, call);
      if (cache.putContainer(owner.uid, id, status, seq)) this.#listener.onChange(owner.uid);
      return shows(job.kind, status?.state) && status?.ending !== true ? 'shown' : 'again';
    }
    return this.#readUnknown(id, job, seq, signal);
  }

  /** An id that the cache does not have: a new container or sandbox of ours, one that is gone, or another client's. */
  async #readUnknown(id: string, job: Job, seq: number, signal: AbortSignal): Promise<ReadOutcome> {
    const { runtime, instanceId } = this.#ports;
    const { cache } = this.#records;
    if (job.kind === 'deleted') return 'foreign';
    const call = { signal, timeoutMs: EVENT_READ_TIMEOUT_MS };
    const container = await runtime.containerStatus(id, call);
    const parent = container && cache.ownerOf(container.sandboxId);
    if (container !== undefined && parent !== undefined) {
      if (cache.putContainer(parent.uid, id, container, seq)) this.#listener.onChange(parent.uid);
      return shows(job.kind, container.state) ? 'shown' : 'again';
    }
    const sandbox = await runtime.sandboxStatus(container?.sandboxId ?? id, call);
    if (sandbox === undefined || !isOurs(sandbox.labels, instanceId)) return 'foreign';
    await this.#listener.inspect(sandbox.metadata.uid);
    return shows(job.kind, cache.container(id)?.state ?? cache.sandbox(id)?.state) ? 'shown' : 'again';
  }
}
