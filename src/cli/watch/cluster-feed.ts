/** Watches what the overview is made of, and knows since when a part of it is not heard. */
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  type KubeObject,
  LEASES,
  NODES,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  STATEFUL_SETS,
} from '../../api/index.ts';
import { createReflector, type Lister } from '../../client/index.ts';
import { seededRandom, silentLogger } from '../../lib/index.ts';
import type { OverviewFacts, Said } from '../../overview/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import type { Bell } from '../restart/bell.ts';

export interface ClusterFeed {
  /** All first lists are there. Those that one may not read never are. */
  readonly ready: Promise<unknown>;
  /** Each first list is there, or has failed once. */
  readonly settled: Promise<unknown>;
  facts(said: Said): OverviewFacts;
  /** The kinds whose lists or watches fail now: since when (wall ms), and why. */
  failures(): readonly Failure[];
  /** Watches another kind beside them. @param namespace undefined: all */
  listen<T extends KubeObject>(resource: Resource<T>, namespace: string | undefined): Lister<T>;
}

export interface Failure {
  readonly resource: string;
  readonly since: number;
  readonly problem: string;
}

type Session = Pick<ClusterSession, 'client' | 'clock'>;

/** Lists and watches until the signal is aborted. @param namespace undefined: all */
export function watchOverview(
  session: Session,
  namespace: string | undefined,
  bell: Bell,
  signal: AbortSignal,
): ClusterFeed {
  const sources = new Sources(session, bell, signal);
  const listen = <T extends KubeObject>(resource: Resource<T>): Lister<T> => sources.listen(resource, namespace);
  const lists = {
    pods: listen(PODS),
    deployments: listen(DEPLOYMENTS),
    replicaSets: listen(REPLICA_SETS),
    replicationControllers: listen(REPLICATION_CONTROLLERS),
    statefulSets: listen(STATEFUL_SETS),
    daemonSets: listen(DAEMON_SETS),
    jobs: listen(JOBS),
    cronJobs: listen(CRON_JOBS),
  };
  const nodes = sources.listen(NODES, undefined);
  const leases = sources.listen(LEASES, 'kube-node-lease');
  return {
    ready: awaited(sources.synced),
    settled: awaited(sources.settled),
    facts: (said) => ({
      pods: lists.pods.list(),
      deployments: lists.deployments.list(),
      replicaSets: lists.replicaSets.list(),
      replicationControllers: lists.replicationControllers.list(),
      statefulSets: lists.statefulSets.list(),
      daemonSets: lists.daemonSets.list(),
      jobs: lists.jobs.list(),
      cronJobs: lists.cronJobs.list(),
      nodes: nodes.list(),
      leases: leases.list(),
      said,
    }),
    failures: () => [...sources.failing.values()],
    listen: (resource, where) => sources.listen(resource, where),
  };
}

/** All of them; that nobody waits for it is no error. */
function awaited(all: readonly Promise<void>[]): Promise<unknown> {
  const every = Promise.all(all);
  every.catch(() => {});
  return every;
}

/** The watched kinds, and which of them fail now. */
class Sources {
  readonly failing = new Map<string, Failure>();
  readonly synced: Promise<void>[] = [];
  readonly settled: Promise<void>[] = [];
  readonly #reflectors: { readonly retryNow: () => void }[] = [];
  readonly #session: Session;
  readonly #bell: Bell;
  readonly #signal: AbortSignal;

  constructor(session: Session, bell: Bell, signal: AbortSignal) {
    this.#session = session;
    this.#bell = bell;
    this.#signal = signal;
  }

  listen<T extends KubeObject>(resource: Resource<T>, namespace: string | undefined): Lister<T> {
    const { client, clock } = this.#session;
    const name = resource.resource;
    const first = Promise.withResolvers<void>();
    const fail = (problem: string): void => {
      this.failing.set(name, { resource: name, since: this.failing.get(name)?.since ?? clock.now().wall, problem });
      first.resolve();
      this.#bell.ring();
    };
    const heard = (): void => {
      // The server answers again: nobody waits for the end of a pause.
      if (this.failing.delete(name)) for (const { retryNow } of this.#reflectors) retryNow();
      this.#bell.ring();
    };
    // The reflector tells its failures to a log only.
    const logger = { ...silentLogger, warn: (_: string, fields?: object) => fail(problemIn(fields)) };
    const query = namespace === undefined ? {} : { namespace };
    const ports = { client, clock, random: seededRandom(name), logger };
    // A kind that nobody changes is heard as soon as its watch is open.
    const reflector = createReflector(ports, { resource, query, onOpen: heard });
    reflector.lister.onChange(heard);
    reflector.lister.onProgress(heard);
    this.#reflectors.push(reflector);
    void reflector.run(this.#signal);
    const synced = reflector.lister.waitForSync(this.#signal);
    this.synced.push(synced);
    this.settled.push(Promise.race([synced, first.promise]));
    // It rejects with the end of the watch, which nobody may be waiting for.
    for (const each of [this.synced.at(-1), this.settled.at(-1)]) each?.catch(() => {});
    return reflector.lister;
  }
}

function problemIn(fields: object | undefined): string {
  const { error } = (fields ?? {}) as { readonly error?: unknown };
  return typeof error === 'string' ? error : 'it does not answer';
}
