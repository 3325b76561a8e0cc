/** Routes the addresses of services on one node: watches, merges what comes together, and writes one transaction at a time. */
import { type EndpointSlice, namespacedName, type Service } from '../../api/index.ts';
import { assert, BoundedMap, type Clock, type Logger, type MetricsRegistry, parseTime } from '../../lib/index.ts';
import { Wake } from '../wake.ts';
import type { Verdicts } from '../services/local-verdicts.ts';
import type { ServiceDirectory } from '../services/service-directory.ts';
import { DeadAddresses } from './dead-addresses.ts';
import { FrontClaims } from './front-claims.ts';
import type { HealthChecks } from './health-checks.ts';
import { HeldServices } from './held-services.ts';
import type { LostNetworks } from './lost-networks.ts';
import type { RouterMachine } from './router-machine.ts';
import { routerMetrics, type RouterMetrics } from './router-metrics.ts';
import { addressText } from './safe-values.ts';
import { planService, type RoutingNode } from './service-fronts.ts';
import { servesUdp, staleFlows, untranslatedAddresses } from './stale-flows.ts';
import { serviceKeyOf } from '../services/service-directory.ts';
import { readTable } from './read-table.ts';
import { layoutOf, type TableSettings } from './table-base.ts';
import { TableMirror, type Transaction, type Wishes } from './table-mirror.ts';
import { NO_STATE, type ServiceState } from './table-state.ts';

export interface RouterPorts {
  readonly machine: RouterMachine;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/** The node, with what may change while it routes. */
export interface RouterNode {
  readonly nodeName: string;
  readonly zone: () => string | undefined;
  /** Where this node's own DNS answers; undefined: it has none. */
  readonly nodeDns: () => RoutingNode['nodeDns'];
  /** Absent: no front outside of the network of services is refused. */
  readonly refuses?: RoutingNode['refuses'];
}

export interface RouterParts {
  readonly directory: ServiceDirectory;
  readonly verdicts: Verdicts;
  readonly healthChecks: HealthChecks;
  /** Undefined: the pods' networks are another's, and what nodes say of them may not be so. */
  readonly lostNetworks: LostNetworks | undefined;
}

/** Slices come in bursts; a death on this node waits for nothing. */
const SETTLE_MS = 10;
/**
 * The shortest time between two transactions that only follow the cluster: while a hundred pods start, each transaction would cost
 * what their start needs. What this node withdraws waits for nobody. Upstream: kube-proxy's minSyncPeriod, a second.
 */
const CALM_MS = 100;
const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;
/** Kernels before 6.2 count a chain as used for a while after its last use is gone. */
const SWEEP_MS = 2000;
/** Flows that are forgotten at a time; what is left is found by the next look. */
const MAX_FORGOTTEN = 64;
const FORGET_AGAIN_MS = 1000;
/** Clients of more services wait until conntrack forgets their attempts by itself. */
const MAX_ADDRESSES = 1024;
/** Pods whose addresses are remembered beyond their slices. */
const MAX_REMEMBERED = 1024;
const MAX_TOLD = 10;
const TRIGGER_ANNOTATION = 'endpoints.kubernetes.io/last-change-trigger-time';

/** How the last transactions went. */
export interface RouterState {
  /** Wall ms at which the table was last as it should be; undefined: never yet. */
  readonly writtenAt: number | undefined;
  /** Why the last transaction was refused; undefined: it was not. */
  readonly failure: string | undefined;
}

export class ServiceRouter {
  readonly #ports: RouterPorts;
  readonly #node: RouterNode;
  readonly #parts: RouterParts;
  readonly #metrics: RouterMetrics;
  readonly #claims = new FrontClaims();
  readonly #dead: DeadAddresses;
  readonly #wake: Wake;
  /** Services to look at. It holds at most all of them. */
  readonly #dirty = new Set<string>();
  readonly #seen = new Map<string, Service>();
  readonly #addresses = new BoundedMap<string, readonly string[]>(MAX_REMEMBERED);
  readonly #held = new HeldServices();
  readonly #told = new Set<string>();
  /** Pods with verdicts that the table does not show yet, by the number of the verdict. */
  readonly #unapplied = new Map<string, number>();
  #verdicts = 0;
  readonly #listeners = new Set<(isLoad: boolean) => void>();
  #table: TableMirror | undefined;
  /** What the next transaction builds the table by; undefined: as the last one. */
  #nextSettings: TableSettings | undefined;
  #mustLoad = true;
  /** The next transaction is the first on a table that was there. */
  #isAdopting = false;
  #retryMs = RETRY_MS;
  #state: RouterState = { writtenAt: undefined, failure: undefined };
  #lastSweep = 0;
  #flowsMayBeStale = true;
  #isForgetting = false;
  /** Resolved after the next transaction. */
  #waiting: (() => void)[] = [];
  #hasEnded = false;
  /** Monotonic; see `CALM_MS`. */
  #calmUntil = 0;

  constructor(ports: RouterPorts, node: RouterNode, parts: RouterParts) {
    this.#ports = ports;
    this.#node = node;
    this.#parts = parts;
    this.#metrics = routerMetrics(ports.metrics);
    ports.metrics.onCollect(() => this.#countLocal());
    this.#dead = new DeadAddresses(ports.clock);
    this.#wake = new Wake(ports.clock);
  }

  /**
   * Routes until the signal is aborted. The table stays: connections and new clients go on without us.
   * @param settings is called once all Services are known
   */
  async run(settings: () => Promise<TableSettings>, signal: AbortSignal): Promise<void> {
    const { directory, verdicts, lostNetworks } = this.#parts;
    const ends = [
      directory.onChange((key) => {
        this.#dirty.add(key);
        this.#later();
      }),
      verdicts.onChange((podUid) => this.#judge(podUid)),
      ...(lostNetworks === undefined ? [] : [lostNetworks.watch(() => this.#later())]),
    ];
    try {
      // What an earlier agent left routes until everything is known.
      await directory.waitForSync(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (signal.aborted) return;
      await this.#begin(await settings());
      this.#wake.soon(0);
      while (!signal.aborted) {
        await this.#wake.wait(signal);
        if (!signal.aborted) await this.#sync();
      }
    } finally {
      for (const end of ends) end();
      this.#parts.healthChecks.close();
      this.#hasEnded = true;
      // Nobody writes any more, and who waits ends, too.
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  get #mirror(): TableMirror {
    assert(this.#table !== undefined, 'the table is known before it is written');
    return this.#table;
  }

  get state(): RouterState {
    return this.#state;
  }

  /** Whether the table shows what this node knows of the pod. */
  isApplied(podUid: string): boolean {
    return this.#table !== undefined && !this.#mustLoad && !this.#isAdopting && !this.#unapplied.has(podUid);
  }

  /** Calls the listener after each transaction, with whether it was the load of everything. @returns a function that ends that */
  onApplied(listener: (isLoad: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Everything is written anew: the table is not as it should be. Resolves when that was tried. */
  async reload(): Promise<void> {
    this.#mustLoad = true;
    await this.#afterNext();
  }

  /** The machine is another one now: the table is built anew, in one transaction, so that every packet sees a whole one. */
  settingsChanged(settings: TableSettings): void {
    this.#nextSettings = settings;
    this.#wake.soon(0);
  }

  /**
   * The address is given to a new pod: nothing may reset its connections. Resolves when that is so.
   */
  async addressTaken(ip: string): Promise<void> {
    const address = addressText(ip);
    if (address !== undefined && this.#dead.remove(address)) await this.#afterNext();
  }

  /** What an earlier agent left is kept, if it was built as we would build it: then only what differs is written. */
  async #begin(settings: TableSettings): Promise<void> {
    const mirror = new TableMirror(settings);
    const contents = await this.#ports.machine.contents(mirror.table);
    const found = contents === undefined ? undefined : readTable(contents, layoutOf(settings));
    if (found !== undefined) {
      mirror.adopt(found);
      this.#dead.adopt(found.dead);
      this.#parts.lostNetworks?.adopt(found.lost);
      this.#mustLoad = false;
      for (const key of this.#allKeys(mirror)) this.#dirty.add(key);
      this.#isAdopting = true;
    }
    this.#ports.logger.info('services are routed', { table: mirror.table, kept: found?.elements.size ?? 0 });
    this.#table = mirror;
  }

  /**
   * The node has changed: services that depend on it are looked at again.
   * @param keys absent: all services
   */
  nodeChanged(keys: readonly string[] = this.#parts.directory.services().map(namespacedName)): void {
    for (const key of keys) this.#dirty.add(key);
    this.#later();
  }

  /** What the cluster tells is written together with what follows soon. */
  #later(): void {
    this.#wake.soon(Math.max(SETTLE_MS, this.#calmUntil - this.#ports.clock.now().mono));
  }

  async #afterNext(): Promise<void> {
    if (this.#hasEnded) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#wake.soon(0);
    await promise;
  }

  /** A verdict of this node changes the services of its pod at once. */
  #judge(podUid: string): void {
    const { directory, verdicts } = this.#parts;
    const slices = directory.slicesOfPod(podUid);
    const found = slices.flatMap(({ endpoints }) =>
      (endpoints ?? []).filter(({ targetRef }) => targetRef?.uid === podUid).flatMap(({ addresses }) => addresses),
    );
    if (found.length > 0) this.#addresses.set(podUid, found);
    const known = this.#addresses.get(podUid) ?? [];
    this.#bury(known.filter((address) => verdicts.of(podUid, address) === 'gone'));
    for (const slice of slices) {
      const key = serviceKeyOf(slice);
      if (key !== undefined) this.#dirty.add(key);
    }
    const withdraws = verdicts.of(podUid) !== undefined;
    if (slices.length > 0) this.#unapplied.set(podUid, ++this.#verdicts);
    this.#metrics.verdicts.inc();
    if (withdraws) this.#wake.soon(0);
    else this.#later();
  }

  /** An address of the node itself is that of pods in its network: it lives on. */
  #bury(addresses: readonly string[]): void {
    const own = new Set(this.#ports.machine.addresses());
    for (const text of addresses) {
      const address = addressText(text);
      if (address !== undefined && !own.has(address)) this.#dead.add(address);
    }
  }

  async #sync(): Promise<void> {
    const { clock, logger, machine } = this.#ports;
    if (!this.#parts.directory.synced) return;
    if (this.#nextSettings !== undefined) {
      this.#mirror.settingsChanged(this.#nextSettings);
      this.#nextSettings = undefined;
      this.#mustLoad = true;
    }
    const isLoad = this.#mustLoad;
    const waiting = this.#waiting.splice(0);
    const judged = [...this.#unapplied];
    const keys = isLoad ? this.#allKeys(this.#mirror) : new Set(this.#dirty);
    this.#dirty.clear();
    const { mono } = clock.now();
    const wishes = this.#wishes(keys);
    const transaction = this.#transaction(wishes, isLoad, mono);
    const dead = this.#dead.change(this.#mirror.table, isLoad);
    const lost = this.#lostNetworks(isLoad);
    const text = transaction.text + dead.text + lost.text;
    const failure = text === '' ? undefined : await machine.apply(text);
    if (failure === undefined) {
      transaction.commit();
      dead.commit();
      lost.commit();
      this.#mustLoad &&= !isLoad;
      this.#retryMs = RETRY_MS;
      this.#state = { writtenAt: clock.now().wall, failure };
      if (text !== '') this.#calmUntil = clock.now().mono + CALM_MS;
      if (text !== '') this.#count(isLoad, mono, keys);
      for (const [podUid, verdict] of judged) {
        if (this.#unapplied.get(podUid) === verdict) this.#unapplied.delete(podUid);
      }
      this.#after(wishes, isLoad);
      const isWhole = isLoad || this.#isAdopting;
      this.#isAdopting = false;
      if (isWhole) void this.#forgetAttempts();
      for (const listener of this.#listeners) listener(isWhole);
    } else {
      this.#metrics.failures.inc();
      this.#state = { ...this.#state, failure };
      this.#mustLoad = true;
      for (const key of keys) this.#dirty.add(key);
      // A change that does not fit means that the table is not as it was: everything is loaded at once.
      const retryMs = isLoad ? this.#retryMs : 0;
      logger.warn('rules of services not written', { error: failure, retryMs });
      this.#wake.soon(retryMs);
      if (isLoad) this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
    }
    for (const resolve of waiting) resolve();
  }

  #allKeys(mirror: TableMirror): Set<string> {
    const services = this.#parts.directory.services();
    return new Set([
      ...services.map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`),
      ...mirror.keys(),
      ...this.#claims.plans().keys(),
    ]);
  }

  /** New states of these services, and of those with which they share a front. */
  #wishes(keys: ReadonlySet<string>): Wishes {
    const { directory, verdicts } = this.#parts;
    const node: RoutingNode = {
      nodeName: this.#node.nodeName,
      zone: this.#node.zone(),
      nodeDns: this.#node.nodeDns(),
      verdictOf: (podUid, address) => verdicts.of(podUid, address),
      ...(this.#node.refuses && { refuses: this.#node.refuses }),
    };
    const concerned = new Set(keys);
    for (const key of keys) {
      const [namespace = '', name = ''] = key.split('/');
      const service = directory.service(namespace, name);
      const slices = service === undefined ? [] : directory.slices(namespace, name);
      const plan = service === undefined ? undefined : planService(service, slices, this.#holding(key, service, node));
      if (service === undefined) this.#held.forget(key);
      this.#revive(slices);
      for (const other of this.#claims.set(key, plan)) concerned.add(other);
      this.#countChange(key, service);
    }
    return new Map([...concerned].map((key) => [key, this.#stateOf(key)]));
  }

  /** The node, as it routes this service now. */
  #holding(key: string, service: Service, node: RoutingNode): RoutingNode {
    const { clock } = this.#ports;
    const [namespace = '', name = ''] = key.split('/');
    const slices = this.#parts.directory.slices(namespace, name);
    const now = clock.now().mono;
    const until = this.#held.look(key, { service, slices, verdictOf: node.verdictOf, now });
    if (until === undefined) return node;
    void clock.sleep(until - now).then(() => {
      this.#dirty.add(key);
      this.#wake.soon(0);
    });
    return { ...node, holds: true };
  }

  #stateOf(key: string): ServiceState {
    const plan = this.#claims.plan(key);
    if (plan === undefined) return NO_STATE;
    const { plan: won, lost } = this.#claims.won(key, plan);
    for (const what of plan.leftOut) this.#tell(`${key} ${what}`, 'a part of a service is not routed', { key, what });
    for (const front of lost) {
      const holder = this.#claims.holder(front);
      this.#tell(`${key} ${front}`, 'an address of a service is another service’s', { key, front, holder });
    }
    return this.#mirror.stateFor(key, won);
  }

  /** An address is somebody's again. A slice that still names the dead pod revives nothing. */
  #revive(slices: readonly EndpointSlice[]): void {
    if (this.#dead.isEmpty) return;
    const { verdicts } = this.#parts;
    const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
    const isGone = (uid: string | undefined, address: string): boolean =>
      uid !== undefined && verdicts.of(uid, address) === 'gone';
    const isDead = endpoints.flatMap(({ addresses, targetRef }) =>
      addresses.filter((address) => isGone(targetRef?.uid, address)),
    );
    for (const address of endpoints.flatMap(({ addresses }) => addresses)) {
      if (this.#dead.has(address) && !isDead.includes(address)) this.#dead.remove(address);
    }
  }

  /** Connections to pods of lost nodes are reset. */
  #lostNetworks(isLoad: boolean): { readonly text: string; readonly commit: () => void } {
    const { machine, logger } = this.#ports;
    const change = this.#parts.lostNetworks?.change(this.#mirror.table, machine.addresses(), isLoad);
    if (change === undefined) return { text: '', commit: () => {} };
    const { text, lost, commit } = change;
    if (text !== '') logger.info('networks of lost nodes', { lost: lost.slice(0, MAX_TOLD) });
    return { text, commit };
  }

  #transaction(wishes: Wishes, isLoad: boolean, mono: number): Transaction {
    if (isLoad) return this.#mirror.load(wishes);
    const sweeps = mono - this.#lastSweep > SWEEP_MS;
    if (sweeps) this.#lastSweep = mono;
    return this.#mirror.change(wishes, sweeps);
  }

  #after(wishes: Wishes, isLoad: boolean): void {
    const keys = [...wishes.keys()];
    this.#parts.healthChecks.update(this.#parts.directory, keys);
    // The question walks the kernel's whole table, and most services have no UDP.
    if (!isLoad && !this.#isAdopting && !keys.some((key) => servesUdp(this.#claims.plans().get(key)))) return;
    this.#flowsMayBeStale = true;
    void this.#forgetFlows();
  }

  /** UDP flows keep the endpoint that they had: conntrack must forget those whose endpoint is dead. */
  async #forgetFlows(): Promise<void> {
    if (this.#isForgetting) return;
    this.#isForgetting = true;
    const { machine, clock } = this.#ports;
    try {
      while (this.#flowsMayBeStale) {
        this.#flowsMayBeStale = false;
        const flows = (await machine.udpConnections()) ?? [];
        const stale = staleFlows(flows, this.#claims.plans().values(), new Set(machine.addresses()));
        for (const flow of stale.slice(0, MAX_FORGOTTEN)) await machine.forget(flow);
        this.#metrics.forgotten.inc({}, Math.min(stale.length, MAX_FORGOTTEN));
        if (stale.length > MAX_FORGOTTEN) this.#flowsMayBeStale = true;
        if (this.#flowsMayBeStale) await clock.sleep(FORGET_AGAIN_MS);
      }
    } finally {
      this.#isForgetting = false;
    }
  }

  /** There may have been no rules before: clients that tried to connect meanwhile get through with their next try. */
  async #forgetAttempts(): Promise<void> {
    const { machine, logger } = this.#ports;
    const begun = (await machine.begunConnections()) ?? [];
    const addresses = untranslatedAddresses(begun, this.#claims.plans().values());
    for (const address of addresses.slice(0, MAX_ADDRESSES)) await machine.forgetUntranslated(address);
    if (addresses.length === 0) return;
    logger.info('connections to services were begun while no rules were there; their next packets are routed', {
      services: addresses.slice(0, MAX_TOLD),
      count: addresses.length,
    });
  }

  /** Services whose clients get nothing here, by the policy that says so. */
  #countLocal(): void {
    const counts = { internal: 0, external: 0 };
    for (const { fronts } of this.#claims.plans().values()) {
      if (fronts.some(({ external, near }) => !external && near.does === 'drop')) counts.internal++;
      if (fronts.some(({ far }) => far?.does === 'drop')) counts.external++;
    }
    this.#metrics.noLocal.set(counts.internal, { traffic_policy: 'internal' });
    this.#metrics.noLocal.set(counts.external, { traffic_policy: 'external' });
  }

  #countChange(key: string, service: Service | undefined): void {
    const isSame = this.#seen.get(key) === service;
    (isSame ? this.#metrics.endpointChanges : this.#metrics.serviceChanges).inc();
    if (service === undefined) this.#seen.delete(key);
    else this.#seen.set(key, service);
  }

  #count(isLoad: boolean, startedMono: number, keys: ReadonlySet<string>): void {
    const { clock } = this.#ports;
    const now = clock.now();
    const seconds = (now.mono - startedMono) / 1000;
    this.#metrics.sync.observe(seconds);
    (isLoad ? this.#metrics.fullSync : this.#metrics.partialSync).observe(seconds);
    this.#metrics.lastSync.set(now.wall / 1000);
    if (isLoad) return;
    for (const key of keys) {
      const [namespace = '', name = ''] = key.split('/');
      const times = this.#parts.directory
        .slices(namespace, name)
        .flatMap(({ metadata }) => parseTime(metadata?.annotations?.[TRIGGER_ANNOTATION]) ?? []);
      const latest = Math.max(...times);
      if (Number.isFinite(latest)) this.#metrics.programming.observe(Math.max(0, now.wall - latest) / 1000);
    }
  }

  #tell(what: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#told.has(what) || this.#told.size >= MAX_REMEMBERED) return;
    this.#told.add(what);
    this.#ports.logger.warn(message, fields);
  }
}
