/**
 * A simulated node: a lasting machine (clock, disk, runtime, cgroups), and an agent on it that comes and goes. A function builds
 * the agent, so that it can be killed and started again.
 */
import { createKubeClient } from '../client/index.ts';
import { DEFAULT_SETTINGS, type KubeletConfig, type KubeletPorts } from '../kubelet/index.ts';
import {
  type Connection,
  decodeText,
  type FileSystem,
  type HttpRequest,
  type Logger,
  type Random,
} from '../lib/index.ts';
import type { Facts } from './facts.ts';
import { Life } from './life.ts';
import { type DriverKind, SimDriver } from './drivers/sim-driver.ts';
import { createSimPlugins } from './drivers/sim-plugins.ts';
import type { StorageLaws } from './drivers/storage-laws.ts';
import { noRuntimeFaults } from './runtime/runtime-faults.ts';
import { SimImages } from './runtime/sim-images.ts';
import { createSimImageService, createSimRuntimeService } from './runtime/sim-runtime-service.ts';
import { SimRuntime } from './runtime/sim-runtime.ts';
import { WallClock, createSimClock } from './sim-clock.ts';
import { Link, createSimConnection } from './sim-connection.ts';
import { deletionsIn } from './deletions-in.ts';
import { SimDisk } from './sim-disk.ts';
import { createSimFileSystem } from './sim-file-system.ts';
import { type MachineState, createSimCgroups, createSimMachine, createSimProcess, simStreams } from './sim-machine.ts';
import { PacketFilter } from './packet-filter/packet-filter.ts';
import { noFilterFaults } from './sim-router-machine.ts';
import { INSTANCE_ID, type RoutingGround, type SimRouting, startSimRouting } from './sim-routing.ts';
import { createSimProbeTransport } from './sim-probe-transport.ts';
import type { Sim } from './sim.ts';

const DISK_BYTES = 1_000_000_000;
const ROOT_DIR = '/var/lib/mendlet/agent';
const POD_LOGS_DIR = '/var/log/pods';
const LOG_LINKS_DIR = '/var/log/containers';
const KUBELET_DIR = '/var/lib/kubelet';
/** Longest time from a boot until a driver runs, ms. */
const DRIVER_BOOT_MS = 20_000;
/** Of the volumes that nodes make. */
export const VOLUMES_DIR = '/var/lib/mendlet/volumes';

/**
 * Runs a node agent until the signal is aborted, and offers its own API, if it has one. A rejection is a programmer's error and ends
 * the simulation.
 */
export type RunAgent = (
  ports: KubeletPorts,
  config: KubeletConfig,
  signal: AbortSignal,
  offer: (connection: Connection) => void,
) => Promise<void>;

/** Where a node is. */
export interface SimPlace {
  readonly name: string;
  readonly address: string;
  /** "10.244": the first half of its pods' addresses. */
  readonly podPrefix: string;
}

export interface SimNodeOptions {
  readonly sim: Sim;
  readonly facts: Facts;
  readonly place: SimPlace;
  /** The API server with this node's agent as the authenticated user. */
  readonly server: () => Connection | undefined;
  readonly runAgent: RunAgent;
  readonly logger: Logger;
  /** It makes volumes. */
  readonly hasVolumes?: boolean;
  readonly drivers?: { readonly kinds: readonly DriverKind[]; readonly laws: StorageLaws };
}

export class SimNode {
  readonly name: string;
  readonly wall: WallClock;
  readonly disk: SimDisk;
  readonly images = new SimImages();
  readonly runtime: SimRuntime;
  readonly runtimeFaults = noRuntimeFaults();
  readonly link = new Link();
  readonly filter = new PacketFilter();
  readonly filterFaults = noFilterFaults();
  readonly address: string;
  readonly podNetwork: string;
  readonly drivers: readonly SimDriver[];
  readonly #options: SimNodeOptions;
  readonly #cgroups = new Set<string>();
  readonly #mounts: string[] = [];
  readonly #machine: MachineState;
  #agent: Life | undefined;
  /** The agent's own API. */
  #offered: { readonly life: Life; readonly connection: Connection } | undefined;
  #routing: SimRouting | undefined;
  #incarnation = 0;
  #boots = 1;
  #isOff = false;

  constructor(options: SimNodeOptions) {
    const { sim, facts, place } = options;
    const { name, address, podPrefix } = place;
    this.#options = options;
    this.name = name;
    this.address = address;
    this.podNetwork = `${podPrefix}.0.0/16`;
    this.wall = new WallClock(sim);
    this.disk = new SimDisk(sim, DISK_BYTES);
    this.runtime = new SimRuntime(
      { sim, wall: this.wall, facts, random: sim.random.split(`runtime ${name}`) },
      podPrefix,
      (path) => (this.#mounts.includes(path) ? 'mounted' : this.disk.exists(path) ? 'files' : 'nothing'),
    );
    this.#machine = { name, bootId: `boot-${name}-1`, address, disk: this.disk };
    const { kinds = [], laws } = options.drivers ?? {};
    this.drivers = kinds.flatMap((kind) => {
      if (laws === undefined) return [];
      const random = sim.random.split(`driver ${kind.name} on ${name}`);
      const machine = { name, disk: this.disk, mounts: this.#mounts };
      return new SimDriver(kind, { sim, random, laws, kubeletDir: KUBELET_DIR }, machine);
    });
    for (const driver of this.drivers) driver.start();
  }

  get agent(): Life | undefined {
    return this.#agent;
  }

  /** Of the present agent, or of the last one. */
  get routing(): SimRouting | undefined {
    return this.#routing;
  }

  /** The agent's own API, while there is an agent that answers. */
  get kubelet(): Connection | undefined {
    const offered = this.#offered;
    return offered?.life.alive === true && !offered.life.suspended ? offered.connection : undefined;
  }

  startAgent(): void {
    if (this.#agent?.alive === true || this.#isOff) return;
    const { sim, facts, runAgent } = this.#options;
    this.#incarnation += 1;
    const life = new Life(sim, `${this.name}/${this.#incarnation}`);
    this.#agent = life;
    facts.tell({ kind: 'agent-started', node: this.name });
    const offer = (connection: Connection): void => {
      this.#offered = { life, connection };
    };
    runAgent(this.#ports(life), this.#config(), life.signal, offer).then(
      () => life.kill(),
      (error: unknown) => {
        if (life.alive) sim.fail(error);
      },
    );
  }

  /** SIGKILL. */
  killAgent(): void {
    if (this.#agent?.alive !== true) return;
    this.#agent.kill();
    this.#options.facts.tell({ kind: 'agent-killed', node: this.name });
  }

  /** The machine loses power; `boot` brings it back, without the agent. */
  losePower(): void {
    this.killAgent();
    this.#isOff = true;
    for (const driver of this.drivers) driver.losePower();
    this.runtime.goDown();
    this.runtime.losePower();
    this.filter.flush();
    this.disk.losePower();
    this.#cgroups.clear();
    this.#mounts.length = 0;
    this.#options.facts.tell({ kind: 'machine-lost', node: this.name });
  }

  boot(): void {
    this.#isOff = false;
    this.#boots += 1;
    this.#machine.bootId = `boot-${this.name}-${this.#boots}`;
    this.runtime.comeUp();
    const { sim } = this.#options;
    const random = sim.random.split(this.#machine.bootId);
    for (const driver of this.drivers) {
      driver.boot();
      sim.after(random.next() * DRIVER_BOOT_MS, 'driver comes up', () => driver.start());
    }
  }

  isMounted(path: string): boolean {
    return this.#mounts.includes(path);
  }

  /** Remains of pods outside the runtime: mounts, cgroups, files. */
  leftovers(): string | undefined {
    if (this.#mounts.length > 0) return `mounts ${this.#mounts.join(' ')}`;
    const groups = [...this.#cgroups].filter((path) => /\/pod[^/]*$/.test(path));
    if (groups.length > 0) return `cgroups ${groups.join(' ')}`;
    const staging = this.drivers.map(({ kind }) => `${KUBELET_DIR}/plugins/kubernetes.io/csi/${kind.name}`);
    const devices = `${KUBELET_DIR}/plugins/kubernetes.io/csi/volumeDevices/publish`;
    // A folder of a device stays, for other pods may have the device.
    const published = this.disk.list(devices).map((name) => `${devices}/${name}`);
    const ofDrivers = [`${ROOT_DIR}/csi`, `${KUBELET_DIR}/pods`, ...staging, ...published];
    for (const dir of [`${ROOT_DIR}/pods`, `${ROOT_DIR}/pods-memory`, POD_LOGS_DIR, LOG_LINKS_DIR, ...ofDrivers]) {
      const names = this.disk.list(dir);
      if (names.length > 0) return `${dir}/${names.join(' ')}`;
    }
    return undefined;
  }

  /** The node's record of a pod's deaths. */
  history(uid: string): string {
    const found = this.disk.get(`${ROOT_DIR}/deaths/${uid}.json`);
    return found === undefined ? '' : decodeText(found.data);
  }

  fillDisk(): void {
    this.disk.setFull(true);
    this.#options.facts.tell({ kind: 'disk-filled', node: this.name });
  }

  /** Somebody removes all rules of the packet filter. */
  flushFilter(): void {
    this.filter.flush();
    this.#options.facts.tell({ kind: 'filter-flushed', node: this.name });
  }

  stepWall(ms: number): void {
    this.wall.step(ms);
    this.#options.facts.tell({ kind: 'wall-stepped', node: this.name });
  }

  #ports(life: Life): KubeletPorts {
    const { sim, facts, server, logger } = this.#options;
    const random = sim.random.split(life.name);
    const clock = createSimClock(sim, this.wall, life);
    const told = new Set<string>();
    // Only lists and watches of pods count, because a kubelet does not learn of deletions from answers to writes.
    const onDelivered = (request: HttpRequest, bytes: Uint8Array): void => {
      if (request.method !== 'GET' || !request.url.startsWith('/api/v1/pods')) return;
      for (const uid of deletionsIn(bytes)) {
        if (told.has(uid)) continue;
        told.add(uid);
        facts.tell({ kind: 'deletion-delivered', uid, node: this.name });
      }
    };
    const connection = createSimConnection({
      sim,
      life,
      link: this.link,
      random: random.split('link'),
      server,
      onDelivered,
    });
    const runtimeWiring = {
      sim,
      life,
      runtime: this.runtime,
      images: this.images,
      faults: this.runtimeFaults,
      random: random.split('cri'),
    };
    const client = createKubeClient(connection, { clock });
    this.#routing = this.#startRouting(life, { client, clock }, random.split('routing'));
    return {
      clock,
      random: random.split('agent'),
      logger,
      client,
      cri: {
        runtime: createSimRuntimeService(runtimeWiring),
        images: createSimImageService(runtimeWiring),
        ...this.#plugins(life, random),
      },
      host: {
        fs: this.#fileSystem(life, random.split('disk')),
        process: createSimProcess(this.#mounts),
        cgroups: createSimCgroups(this.#cgroups),
        machine: createSimMachine(this.#machine),
      },
      pods: {
        routing: this.#routing.port,
        hostPorts: this.#routing.hostPorts,
        probeTransport: createSimProbeTransport(sim, life, this.runtime, random.split('probes')),
        streams: simStreams,
      },
    };
  }

  #plugins(life: Life, random: Random): Pick<KubeletPorts['cri'], 'plugins'> {
    const { drivers, name: nodeName } = this;
    if (drivers.length === 0) return {};
    const { sim } = this.#options;
    return { plugins: createSimPlugins({ sim, life, random: random.split('plugins'), nodeName, drivers }) };
  }

  #fileSystem(life: Life, random: Random): FileSystem {
    const { bootId } = this.#machine;
    return createSimFileSystem({
      sim: this.#options.sim,
      life,
      disk: this.disk,
      mounts: this.#mounts,
      random,
      bootId,
    });
  }

  #startRouting(life: Life, ground: Pick<RoutingGround, 'client' | 'clock'>, random: Random): SimRouting {
    const { sim, facts, logger } = this.#options;
    const { name: nodeName, podNetwork, filter, address } = this;
    const onRestored = (): void => facts.tell({ kind: 'filter-restored', node: nodeName });
    return startSimRouting(
      { ...ground, nodeName, podNetwork, logger, onRestored },
      { sim, life, filter, faults: this.filterFaults, random, addresses: [address] },
    );
  }

  #config(): KubeletConfig {
    return {
      nodeName: this.name,
      instanceId: INSTANCE_ID,
      rootDir: ROOT_DIR,
      podLogsDir: POD_LOGS_DIR,
      node: { podCidr: this.podNetwork, version: 'v1.36.0+mendlet.sim' },
      apiServer: { host: '10.0.0.1', port: 6443 },
      settings: {
        ...DEFAULT_SETTINGS,
        ...(this.#options.hasVolumes === true && { volumesDir: VOLUMES_DIR }),
        ...(this.drivers.length > 0 && { kubeletDir: KUBELET_DIR }),
      },
    };
  }
}
