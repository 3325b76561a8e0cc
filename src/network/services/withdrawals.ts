/**
 * Follows how far the traffic to pods that are to end has gone elsewhere: their rules here, the slices that other nodes read,
 * and the connections that clients still open. The node agent delays their signal by it.
 */
import type { EndpointSlice } from '../../api/index.ts';
import type { Clock } from '../../lib/index.ts';
import { type Clients, clientsOf, freshlyReached, type SeenConnection } from './fresh-connections.ts';
import type { LocalVerdicts, Verdict } from './local-verdicts.ts';
import { type ServiceDirectory, serviceKeyOf } from './service-directory.ts';
import { endpointsOf, isIpv4 } from './service-endpoint.ts';

/** How far it has come. Mono ms. */
export interface Withdrawal {
  /** When this node's rules left the pod and the slices showed that it ends; undefined: not yet. */
  readonly agreedAt: number | undefined;
  /** When a new connection to it was seen last; undefined: none was. */
  readonly reachedAt: number | undefined;
}

interface Leaving {
  readonly since: number;
  addresses: readonly string[];
  /** Slices were not listed yet when it began to leave: whether it is in one is not known. */
  isDoubtful: boolean;
  agreedAt: number | undefined;
  reachedAt: number | undefined;
}

export interface WithdrawalSources {
  readonly clock: Clock;
  readonly directory: ServiceDirectory;
  readonly verdicts: LocalVerdicts;
  /** True once this node's rules say what the verdicts say; absent: nobody routes here. */
  readonly isApplied: (podUid: string) => boolean;
  /** All TCP connections that the machine tracks; undefined: it cannot be asked. Absent: nobody looks at connections. */
  readonly connections?: () => Promise<readonly SeenConnection[] | undefined>;
}

const LOOK_EVERY_MS = 100;
/** No signal waits longer (MAX_WITHDRAWAL_WAIT_MS of the plan): later connections are nobody's business. */
const LOOK_FOR_MS = 2500;

export class Withdrawals {
  readonly #sources: WithdrawalSources;
  readonly #leaving = new Map<string, Leaving>();
  /** Pods that are gone from this node while slices name them. */
  readonly #forgotten = new Set<string>();
  readonly #listeners = new Set<(podUid: string) => void>();
  #isLooking = false;

  constructor(sources: WithdrawalSources) {
    this.#sources = sources;
    sources.directory.onChange(() => this.look());
  }

  /**
   * Undefined: traffic goes to the pod as the slices say. Repeated calls are no change.
   * @param addresses those that the pod has now; undefined: they are not known, or the node's
   */
  judge(podUid: string, verdict: Verdict | undefined, addresses?: readonly string[]): void {
    const { verdicts } = this.#sources;
    if (addresses !== undefined) verdicts.locate(podUid, addresses);
    if (verdict === 'leaving') this.#follow(podUid, addresses);
    if (verdict === undefined || verdict === 'gone') this.#leaving.delete(podUid);
    this.#forgotten.delete(podUid);
    if (verdict === undefined) verdicts.lift(podUid);
    else verdicts.give(podUid, verdict);
  }

  /** Nothing is left of the pod here: the verdict stays until no slice names it. */
  forget(podUid: string): void {
    this.#leaving.delete(podUid);
    this.#forgotten.add(podUid);
    this.#liftForgotten();
  }

  /** Whether others serve in each service that sends traffic to the pod; false: none does send it any. */
  canLeave(podUid: string): boolean {
    const { directory, verdicts } = this.#sources;
    const services = new Set(directory.slicesOfPod(podUid).flatMap((slice) => serviceKeyOf(slice) ?? []));
    const others = [...services].flatMap((key) => {
      const [namespace = '', name = ''] = key.split('/');
      const slices = directory.slices(namespace, name).filter(isIpv4);
      const ready = slices.flatMap((slice) => endpointsOf(slice, 0)).filter((endpoint) => endpoint.ready);
      if (!ready.some((endpoint) => endpoint.podUid === podUid)) return [];
      return ready.some(
        (each) =>
          each.podUid !== podUid && (each.podUid === undefined || verdicts.of(each.podUid, each.ip) === undefined),
      );
    });
    return others.length > 0 && others.every(Boolean);
  }

  /** Undefined: the pod is in no slice, or does not leave: nothing is to be waited for. */
  of(podUid: string): Withdrawal | undefined {
    return this.#leaving.get(podUid);
  }

  /** Calls the listener when `of` has changed for a pod. @returns a function that ends that */
  onChange(listener: (podUid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks again at all that leave: slices or rules have changed. */
  look(): void {
    const { clock, isApplied } = this.#sources;
    if (!this.#sources.directory.synced) return;
    this.#liftForgotten();
    for (const [podUid, leaving] of this.#leaving) {
      if (leaving.isDoubtful && !this.#find(podUid, leaving)) continue;
      if (leaving.agreedAt !== undefined || !isApplied(podUid) || this.#isServedBySlices(podUid)) continue;
      leaving.agreedAt = clock.now().mono;
      for (const listener of this.#listeners) listener(podUid);
    }
  }

  /** @param own the addresses of the pod, as its runtime knows them */
  #follow(podUid: string, own: readonly string[] = []): void {
    if (this.#leaving.has(podUid)) return;
    const { clock, directory } = this.#sources;
    // After a start of the agent an absence proves nothing until slices have been listed.
    const isDoubtful = !directory.synced;
    const found = this.#addressesOf(podUid);
    if (found.length === 0 && !isDoubtful) return;
    const addresses = found.length > 0 ? found : own;
    const since = clock.now().mono;
    this.#leaving.set(podUid, { since, addresses, isDoubtful, agreedAt: undefined, reachedAt: undefined });
    void this.#lookAtConnections();
  }

  /** Slices are listed now. @returns whether one names the pod; if not, nothing is to be waited for */
  #find(podUid: string, leaving: Leaving): boolean {
    const found = this.#addressesOf(podUid);
    if (found.length > 0) {
      leaving.addresses = found;
      leaving.isDoubtful = false;
      return true;
    }
    this.#leaving.delete(podUid);
    for (const listener of this.#listeners) listener(podUid);
    return false;
  }

  #addressesOf(podUid: string): readonly string[] {
    return this.#sources.directory
      .slicesOfPod(podUid)
      .flatMap((slice) => endpointsOfPod(slice, podUid))
      .flatMap((endpoint) => endpoint.addresses);
  }

  /** One question serves all pods that leave. */
  async #lookAtConnections(): Promise<void> {
    const { clock, connections } = this.#sources;
    if (this.#isLooking || connections === undefined) return;
    this.#isLooking = true;
    let before: Clients = new Map();
    for (;;) {
      const addresses = new Set(this.#watched().flatMap((leaving) => leaving.addresses));
      if (addresses.size === 0) break;
      const seen = await connections();
      if (seen === undefined) break;
      const now = clientsOf(addresses, seen);
      this.#reached(freshlyReached(before, now));
      before = now;
      // An empty list of slices is no change of any.
      this.look();
      await clock.sleep(LOOK_EVERY_MS);
    }
    this.#isLooking = false;
  }

  #watched(): readonly Leaving[] {
    const { mono } = this.#sources.clock.now();
    return [...this.#leaving.values()].filter(({ since }) => mono - since < LOOK_FOR_MS);
  }

  #reached(addresses: ReadonlySet<string>): void {
    if (addresses.size === 0) return;
    const { mono } = this.#sources.clock.now();
    for (const leaving of this.#watched()) {
      if (leaving.addresses.some((address) => addresses.has(address))) leaving.reachedAt = mono;
    }
  }

  #liftForgotten(): void {
    const { directory, verdicts } = this.#sources;
    if (!directory.synced) return;
    for (const podUid of this.#forgotten) {
      if (directory.slicesOfPod(podUid).length > 0) continue;
      this.#forgotten.delete(podUid);
      verdicts.drop(podUid);
    }
  }

  /**
   * A pod that restarts is not ready, and does not terminate. A slice of a service that publishes unready addresses calls it ready to
   * the end: there `terminating` is the word.
   */
  #isServedBySlices(podUid: string): boolean {
    return this.#sources.directory
      .slicesOfPod(podUid)
      .some((slice) =>
        endpointsOfPod(slice, podUid).some(
          ({ conditions }) => conditions?.terminating !== true && conditions?.ready !== false,
        ),
      );
  }
}

function endpointsOfPod(slice: EndpointSlice, podUid: string) {
  return (slice.endpoints ?? []).filter(({ targetRef }) => targetRef?.kind === 'Pod' && targetRef.uid === podUid);
}
