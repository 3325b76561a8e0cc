/**
 * Keeps the table of the pods' own network: host ports, and the address under which pods leave the machine. It merges what comes
 * together, writes one transaction at a time, and needs no API server. The table outlives the agent.
 */
import { assert, type Clock, type Logger, type MetricsRegistry } from '../../lib/index.ts';
import type { PodNetwork } from '../pod-network.ts';
import { statements } from '../router/element-statements.ts';
import { readTable } from '../router/read-table.ts';
import type { RouterMachine } from '../router/router-machine.ts';
import { withoutNested } from '../router/safe-values.ts';
import type { ElementName } from '../router/table-state.ts';
import type { HostSocket } from '../router/taken-ports.ts';
import { Wake } from '../wake.ts';
import { elementsOf, type HostPortName, type MappedSandbox, planHostPorts, targetsIn } from './plan-host-ports.ts';
import { PEERS_SET, podTable, podTableLayout, podTableName } from './pod-table-text.ts';
import { type ChangedTarget, changedTargets, staleHostFlows } from './stale-host-flows.ts';

export interface PodTablePorts {
  readonly machine: Pick<
    RouterMachine,
    'apply' | 'contents' | 'addresses' | 'udpConnections' | 'begunConnections' | 'forget'
  >;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/** What nft refuses once, as when another program changes rules at the same time, must not cost us the table. */
const OPEN_ATTEMPTS = 3;
const OPEN_AGAIN_MS = 200;
const RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;
/** Flows that are forgotten after one change; those beyond end by their time-outs. */
const MAX_FORGOTTEN = 1024;
/** Host ports without a rule that were told of. */
const MAX_TOLD = 1024;

export class PodTable {
  readonly #ports: PodTablePorts;
  readonly #network: PodNetwork;
  readonly #metrics: ReturnType<typeof podTableMetrics>;
  readonly #wake: Wake;
  readonly #pods = new Map<string, MappedSandbox>();
  #peers: readonly string[] | undefined;
  /** Host ports that an earlier agent left, until all pods are told; undefined: they are. */
  #found: ReadonlyMap<HostPortName, string> | undefined;
  /** What the table has. */
  #elements: ReadonlyMap<ElementName, string> = new Map();
  #mustLoad = true;
  #isOpen = false;
  #hasEnded = false;
  #retryMs = RETRY_MS;
  readonly #listeners = new Set<(isLoad: boolean) => void>();
  /** Resolved after the next transaction. */
  #waiting: (() => void)[] = [];
  readonly #told = new Set<string>();
  #isForgetting = false;
  readonly #changed = new Map<HostPortName, ChangedTarget>();

  constructor(ports: PodTablePorts, network: PodNetwork) {
    this.#ports = ports;
    this.#network = network;
    this.#metrics = podTableMetrics(ports.metrics);
    this.#wake = new Wake(ports.clock);
  }

  get table(): string {
    return podTableName(this.#network.instanceId);
  }

  /**
   * The table is there from now on. What an earlier agent left is kept, if it was built as this version builds it.
   * @returns why it cannot be; undefined: it is
   */
  async open(): Promise<string | undefined> {
    for (let attempt = 1; ; attempt++) {
      const failure = await this.#tryToOpen();
      if (failure === undefined || attempt === OPEN_ATTEMPTS) return failure;
      await this.#ports.clock.sleep(OPEN_AGAIN_MS);
    }
  }

  async #tryToOpen(): Promise<string | undefined> {
    const { machine } = this.#ports;
    const contents = await machine.contents(this.table);
    const found = contents === undefined ? undefined : readTable(contents, podTableLayout(this.#network));
    if (found === undefined) {
      const failure = await machine.apply(this.#loadText(this.#wanted()));
      if (failure !== undefined) return failure;
      this.#elements = this.#wanted();
    } else {
      this.#elements = found.elements;
      this.#found = targetsIn(found.elements);
    }
    this.#mustLoad = false;
    this.#isOpen = true;
    return undefined;
  }

  /** Writes what changes until the signal is aborted. The table stays. */
  async run(signal: AbortSignal): Promise<void> {
    assert(this.#isOpen, 'the table is opened before it is kept');
    try {
      while (!signal.aborted) {
        await this.#wake.wait(signal);
        if (!signal.aborted) await this.#sync();
      }
    } finally {
      this.#hasEnded = true;
      // Nobody writes any more, and who waits ends, too.
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  /** @param networks those of other nodes' pods, which see ours by their own addresses */
  setPeers(networks: readonly string[]): void {
    this.#peers = withoutNested(networks);
    this.#wake.soon(0);
  }

  /**
   * Its host ports lead to the pod. Repeated calls are no change.
   * @param sandbox undefined: it has none that is ready
   */
  map(podUid: string, sandbox: MappedSandbox | undefined): void {
    if (sandbox === undefined) {
      if (!this.#pods.delete(podUid)) return;
    } else {
      if (isSame(this.#pods.get(podUid), sandbox)) return;
      this.#pods.set(podUid, sandbox);
    }
    this.#wake.soon(0);
  }

  /** Ports of this machine that lead to pods, as sockets of it that wait for clients: a program could not be reached there either. */
  taken(): readonly HostSocket[] {
    return [...this.#pods.values()].flatMap(({ ports }) =>
      ports.flatMap(({ protocol, hostPort, hostIp }) => {
        const known = protocol === 'UDP' ? 'UDP' : protocol === 'TCP' || protocol === '' ? 'TCP' : undefined;
        const isAll = hostIp === '' || hostIp === '0.0.0.0';
        return known === undefined ? [] : [{ protocol: known, port: hostPort, address: isAll ? undefined : hostIp }];
      }),
    );
  }

  /** All pods that the runtime has were told of: host ports of others end. */
  settled(): void {
    if (this.#found === undefined) return;
    this.#found = undefined;
    this.#wake.soon(0);
  }

  /** Everything is written anew: the table is not as it should be. Resolves when that was tried. */
  async reload(): Promise<void> {
    if (this.#hasEnded) return;
    this.#mustLoad = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#wake.soon(0);
    await promise;
  }

  /** Calls the listener after each transaction, with whether it wrote everything. @returns a function that ends that */
  onApplied(listener: (isLoad: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #sync(): Promise<void> {
    const { machine, logger } = this.#ports;
    const waiting = this.#waiting.splice(0);
    const isLoad = this.#mustLoad;
    const wanted = this.#wanted();
    const text = isLoad ? this.#loadText(wanted) : changeText(this.table, this.#elements, wanted);
    const failure = text === '' ? undefined : await machine.apply(text);
    if (failure === undefined) {
      // Where there were no rules, flows may have begun that lead nowhere.
      const changed = changedTargets(isLoad ? new Map() : targetsIn(this.#elements), targetsIn(wanted));
      this.#elements = wanted;
      this.#mustLoad &&= !isLoad;
      this.#retryMs = RETRY_MS;
      if (text !== '') for (const listener of this.#listeners) listener(isLoad);
      for (const [name, change] of changed) this.#changed.set(name, change);
      void this.#forgetFlows();
    } else {
      this.#metrics.failures.inc();
      this.#mustLoad = true;
      // A change that does not fit means that the table is not as it was: everything is written at once.
      const retryMs = isLoad ? this.#retryMs : 0;
      logger.warn('host ports and masquerade not written', { error: failure, retryMs });
      this.#wake.soon(retryMs);
      if (isLoad) this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
    }
    for (const resolve of waiting) resolve();
  }

  #loadText(elements: ReadonlyMap<ElementName, string>): string {
    const { table } = this;
    const base = `add table ip ${table}\ndelete table ip ${table}\n${podTable(this.#network)}`;
    return base + statements('add', table, [...elements]);
  }

  #wanted(): ReadonlyMap<ElementName, string> {
    const plan = planHostPorts(this.#pods);
    const targets = new Map(plan.targets);
    const known = new Set([...this.#pods.values()].flatMap(({ addresses }) => addresses));
    for (const [name, target] of this.#found ?? []) {
      // What is told of an address counts, and of a port.
      if (!targets.has(name) && !known.has(target.split(' . ')[0] ?? '')) targets.set(name, target);
    }
    this.#metrics.ports.set(targets.size);
    for (const { podUid, what, why } of plan.leftOut) {
      const key = `${podUid} ${what}`;
      if (this.#told.has(key) || this.#told.size >= MAX_TOLD) continue;
      this.#told.add(key);
      this.#ports.logger.warn('a host port leads nowhere', { podUid, port: what, why });
    }
    const peers: readonly (readonly [ElementName, string])[] =
      this.#peers === undefined
        ? [...this.#elements].filter(([name]) => name.startsWith(`${PEERS_SET} `))
        : this.#peers.map((network) => [`${PEERS_SET} ${network}`, '']);
    return new Map([...elementsOf(targets), ...peers]);
  }

  /** A flow keeps the target that it had, or that it has none: conntrack must forget it. */
  async #forgetFlows(): Promise<void> {
    if (this.#isForgetting) return;
    this.#isForgetting = true;
    const { machine, logger } = this.#ports;
    try {
      while (this.#changed.size > 0) {
        const changed = new Map(this.#changed);
        this.#changed.clear();
        const own = new Set(machine.addresses());
        for (const protocol of ['udp', 'tcp'] as const) {
          if (![...changed.keys()].some((name) => name.includes(`${protocol} . `))) continue;
          const flows = await (protocol === 'udp' ? machine.udpConnections() : machine.begunConnections());
          const stale = staleHostFlows(protocol, flows ?? [], changed, own).slice(0, MAX_FORGOTTEN);
          for (const flow of stale) await machine.forget(flow, protocol);
          this.#metrics.forgotten.inc({}, stale.length);
        }
      }
    } catch (error) {
      logger.warn('flows to former host ports not forgotten', { error });
    } finally {
      this.#isForgetting = false;
    }
  }
}

function isSame(one: MappedSandbox | undefined, other: MappedSandbox): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function changeText(
  table: string,
  before: ReadonlyMap<ElementName, string>,
  after: ReadonlyMap<ElementName, string>,
): string {
  const removed = [...before].filter(([name, value]) => after.get(name) !== value).map(([name]) => [name, ''] as const);
  const added = [...after].filter(([name, value]) => before.get(name) !== value);
  return statements('delete', table, removed) + statements('add', table, added);
}

function podTableMetrics(metrics: MetricsRegistry) {
  return {
    ports: metrics.gauge({ name: 'mendlet_host_ports', help: 'Host ports that lead to pods of this node.' }),
    failures: metrics.counter({
      name: 'mendlet_host_ports_failures_total',
      help: 'Transactions of host ports and masquerade that nft refused.',
    }),
    forgotten: metrics.counter({
      name: 'mendlet_host_ports_flows_forgotten_total',
      help: 'Flows to host ports that had a former target, or none, and that conntrack was made to forget.',
    }),
  };
}
