/** The control plane of a simulated cluster: the real API server on the store in memory, the real controllers and scheduler. */
import { createApiServer, type ApiServer } from '../apiserver/index.ts';
import { type KubeClient, createKubeClient } from '../client/index.ts';
import { type ControllersSettings, runControllers } from '../controllers/index.ts';
import { type Connection, type Logger, type UserInfo, createMetrics } from '../lib/index.ts';
import { refusals, runScheduler } from '../scheduler/index.ts';
import { type Store, createMemoryStore } from '../store/index.ts';
import { Life } from './life.ts';
import { WallClock, createSimClock } from './sim-clock.ts';
import { Link, createSimConnection } from './sim-connection.ts';
import type { Sim } from './sim.ts';

export type ClientName = 'controllers' | 'scheduler';

const ADMIN: UserInfo = { name: 'sim:admin', groups: ['system:masters'] };
/** The users of the clients, with the rights of the bootstrap policy, as in a real cluster. */
const USERS: Readonly<Record<ClientName, UserInfo>> = {
  controllers: { name: 'system:kube-controller-manager', groups: ['system:authenticated'] },
  scheduler: { name: 'system:kube-scheduler', groups: ['system:authenticated'] },
};

export class SimControlPlane {
  readonly store: Store;
  /** The link of the controllers and the scheduler. */
  readonly link = new Link();
  readonly #sim: Sim;
  readonly #logger: Logger;
  readonly #wall: WallClock;
  readonly #settings: Partial<ControllersSettings>;
  readonly #localVolumes: ((life: Life) => NonNullable<ControllersSettings['localVolumes']>) | undefined;
  #server: { readonly life: Life; readonly api: ApiServer } | undefined;
  readonly #clients = new Map<ClientName, Life>();
  #starts = 0;
  #suspendedUntil = 0;

  /**
   * @param controllers settings of the controllers
   * @param localVolumes how each of their incarnations reaches the nodes that make volumes; absent: nobody makes any
   */
  constructor(
    sim: Sim,
    logger: Logger,
    controllers: Partial<ControllersSettings> = {},
    localVolumes?: (life: Life) => NonNullable<ControllersSettings['localVolumes']>,
  ) {
    this.#localVolumes = localVolumes;
    this.#sim = sim;
    this.#logger = logger;
    this.#settings = controllers;
    this.#wall = new WallClock(sim);
    this.store = createMemoryStore({ clock: createSimClock(sim, this.#wall, new Life(sim, 'store')) });
  }

  start(): void {
    this.startServer();
    this.startClient('controllers');
    this.startClient('scheduler');
  }

  /** Steps the machine's wall clock. */
  stepWall(ms: number): void {
    this.#wall.step(ms);
  }

  /** SIGKILL of the whole process: server, controllers, scheduler. Committed objects stay. */
  crash(links: readonly Link[]): void {
    for (const name of this.#clients.keys()) this.killClient(name);
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    for (const link of [this.link, ...links]) link.breakStreams();
    server.life.kill();
  }

  /** Suspends the whole process for `ms`, as SIGSTOP or a sleeping laptop does; deliveries of that time come afterwards. */
  suspend(ms: number): void {
    this.#suspendedUntil = Math.max(this.#suspendedUntil, this.#sim.mono + ms);
    this.#server?.life.suspend(ms);
    for (const life of this.#clients.values()) life.suspend(ms);
  }

  startServer(): void {
    if (this.#server !== undefined) return;
    this.#starts += 1;
    const life = new Life(this.#sim, `apiserver/${this.#starts}`);
    const clock = createSimClock(this.#sim, this.#wall, life);
    const random = this.#sim.random.split(life.name);
    const version = { gitVersion: 'v1.36.0+mendlet.sim' };
    const api = createApiServer({ store: this.store, clock, random, logger: this.#logger }, { version });
    api.ready.catch((error: unknown) => {
      if (life.alive) this.#sim.fail(error);
    });
    this.#server = { life, api };
  }

  /** Stops the server with all its streams. */
  stopServer(links: readonly Link[]): void {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    for (const link of [this.link, ...links]) link.breakStreams();
    void server.api.close().then(() => server.life.kill());
  }

  get isServing(): boolean {
    return this.#server !== undefined && this.#sim.mono >= this.#suspendedUntil;
  }

  /** The server for requests of `user`, while it is up. */
  as(user: UserInfo): () => Connection | undefined {
    return () => (this.#sim.mono < this.#suspendedUntil ? undefined : this.#server?.api.as(user));
  }

  /** A client with a faultless link to the server, for workloads and observers. */
  adminClient(name: string): KubeClient {
    return this.#client(new Life(this.#sim, name), new Link(), ADMIN);
  }

  startClient(name: ClientName): void {
    if (this.#clients.get(name)?.alive === true) return;
    this.#starts += 1;
    const life = new Life(this.#sim, `${name}/${this.#starts}`);
    this.#clients.set(name, life);
    const options = this.optionsFor(life, USERS[name]);
    const localVolumes = this.#localVolumes?.(life);
    const settings = {
      caCertificate: 'simulated CA',
      refusals,
      ...(localVolumes && { localVolumes }),
      ...this.#settings,
    };
    const run =
      name === 'scheduler' ? runScheduler(options, life.signal) : runControllers(options, settings, life.signal);
    run.catch((error: unknown) => {
      if (life.alive) this.#sim.fail(error);
    });
  }

  killClient(name: ClientName): void {
    this.#clients.get(name)?.kill();
  }

  /** The options of a client of the control plane. */
  optionsFor(life: Life, user = ADMIN) {
    const clock = createSimClock(this.#sim, this.#wall, life);
    const random = this.#sim.random.split(life.name);
    const client = this.#client(life, this.link, user);
    return { client, clock, random, logger: this.#logger, metrics: createMetrics() };
  }

  #client(life: Life, link: Link, user: UserInfo): KubeClient {
    const sim = this.#sim;
    const random = sim.random.split(`link ${life.name}`);
    const connection = createSimConnection({ sim, life, link, random, server: this.as(user) });
    return createKubeClient(connection, { clock: createSimClock(sim, this.#wall, life) });
  }
}
