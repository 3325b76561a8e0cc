/** Watches what the overview is made of, and knows since when a part of it is not heard. */
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  type KubeObject,
  type Lease,
  LEASES,
  NODES,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  STATEFUL_SETS,
} from '../../api/index.ts';
import { type Change, createReflector, type KubeClient, type Lister } from '../../client/index.ts';
import { seededRandom, silentLogger, type Timer } from '../../lib/index.ts';
import { KNOCK_MS } from './limits.ts';
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
  const heard = new LeaseTimes(session.clock);
  leases.onChange((change) => heard.take(change));
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
      silentMs: (node) => heard.silentMs(node),
      said,
    }),
    failures: () => [...sources.failing.values()],
    listen: (resource, where) => sources.listen(resource, where),
  };
}

/** When leases were last seen to change: the times in them are of the nodes' clocks, which may be wrong by minutes. */
class LeaseTimes {
  readonly #clock: ClusterSession['clock'];
  /** By the node's name; `at`: mono ms. */
  readonly #seen = new Map<string, { readonly renewTime: string; readonly at: number }>();

  constructor(clock: ClusterSession['clock']) {
    this.#clock = clock;
  }

  take({ type, object: { metadata, spec } }: Change<Lease>): void {
    const [name, renewTime] = [metadata?.name ?? '', spec?.renewTime ?? ''];
    if (type === 'delete') this.#seen.delete(name);
    else if (this.#seen.get(name)?.renewTime !== renewTime)
      this.#seen.set(name, { renewTime, at: this.#clock.now().mono });
  }

  /** Of a node that was just met for the first time: 0; whether it is lost, its conditions say. */
  silentMs(node: string): number | undefined {
    const seen = this.#seen.get(node);
    return seen === undefined ? undefined : this.#clock.now().mono - seen.at;
  }
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
  readonly #knockLater: () => void;

  constructor(session: Session, bell: Bell, signal: AbortSignal) {
    this.#session = session;
    this.#bell = bell;
    this.#signal = signal;
    this.#knockLater = knocker(session.clock, signal, () => this.#reflectors[0]?.retryNow());
  }

  listen<T extends KubeObject>(resource: Resource<T>, namespace: string | undefined): Lister<T> {
    const { client, clock } = this.#session;
    const name = resource.resource;
    const first = Promise.withResolvers<void>();
    const fail = (problem: string): void => {
      this.failing.set(name, { resource: name, since: this.failing.get(name)?.since ?? clock.now().wall, problem });
      first.resolve();
      if (resource === PODS) this.#knockLater();
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
    // A kind that nobody changes is heard as soon as its watch is open.
    const told: KubeClient = { ...client, watch: (kind, from, until) => client.watch(kind, from, until, heard) };
    const reflector = createReflector({ client: told, clock, random: seededRandom(name), logger }, { resource, query });
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

/** The pauses of retries grow to a minute: whoever looks at a screen wants to know earlier that the server is back. */
function knocker(clock: ClusterSession['clock'], signal: AbortSignal, retryNow: () => void): () => void {
  let timer: Timer | undefined;
  signal.addEventListener('abort', () => timer?.cancel(), { once: true });
  return () => {
    if (signal.aborted) return;
    timer ??= clock.setTimer(KNOCK_MS, () => {
      timer = undefined;
      retryNow();
    });
  };
}

function problemIn(fields: object | undefined): string {
  const { error } = (fields ?? {}) as { readonly error?: unknown };
  return typeof error === 'string' ? error : 'it does not answer';
}
