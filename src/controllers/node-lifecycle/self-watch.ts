/**
 * The controller's own heartbeat: it keeps a lease as nodes do, by the same way (API server, store, watch), and believes in
 * the silence of others only while its own heartbeat comes back in time.
 */
import { isConflict, isNotFound, type Lease, LEASES } from '../../api/index.ts';
import type { EventRecorder, KubeClient, Lister } from '../../client/index.ts';
import {
  type Clock,
  type Counter,
  type Gauge,
  type Logger,
  type MetricsRegistry,
  errorMessage,
  formatMicroTime,
  withDeadline,
} from '../../lib/index.ts';
import { type Controller, type ControllerSource, type ReconcileResult, source } from '../controller.ts';
import { MIN_SELF_PERIOD_MS, SELF_CHECKS_PER_GRACE, SELF_CHECKS_WHEN_ILL } from './limits.ts';
import {
  beginTrust,
  describe,
  doubt,
  hear,
  look,
  mayEvictAt,
  recover,
  restart,
  type Suspicion,
  type Trust,
  type TrustSettings,
} from './self-trust.ts';

const NAMESPACE = 'kube-system';
/** The name of our own lease; events about us refer to it. */
export const SELF_LEASE = 'mendlet-node-lifecycle';
const SELF = 'self';
/** The part of their lease's duration by which nodes may be late with the next renewal. */
const EXPECTED_RENEWAL = 0.5;

export interface SelfWatchOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventRecorder;
  readonly leases: Lister<Lease>;
  readonly graceMs: number;
  readonly ownNodeName?: string;
}

export class SelfWatch {
  readonly #options: SelfWatchOptions;
  #settings: TrustSettings;
  #trust: Trust;
  /** Our own heartbeat that has to come back. */
  #written: Lease | undefined;
  /** The lease as the server last had it. */
  #lease: Lease | undefined;
  /** Nodes other than our own → mono ms when each was last heard of. */
  readonly #others = new Map<string, number>();
  readonly #suspended: Gauge;
  readonly #suspicions: Counter;

  constructor(options: SelfWatchOptions) {
    const { graceMs, clock, metrics } = options;
    const periodMs = Math.max(MIN_SELF_PERIOD_MS, graceMs / SELF_CHECKS_PER_GRACE);
    this.#options = options;
    this.#settings = { graceMs, periodMs, toleranceMs: periodMs / 2, silenceMs: graceMs / 2 };
    this.#trust = beginTrust(clock.now());
    this.#suspended = metrics.gauge({
      name: 'mendlet_node_lifecycle_evictions_suspended',
      help: 'Whether nothing is evicted from lost nodes because the controller suspects itself.',
    });
    this.#suspicions = metrics.counter({
      name: 'mendlet_node_lifecycle_suspicions_total',
      help: 'How often the controller suspected itself instead of nodes, by cause.',
      labels: ['cause'],
    });
    metrics.onCollect(() => {
      const { mono } = clock.now();
      this.#suspended.set(mayEvictAt(this.#trust, mono, this.#settings) > mono ? 1 : 0);
    });
  }

  /** Looks at our own clocks. @returns mono ms since when what we see may be believed; undefined: not now */
  wellSince(): number | undefined {
    this.#step(look(this.#trust, this.#options.clock.now(), this.#settings));
    return this.#trust.wellSince;
  }

  /** Mono ms from which a lost node's pods may be sent away; a time to ask again when that is not known. */
  evictionsFrom(): number {
    const { mono } = this.#options.clock.now();
    this.wellSince();
    const at = mayEvictAt(this.#trust, mono, this.#settings);
    return Number.isFinite(at) ? at : mono + this.retryMs;
  }

  /** How soon to ask again while we are not well. */
  get retryMs(): number {
    return this.#settings.periodMs / SELF_CHECKS_WHEN_ILL;
  }

  suspect(suspicion: Suspicion): void {
    this.#step(doubt(this.#trust, suspicion));
  }

  /** A node's lease is new to us. */
  nodeHeard(nodeName: string, lease: Lease): void {
    if (nodeName === this.#options.ownNodeName) return;
    const { mono } = this.#options.clock.now();
    this.#others.set(nodeName, mono);
    const renewalMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1000 * EXPECTED_RENEWAL;
    const silenceMs = Math.max(this.#settings.silenceMs, renewalMs);
    this.#settings = { ...this.#settings, silenceMs };
    const others = this.#others.size;
    const together = [...this.#others.values()].filter((at) => mono - at <= silenceMs).length;
    this.#step(hear({ ...this.#trust, others, together }, mono, this.#settings));
  }

  /** After `lostMs` in which no node was ready some are. The common cause ends for the others only now. */
  nodesAreBack(lostMs: number): void {
    const { mono } = this.#options.clock.now();
    const { silenceMs } = this.#settings;
    // The first heartbeat may have said so already.
    const isTold = mono - (this.#trust.wellSince ?? mono) <= silenceMs;
    if (lostMs > silenceMs && !isTold) this.#step(restart(this.#trust, mono, lostMs));
  }

  nodeGone(nodeName: string): void {
    this.#others.delete(nodeName);
  }

  /** The controller that keeps our own heartbeat; its key is always the same. */
  controller(nodes: ControllerSource): Controller {
    let begun = false;
    return {
      name: 'node-lifecycle-self-watch',
      concurrency: 1,
      sources: [
        { ...nodes, keysOf: () => (begun ? [] : [SELF]) },
        source<Lease>(LEASES, ({ object }) =>
          object.metadata?.name === SELF_LEASE && this.#trust.wellSince === undefined ? [SELF] : [],
        ),
      ],
      reconcile: async (_key, context) => {
        begun = true;
        return this.#beat(context.signal);
      },
    };
  }

  async #beat(signal: AbortSignal): Promise<ReconcileResult> {
    const { clock, leases } = this.#options;
    const isWell = this.wellSince() !== undefined;
    const version = this.#written?.metadata?.resourceVersion;
    const cameBack = version !== undefined && leases.reached(version);
    if (!isWell && cameBack) this.#step(recover(this.#trust, clock.now().mono));
    const { mono } = clock.now();
    if (this.#trust.dueAt > mono) return { requeueAfterMs: this.#trust.dueAt - mono };
    if (version !== undefined && !cameBack)
      this.suspect({ cause: 'watch', behind: 'its own heartbeat has not come back' });
    // The write has a time limit; a heartbeat that is not back by then is late.
    this.#trust = { ...this.#trust, dueAt: mono + this.#settings.toleranceMs };
    await this.#write(signal);
    const delayMs = this.#trust.wellSince === undefined ? this.retryMs : this.#settings.periodMs;
    this.#trust = { ...this.#trust, dueAt: clock.now().mono + delayMs };
    return { requeueAfterMs: delayMs };
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    try {
      const timeoutMs = this.#settings.toleranceMs;
      const result = await withDeadline({ clock, timeoutMs, signal }, (inTime) =>
        this.#renew(inTime).catch((error: unknown) => {
          // Somebody changed or removed it meanwhile.
          if (isConflict(error) || isNotFound(error)) return this.#renew(inTime);
          throw error;
        }),
      );
      if (result.kind === 'done') this.#written = result.value;
      else this.suspect({ cause: 'api', error: `no answer within ${timeoutMs} ms` });
    } catch (error) {
      if (signal.aborted) return;
      this.suspect({ cause: 'api', error: errorMessage(error) });
    }
  }

  async #renew(signal: AbortSignal): Promise<Lease> {
    const { client, clock, graceMs } = this.#options;
    const spec = {
      holderIdentity: SELF_LEASE,
      leaseDurationSeconds: Math.ceil(graceMs / 1000),
      renewTime: formatMicroTime(clock.now().wall),
    };
    const known = this.#lease ?? (await this.#read(signal));
    // A failure may mean that the object in hand is old.
    this.#lease = undefined;
    const metadata = { namespace: NAMESPACE, name: SELF_LEASE };
    this.#lease =
      known === undefined
        ? await client.create<Lease>(
            LEASES,
            { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec },
            signal,
          )
        : await client.update<Lease>(LEASES, { ...known, spec }, undefined, signal);
    return this.#lease;
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#options.client.get<Lease>(LEASES, NAMESPACE, SELF_LEASE, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Takes the next state, and says what it means for the nodes. */
  #step(next: Trust): void {
    const before = this.#trust.wellSince;
    this.#trust = next;
    if (next.wellSince === before) return;
    const { logger } = this.#options;
    const { graceMs } = this.#settings;
    const why = describe(next.suspicion);
    // An earlier write proves nothing about now.
    if (next.wellSince === undefined) this.#written = undefined;
    if (next.suspicion.cause === 'started') {
      logger.info('all nodes have their grace from now on', { why, graceMs });
      return;
    }
    if (before !== undefined) this.#suspicions.inc({ cause: next.suspicion.cause });
    if (next.wellSince === undefined) {
      logger.warn('suspecting ourselves: no node is judged and nothing evicted', { why });
      this.#tell('Warning', 'NodeEvictionsSuspended', `Nothing is evicted from lost nodes: ${why}`);
    } else {
      logger.warn('all nodes have their grace anew', { why, graceMs });
      this.#tell('Normal', 'NodeGraceRestarted', `All nodes have their grace of ${graceMs / 1000} s anew: ${why}`);
    }
  }

  #tell(type: 'Normal' | 'Warning', reason: string, message: string): void {
    const about = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: NAMESPACE, name: SELF_LEASE };
    const uid = this.#options.leases.get(NAMESPACE, SELF_LEASE)?.metadata?.uid;
    this.#options.events.event(uid === undefined ? about : { ...about, uid }, type, reason, message);
  }
}
