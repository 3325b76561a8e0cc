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
import { createReflector, type KubeClient, type Lister } from '../../client/index.ts';
import { seededRandom, silentLogger, type Timer } from '../../lib/index.ts';
import { KNOCK_MS } from './limits.ts';
import type { OverviewFacts, Said } from '../../overview/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import type { Bell } from '../restart/bell.ts';

export interface ClusterFeed {
  /** All first lists are there. Those that one may not read never are. */
  readonly ready: Promise<unknown>;
  facts(said: Said): OverviewFacts;
  /** The kinds whose lists or watches fail now: since when (wall ms), and why. */
  failures(): readonly Failure[];
}

export interface Failure {
  readonly resource: string;
  readonly since: number;
  readonly problem: string;
}

/** Lists and watches until the signal is aborted. @param namespace undefined: all */
export function watchOverview(
  session: ClusterSession,
  namespace: string | undefined,
  bell: Bell,
  signal: AbortSignal,
): ClusterFeed {
  const { client, clock } = session;
  const failing = new Map<string, Failure>();
  const synced: Promise<void>[] = [];
  const reflectors: { readonly retryNow: () => void }[] = [];
  const knockLater = knocker(clock, signal, () => reflectors[0]?.retryNow());
  const listen = <T extends KubeObject>(resource: Resource<T>, where = namespace): Lister<T> => {
    const name = resource.resource;
    const fail = (problem: string): void => {
      failing.set(name, { resource: name, since: failing.get(name)?.since ?? clock.now().wall, problem });
      if (resource === PODS) knockLater();
      bell.ring();
    };
    const heard = (): void => {
      // The server answers again: nobody waits for the end of a pause.
      if (failing.delete(name)) for (const { retryNow } of reflectors) retryNow();
      bell.ring();
    };
    // The reflector tells its failures to a log only.
    const logger = { ...silentLogger, warn: (_: string, fields?: object) => fail(problemIn(fields)) };
    const query = where === undefined ? {} : { namespace: where };
    // A kind that nobody changes is heard as soon as its watch is open.
    const told: KubeClient = { ...client, watch: (kind, from, until) => client.watch(kind, from, until, heard) };
    const reflector = createReflector({ client: told, clock, random: seededRandom(name), logger }, { resource, query });
    reflector.lister.onChange(heard);
    reflector.lister.onProgress(heard);
    reflectors.push(reflector);
    void reflector.run(signal);
    synced.push(reflector.lister.waitForSync(signal));
    return reflector.lister;
  };
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
  const nodes = listen(NODES, undefined);
  const leases = listen(LEASES, 'kube-node-lease');
  return {
    ready: Promise.all(synced),
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
    failures: () => [...failing.values()],
  };
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
