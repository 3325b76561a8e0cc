/** The control plane of a simulated cluster: the real API server on the store in memory, the real controllers and scheduler. */
import { createApiServer, type ApiServer } from '../apiserver/index.ts';
import { type KubeClient, createKubeClient } from '../client/index.ts';
import { runControllers } from '../controllers/index.ts';
import { type Connection, type Logger, type UserInfo, createMetrics } from '../lib/index.ts';
import { runScheduler } from '../scheduler/index.ts';
import { type Store, createMemoryStore } from '../store/index.ts';
import { Life } from './life.ts';
import { WallClock, createSimClock } from './sim-clock.ts';
import { Link, createSimConnection } from './sim-connection.ts';
import type { Sim } from './sim.ts';

const ADMIN: UserInfo = { name: 'sim:admin', groups: ['system:masters'] };

export class SimControlPlane {
  readonly store: Store;
  /** Of the controllers and the scheduler. */
  readonly link = new Link();
  readonly #sim: Sim;
  readonly #logger: Logger;
  readonly #wall: WallClock;
  #server: { readonly life: Life; readonly api: ApiServer } | undefined;
  #starts = 0;

  constructor(sim: Sim, logger: Logger) {
    this.#sim = sim;
    this.#logger = logger;
    this.#wall = new WallClock(sim);
    this.store = createMemoryStore({ clock: createSimClock(sim, this.#wall, new Life(sim, 'store')) });
  }

  start(): void {
    this.startServer();
    this.#startClients();
  }

  startServer(): void {
    if (this.#server !== undefined) return;
    this.#starts += 1;
    const life = new Life(this.#sim, `apiserver/${this.#starts}`);
    const clock = createSimClock(this.#sim, this.#wall, life);
    const random = this.#sim.random.split(life.name);
    const version = { gitVersion: 'v1.36.0+mendlet.sim' };
    const api = createApiServer({ store: this.store, clock, random, logger: this.#logger, version });
    api.ready.catch((error: unknown) => {
      if (life.alive) this.#sim.fail(error);
    });
    this.#server = { life, api };
  }

  /** The server goes away, with all its streams. */
  stopServer(links: readonly Link[]): void {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    for (const link of [this.link, ...links]) link.breakStreams();
    void server.api.close().then(() => server.life.kill());
  }

  /** The server for requests of `user`, while it is up. */
  as(user: UserInfo): () => Connection | undefined {
    return () => this.#server?.api.as(user);
  }

  /** A client with a faultless way to the server: for workloads and observers. */
  adminClient(name: string): KubeClient {
    return this.#client(new Life(this.#sim, name), new Link());
  }

  #startClients(): void {
    const sim = this.#sim;
    const run = (
      name: string,
      work: (options: ReturnType<SimControlPlane['optionsFor']>, signal: AbortSignal) => Promise<void>,
    ): void => {
      const life = new Life(sim, name);
      work(this.optionsFor(life), life.signal).catch((error: unknown) => sim.fail(error));
    };
    run('controllers', (options, signal) => runControllers({ ...options, caCertificate: 'simulated CA' }, signal));
    run('scheduler', (options, signal) => runScheduler(options, signal));
  }

  /** Everything that a client of the control plane is built from. */
  optionsFor(life: Life) {
    const clock = createSimClock(this.#sim, this.#wall, life);
    const random = this.#sim.random.split(life.name);
    const client = this.#client(life, this.link);
    return { client, clock, random, logger: this.#logger, metrics: createMetrics() };
  }

  #client(life: Life, link: Link): KubeClient {
    const sim = this.#sim;
    const random = sim.random.split(`link ${life.name}`);
    const connection = createSimConnection({ sim, life, link, random, server: this.as(ADMIN) });
    return createKubeClient(connection, { clock: createSimClock(sim, this.#wall, life) });
  }
}
