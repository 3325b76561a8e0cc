/**
 * The lease of an election, as one candidate sees it (client-go's tools/leaderelection). Time stamps of others do not count: a
 * holder counts as alive for the lease's duration from the moment at which this candidate last saw the lease CHANGE, on its
 * own monotonic clock. The holder itself counts from its request for the renewal, so that it ends before others begin.
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
  /** An identity that no other candidate has, nor this one in an earlier life. */
  readonly identity: string;
  readonly leaseDurationMs: number;
}

export class LeaderLease {
  readonly #options: LeaderLeaseOptions;
  /** The lease as last read or written by us. */
  #seen: Lease | undefined;
  /** Mono ms when `#seen` last changed. */
  #seenAt = Number.NEGATIVE_INFINITY;
  /** Mono ms until which we lead. */
  #leadsUntil = Number.NEGATIVE_INFINITY;
  /** The number of renewals for which our copy of the lease was outdated. */
  slowPaths = 0;

  constructor(options: LeaderLeaseOptions) {
    this.#options = options;
  }

  /** Whether we hold the lease by our own clock, so that no other candidate does. */
  leads(): boolean {
    return this.#options.clock.now().mono < this.#leadsUntil;
  }

  get holder(): string {
    return this.#seen?.spec?.holderIdentity ?? '';
  }

  get object(): Lease | undefined {
    return this.#seen;
  }

  /** Mono ms from which we may take the lease of another holder. */
  takableAt(): number {
    if (this.holder === '' || this.#isOurs()) return Number.NEGATIVE_INFINITY;
    return this.#seenAt + (this.#seen?.spec?.leaseDurationSeconds ?? 0) * 1000;
  }

  /**
   * Takes or renews the lease. False: another candidate holds it, or the server did not answer within `timeoutMs`. Rejects only
   * with the signal's reason.
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

  /** Releases the lease, so that the next leader need not wait. Rejects when that fails. */
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
    // The lease is most likely as we wrote it last, so it is renewed without a read.
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

  /** Writes the lease. An update has its base version as precondition, so of two candidates only one succeeds. */
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
    // An answer after its deadline does not count, because we may have stopped leading.
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
