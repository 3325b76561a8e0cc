/** A machine of the fleet: its pods keep running while its agent comes and goes; a dead machine loses both. */
import { type Pod, uidOf } from '../../api/index.ts';
import { createKubeClient } from '../../client/index.ts';
import type { Connection, Logger } from '../../lib/index.ts';
import { Life } from '../life.ts';
import { createSimClock, WallClock } from '../sim-clock.ts';
import { createSimConnection, Link } from '../sim-connection.ts';
import { SimDisk } from '../sim-disk.ts';
import { createSimFileSystem } from '../sim-file-system.ts';
import { createSimNetworkMachine, SimNetwork } from '../sim-network-machine.ts';
import type { Sim } from '../sim.ts';
import type { FleetFacts } from './fleet-facts.ts';
import { runHollowAgent } from './hollow-agent.ts';
import { HollowVolumes } from './hollow-volumes.ts';

const DISK_BYTES = 1_000_000;

export interface HollowNodeOptions {
  readonly sim: Sim;
  readonly facts: FleetFacts;
  readonly name: string;
  readonly zone: string;
  /** The address at which other nodes reach it. */
  readonly address: string;
  readonly server: () => Connection | undefined;
  readonly logger: Logger;
  readonly hasVolumes: boolean;
}

export class HollowNode {
  readonly name: string;
  readonly zone: string;
  readonly link = new Link();
  readonly wall: WallClock;
  readonly network: SimNetwork;
  readonly volumes: HollowVolumes;
  readonly #options: HollowNodeOptions;
  readonly #disk: SimDisk;
  /** UID → mono ms of its start. */
  readonly #running = new Map<string, number>();
  #agent: Life | undefined;
  #incarnation = 0;

  constructor(options: HollowNodeOptions) {
    this.#options = options;
    this.name = options.name;
    this.zone = options.zone;
    this.wall = new WallClock(options.sim);
    this.network = new SimNetwork(options.address);
    this.volumes = new HollowVolumes((name) => options.facts.folderGone(options.name, name));
    this.#disk = new SimDisk(options.sim, DISK_BYTES);
  }

  get isUp(): boolean {
    return this.#agent?.alive === true;
  }

  uids(): readonly string[] {
    return [...this.#running.keys()];
  }

  startAgent(): void {
    if (this.isUp) return;
    const { sim, server, logger, name, zone, address, hasVolumes } = this.#options;
    this.#incarnation += 1;
    const life = new Life(sim, `${name}/${this.#incarnation}`);
    this.#agent = life;
    const random = sim.random.split(life.name);
    const clock = createSimClock(sim, this.wall, life);
    const connection = createSimConnection({ sim, life, link: this.link, random: random.split('link'), server });
    const client = createKubeClient(connection, { clock });
    const machine = {
      isRunning: (uid: string) => this.#running.has(uid),
      uids: () => this.uids(),
      start: (pod: Pod) => this.#start(pod),
      stop: (uid: string) => this.#stop(uid),
      // The clock of an agent begins at 1 s (see createSimClock).
      startedAt: (uid: string) => (this.#running.get(uid) ?? sim.mono) + 1000,
    };
    const network = {
      machine: createSimNetworkMachine({ sim, life, network: this.network, random: random.split('network') }),
      fs: createSimFileSystem({ sim, life, disk: this.#disk, mounts: [], random: random.split('disk') }),
    };
    const ports = { client, clock, random, logger, machine, network, ...(hasVolumes && { volumes: this.volumes }) };
    runHollowAgent(ports, { name, zone, address }, life.signal).catch((error: unknown) => {
      if (life.alive) sim.fail(error);
    });
  }

  /** Kills only the agent. */
  killAgent(): void {
    this.#agent?.kill();
    // Its sockets close with it.
    this.link.breakStreams();
  }

  /** Powers the machine off, with its agent and all pods. */
  die(): void {
    this.killAgent();
    for (const uid of this.uids()) this.#stop(uid);
    this.network.flush();
    this.#disk.losePower();
  }

  #start(pod: Pod): void {
    if (this.#running.has(uidOf(pod))) return;
    this.#running.set(uidOf(pod), this.#options.sim.mono);
    this.#options.facts.started(this.name, pod);
  }

  #stop(uid: string): void {
    if (!this.#running.delete(uid)) return;
    this.volumes.unpublish(uid);
    this.#options.facts.stopped(this.name, uid);
  }
}
