/**
 * Delivers pod statuses to the API server: at once, only the latest one, and only what differs from what the server has
 * acknowledged. A pod whose containers and resources are gone is then deleted for good.
 */
import { isConflict, isNotFound, namesOtherUid, type Pod, type PodStatus, PODS, StatusError } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import {
  type Clock,
  ConnectionError,
  type Counter,
  type Logger,
  type MetricsRegistry,
  runWorkQueue,
  withDeadline,
  WorkQueue,
} from '../../lib/index.ts';
import type { PodUID, StatusAnnotations, StatusManager } from '../types.ts';
import { DELIVERY_BACK_OFF, DELIVERY_TIMEOUT_MS, MAX_CONCURRENT_DELIVERIES, MAX_TELLS } from './limits.ts';
import { annotationPatch, guardStatus, sameValue, statusPatch } from './status-patch.ts';

export interface StatusManagerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly client: KubeClient;
}

export interface DeliveringStatusManager extends StatusManager {
  /** The server can be reached again: pending statuses are delivered now. */
  retryNow(): void;
}

export function createStatusManager(options: StatusManagerOptions): DeliveringStatusManager {
  return new Manager(options);
}

/** The report about a pod: its status, and our annotations on it. */
interface Told {
  readonly status: PodStatus;
  readonly annotations: StatusAnnotations;
}

interface Entry {
  readonly namespace: string;
  readonly name: string;
  /** The newest object known: from the server's answer, or from config. */
  known: Pod;
  desired: Told;
  /** The status that the server acknowledged as `desired`, with the version of the object that resulted. */
  acknowledged: { readonly told: Told; readonly resourceVersion: string | undefined } | undefined;
  finishing: boolean;
  /** The server has no such pod (any more). */
  gone: boolean;
}

class Manager implements DeliveringStatusManager {
  readonly #options: StatusManagerOptions;
  readonly #entries = new Map<PodUID, Entry>();
  readonly #queue: WorkQueue<PodUID>;
  readonly #pending = new Set<PodUID>();
  readonly #violations: Counter;

  constructor(options: StatusManagerOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock, backOff: DELIVERY_BACK_OFF });
    this.#violations = options.metrics.counter({
      name: 'mendlet_status_guard_total',
      help: 'Statuses that would have broken a promise (a falling restart count, a terminal phase left) and were corrected.',
    });
  }

  report(pod: Pod, status: PodStatus, annotations: StatusAnnotations = {}): void {
    this.#put(pod, { status, annotations }, false);
  }

  finish(pod: Pod, status: PodStatus, annotations: StatusAnnotations = {}): void {
    this.#put(pod, { status, annotations }, true);
  }

  forget(uid: PodUID): void {
    this.#entries.delete(uid);
    this.#pending.delete(uid);
    this.#queue.discard(uid);
  }

  settled(): boolean {
    return this.#pending.size === 0;
  }

  retryNow(): void {
    for (const uid of this.#pending) {
      this.#queue.forget(uid);
      this.#queue.add(uid);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#queue.close(), { once: true });
    await runWorkQueue({
      queue: this.#queue,
      concurrency: MAX_CONCURRENT_DELIVERIES,
      handler: (uid) => this.#deliver(uid, signal),
      onPanic: (uid, error) => this.#options.logger.error('status delivery panicked', { uid, error }),
    });
  }

  #put(pod: Pod, told: Told, finishing: boolean): void {
    const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
    const known = this.#entries.get(uid);
    if (known?.gone === true) return;
    const entry = known ?? {
      namespace,
      name,
      known: pod,
      desired: told,
      acknowledged: undefined,
      finishing,
      gone: false,
    };
    if (isNewer(pod, entry.known)) entry.known = pod;
    entry.desired = told;
    entry.finishing ||= finishing;
    this.#entries.set(uid, entry);
    if (!entry.finishing && isTold(entry)) return;
    this.#pending.add(uid);
    this.#queue.add(uid);
  }

  async #deliver(uid: PodUID, signal: AbortSignal): Promise<'retry' | void> {
    const entry = this.#entries.get(uid);
    if (entry === undefined || signal.aborted) return;
    try {
      const { desired } = entry;
      if (!isTold(entry)) await this.#tell(uid, entry, desired, signal);
      if (entry.finishing && !entry.gone && entry.desired === desired) await this.#deleteIfWanted(uid, entry, signal);
      if (entry.gone || entry.desired === desired) this.#pending.delete(uid);
    } catch (error) {
      if (signal.aborted) return;
      return this.#failed(uid, entry, error, signal);
    }
  }

  async #tell(uid: PodUID, entry: Entry, desired: Told, signal: AbortSignal): Promise<void> {
    for (let tries = 1; tries <= MAX_TELLS; tries += 1) {
      const { status, violations } = guardStatus(entry.known.status ?? {}, desired.status);
      if (violations.length > 0) {
        this.#violations.inc();
        this.#options.logger.error('a status would have broken a promise', { pod: entry.name, uid, violations });
      }
      const patch = statusPatch(entry.known.status ?? {}, status);
      const annotations = annotationPatch(entry.known, desired.annotations);
      // The server may keep fields in another form. It keeps conditions as they are, unless another client changed them
      // without our noticing; the answer shows that.
      if (annotations === undefined && (patch === undefined || (tries > 1 && patch['conditions'] === undefined))) break;
      const metadata = { uid, ...(annotations === undefined ? {} : { annotations }) };
      const body = { metadata, ...(patch === undefined ? {} : { status: patch }) };
      entry.known = await this.#call(signal, (callSignal) =>
        this.#options.client.patch(PODS, entry.namespace, entry.name, 'strategic', body, 'status', callSignal),
      );
    }
    entry.acknowledged = { told: desired, resourceVersion: entry.known.metadata?.resourceVersion };
  }

  async #deleteIfWanted(uid: PodUID, entry: Entry, signal: AbortSignal): Promise<void> {
    if (entry.known.metadata?.deletionTimestamp === undefined) return;
    await this.#call(signal, (callSignal) =>
      this.#options.client.delete(PODS, entry.namespace, entry.name, { gracePeriodSeconds: 0, uid }, callSignal),
    );
    entry.gone = true;
  }

  /** The meaning of a failed call: the pod is gone, our base is old, or the server must be asked again later. */
  async #failed(uid: PodUID, entry: Entry, error: unknown, signal: AbortSignal): Promise<'retry' | void> {
    if (isNotFound(error)) return this.#drop(uid, entry);
    // A patch that names another pod's uid is no conflict to a server but a field that may not change.
    if (isConflict(error) || namesOtherUid(error)) {
      const current = await this.#reread(entry, signal);
      if (current === 'gone' || (current !== undefined && current.metadata?.uid !== uid)) return this.#drop(uid, entry);
      if (current !== undefined) {
        entry.known = current;
        entry.acknowledged = undefined;
      }
      return 'retry';
    }
    const expected = error instanceof ConnectionError || (error instanceof StatusError && error.code >= 429);
    const fields = { pod: `${entry.namespace}/${entry.name}`, uid, error };
    if (expected) this.#options.logger.debug('status not delivered yet', fields);
    else this.#options.logger.warn('the server refused a status', fields);
    return 'retry';
  }

  async #reread(entry: Entry, signal: AbortSignal): Promise<Pod | 'gone' | undefined> {
    try {
      return await this.#call(signal, (callSignal) =>
        this.#options.client.get(PODS, entry.namespace, entry.name, callSignal),
      );
    } catch (error) {
      if (isNotFound(error)) return 'gone';
      this.#options.logger.debug('pod not read again after a conflict', { pod: entry.name, error });
      return undefined;
    }
  }

  #drop(uid: PodUID, entry: Entry): void {
    entry.gone = true;
    this.#pending.delete(uid);
  }

  async #call<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const result = await withDeadline({ clock, timeoutMs: DELIVERY_TIMEOUT_MS, signal }, work);
    if (result.kind === 'done') return result.value;
    throw new ConnectionError(`no answer within ${DELIVERY_TIMEOUT_MS} ms`);
  }
}

/** The server acknowledged exactly this status, and no known change of the object came since. */
function isTold({ acknowledged, desired, known }: Entry): boolean {
  if (acknowledged === undefined) {
    const base = known.status ?? {};
    const same = statusPatch(base, guardStatus(base, desired.status).status) === undefined;
    return same && annotationPatch(known, desired.annotations) === undefined;
  }
  if (acknowledged.resourceVersion !== known.metadata?.resourceVersion) return false;
  return acknowledged.told === desired || sameValue(acknowledged.told, desired);
}

/** Whether `pod` is a later version of the object; resource versions are numbers on every server since 1.35 (KEP-5504). */
function isNewer(pod: Pod, than: Pod): boolean {
  const a = Number(pod.metadata?.resourceVersion);
  const b = Number(than.metadata?.resourceVersion);
  return Number.isFinite(a) && (!Number.isFinite(b) || a > b);
}
