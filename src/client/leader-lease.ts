/**
 * The lease that decides who leads, as one candidate sees it (client-go's tools/leaderelection). Nobody's time stamps are
 * believed: a holder counts as alive for the lease's duration from when this candidate last saw the lease CHANGE, on its own
 * monotonic clock. The holder itself counts from when it asked for the renewal, so that it ends before others begin.
 */
import { isNotFound, type Lease, LEASES } from '../api/index.ts';
import { type Clock, type Logger, ConnectionError, errorMessage, formatMicroTime, withDeadline } from '../lib/index.ts';
import type { KubeClient } from './kube-client.ts';

export interface LeaderLeaseOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespace: string;
  readonly name: string;
  /** Unlike any other candidate's, also that of an earlier life. */
  readonly identity: string;
  readonly leaseDurationMs: number;
}

export class LeaderLease {
  readonly #options: LeaderLeaseOptions;
  /** As last seen, or as written by us. */
  #seen: Lease | undefined;
  /** Mono ms when `#seen` was new to us. */
  #seenAt = Number.NEGATIVE_INFINITY;
  /** Mono ms until which we lead. */
  #leadsUntil = Number.NEGATIVE_INFINITY;
  /** How often the object in hand was too old for the leader. */
  slowPaths = 0;

  constructor(options: LeaderLeaseOptions) {
    this.#options = options;
  }

  /** Whether we hold it, by our own clock: nobody else does then. */
  leads(): boolean {
    return this.#options.clock.now().mono < this.#leadsUntil;
  }

  get holder(): string {
    return this.#seen?.spec?.holderIdentity ?? '';
  }

  get object(): Lease | undefined {
    return this.#seen;
  }

  /** Mono ms when a lease that somebody else holds may be tried next; now or earlier when it may be taken. */
  takableAt(): number {
    if (this.holder === '' || this.#isOurs()) return Number.NEGATIVE_INFINITY;
    return this.#seenAt + (this.#seen?.spec?.leaseDurationSeconds ?? 0) * 1000;
  }

  /**
   * Takes or renews it. False: somebody else holds it, or the server did not answer within `timeoutMs`.
   * Rejects only with the signal's reason.
   */
  async tryHold(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const { clock, logger, name } = this.#options;
    try {
      const result = await withDeadline({ clock, timeoutMs, signal }, (inTime) => this.#hold(inTime));
      if (result.kind === 'done') return result.value;
      throw new ConnectionError(`no answer within ${Math.round(timeoutMs)} ms`);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn('leader lease not held', { lease: name, error: errorMessage(error) });
      return false;
    }
  }

  /** Gives it up, so that the next leader need not wait. Rejects when that fails. */
  async release(signal: AbortSignal): Promise<void> {
    const before = this.#seen;
    this.#leadsUntil = Number.NEGATIVE_INFINITY;
    if (before === undefined || !this.#isOurs()) return;
    const now = formatMicroTime(this.#options.clock.now().wall);
    const spec = { ...before.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
    this.#see(await this.#options.client.update<Lease>(LEASES, { ...before, spec }, undefined, signal));
  }

  async #hold(signal: AbortSignal): Promise<boolean> {
    const { client, clock, namespace, name } = this.#options;
    // What we wrote last is most likely still the lease: renew it without reading.
    if (this.leads() && this.#seen !== undefined) {
      try {
        await this.#write(this.#seen, signal);
        return true;
      } catch {
        signal.throwIfAborted();
        this.slowPaths += 1;
      }
    }
    let current: Lease | undefined;
    try {
      current = await client.get<Lease>(LEASES, namespace, name, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (current !== undefined) this.#see(current);
    else this.#seen = undefined;
    if (clock.now().mono < this.takableAt()) return false;
    await this.#write(current, signal);
    return true;
  }

  /** An update carries the version that it rests on: of two candidates only one gets through. */
  async #write(current: Lease | undefined, signal: AbortSignal): Promise<void> {
    const { client, clock, namespace, name, identity, leaseDurationMs } = this.#options;
    const { mono, wall } = clock.now();
    const now = formatMicroTime(wall);
    const ours = current !== undefined && current.spec?.holderIdentity === identity;
    const spec = {
      ...current?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      renewTime: now,
      acquireTime: ours ? (current.spec?.acquireTime ?? now) : now,
      leaseTransitions: current === undefined ? 0 : (current.spec?.leaseTransitions ?? 0) + (ours ? 0 : 1),
    };
    const written =
      current === undefined
        ? await client.create<Lease>(
            LEASES,
            { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec },
            signal,
          )
        : await client.update<Lease>(LEASES, { ...current, spec }, undefined, signal);
    // An answer that comes after its deadline counts for nothing: we may have given up leading.
    signal.throwIfAborted();
    this.#see(written);
    this.#leadsUntil = mono + leaseDurationMs;
  }

  #see(lease: Lease): void {
    if (
      lease.metadata?.resourceVersion !== this.#seen?.metadata?.resourceVersion ||
      lease.metadata?.uid !== this.#seen?.metadata?.uid
    )
      this.#seenAt = this.#options.clock.now().mono;
    this.#seen = lease;
  }

  #isOurs(): boolean {
    return this.holder === this.#options.identity;
  }
}
