/**
 * Elects one leader among candidates (client-go's leader election): work runs only while its candidate holds the lease.
 *
 *   campaign ──(held)──► lead: work runs, the lease is renewed each retryPeriod ──(not renewed for renewDeadline)──► work is
 *      ▲                                                                                     told to end; its writes are refused
 *      └──────────────────────────────────── campaign again ◄──────────────────────────────────────┘
 */
import {
  type Clock,
  ConnectionError,
  type Logger,
  type MetricsRegistry,
  type Random,
  childController,
  errorMessage,
  jitterUp,
  withDeadline,
} from '../lib/index.ts';
import { createEventRecorder, referenceTo } from './event-recorder.ts';
import type { KubeClient } from './kube-client.ts';
import { LeaderLease } from './leader-lease.ts';

export interface LeaderElectionSettings {
  /** Time for which others wait for a holder that does not renew. */
  readonly leaseDurationMs: number;
  /** Time without a renewal after which the holder stops. */
  readonly renewDeadlineMs: number;
  /** Time between two tries. */
  readonly retryPeriodMs: number;
}

/** Upstream's settings (component-base). */
export const DEFAULT_LEADER_ELECTION: LeaderElectionSettings = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

/** The options of a component that takes part in an election. */
export interface Candidacy {
  /** Our name in the lease, e.g. the host's name; a random suffix is added. */
  readonly identity: string;
  readonly settings?: LeaderElectionSettings;
}

export interface LeaderElectionOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  /** The name of the lease, and of the component in its events: `kube-controller-manager`. */
  readonly name: string;
  /** Default: kube-system. */
  readonly namespace?: string;
  readonly candidacy: Candidacy;
}

/** Spreads the tries of candidates that wait for the same lease (client-go's JitterFactor). */
const JITTER = 1.2;
const IDENTITY_SUFFIX_LENGTH = 10;
/** Time limit for the release of the lease, which must not delay the end of the process. */
const RELEASE_TIMEOUT_MS = 2_000;

/**
 * Campaigns until the signal is aborted, and runs `work` while this candidate leads. The client for the work refuses writes as
 * soon as the lease is not held any more. The work must end when its signal is aborted; the lease is released after that.
 * Resolves when the signal was aborted or the work ended by itself; rejects with the error of the work.
 */
export async function runElected(
  options: LeaderElectionOptions,
  signal: AbortSignal,
  work: (client: KubeClient, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { name, random, metrics, candidacy } = options;
  const settings = candidacy.settings ?? DEFAULT_LEADER_ELECTION;
  checkSettings(settings);
  const identity = `${candidacy.identity}_${random.split('identity').suffix(IDENTITY_SUFFIX_LENGTH)}`;
  const lease = new LeaderLease({
    ...options,
    ...settings,
    namespace: options.namespace ?? 'kube-system',
    identity,
  });
  const leading = metrics.gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process leads: 1 leads, 0 waits.',
    labels: ['name'],
  });
  const slow = metrics.counter({
    name: 'leader_election_slowpath_total',
    help: 'Renewals for which the lease had to be read first.',
    labels: ['name'],
  });
  const events = createEventRecorder({ ...options, component: name, random: random.split('events') });
  const telling = childController(signal);
  const told = events.run(telling.controller.signal);
  const tell = (what: string): void => {
    options.logger.info(`leader election: ${what}`, { lease: name, identity });
    if (lease.object !== undefined)
      events.event(referenceTo(lease.object), 'Normal', 'LeaderElection', `${identity} ${what}`);
  };
  leading.set(0, { name });
  try {
    while (await campaign(options, settings, lease, signal)) {
      leading.set(1, { name });
      tell('became leader');
      const slowBefore = lease.slowPaths;
      try {
        if (await lead(options, settings, lease, signal, work)) return;
      } finally {
        leading.set(0, { name });
        slow.inc({ name }, lease.slowPaths - slowBefore);
        tell('stopped leading');
        await giveUp(options, lease);
      }
    }
  } finally {
    telling.controller.abort(new Error('no candidate any more'));
    telling.release();
    await told;
  }
}

/** Tries to get the lease. @returns true when the lease is held; false when the signal was aborted */
async function campaign(
  { clock, random }: LeaderElectionOptions,
  settings: LeaderElectionSettings,
  lease: LeaderLease,
  signal: AbortSignal,
): Promise<boolean> {
  const { retryPeriodMs, renewDeadlineMs } = settings;
  try {
    while (!(await lease.tryHold(renewDeadlineMs, signal)))
      await clock.sleep(jitterUp(retryPeriodMs, JITTER, random), signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Runs work until the lease is lost or the signal aborted. @returns true when the election is over */
async function lead(
  options: LeaderElectionOptions,
  settings: LeaderElectionSettings,
  lease: LeaderLease,
  signal: AbortSignal,
  work: (client: KubeClient, signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const term = childController(signal);
  const client = refuseWritesUnless(options.client, () => lease.leads());
  const working = work(client, term.controller.signal);
  const renewing = renewUntilLost(options, settings, lease, term.controller.signal);
  const first = await Promise.race([
    working.then(
      () => 'work ended' as const,
      () => 'work ended' as const,
    ),
    renewing.then(() => 'lost' as const),
  ]);
  term.controller.abort(new Error('not the leader any more'));
  term.release();
  await renewing;
  await working;
  return signal.aborted || first === 'work ended';
}

async function renewUntilLost(
  { clock, logger, name }: LeaderElectionOptions,
  { renewDeadlineMs, retryPeriodMs }: LeaderElectionSettings,
  lease: LeaderLease,
  signal: AbortSignal,
): Promise<void> {
  try {
    let renewedAt = clock.now().mono;
    for (;;) {
      await clock.sleep(retryPeriodMs, signal);
      const askedAt = clock.now().mono;
      // No time is left after a delay of our own process; we must stop then, without another try.
      const leftMs = renewedAt + renewDeadlineMs - askedAt;
      const renewed = leftMs > 0 && (await lease.tryHold(leftMs, signal));
      if (renewed) renewedAt = askedAt;
      else if (clock.now().mono - renewedAt >= renewDeadlineMs || isTaken(lease)) {
        logger.warn('leader lease lost', { lease: name, holder: lease.holder });
        return;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Whether another candidate holds the lease, so that we cannot lead any more. */
function isTaken(lease: LeaderLease): boolean {
  return lease.takableAt() > Number.NEGATIVE_INFINITY;
}

async function giveUp({ clock, logger, name }: LeaderElectionOptions, lease: LeaderLease): Promise<void> {
  try {
    const result = await withDeadline({ clock, timeoutMs: RELEASE_TIMEOUT_MS }, (inTime) => lease.release(inTime));
    if (result.kind !== 'done') logger.info('leader lease not given up in time', { lease: name });
  } catch (error) {
    logger.info('leader lease not given up', { lease: name, error: errorMessage(error) });
  }
}

function checkSettings({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: LeaderElectionSettings): void {
  if (!(leaseDurationMs > renewDeadlineMs)) throw new Error('leader election: leaseDuration must exceed renewDeadline');
  if (!(renewDeadlineMs > retryPeriodMs * JITTER))
    throw new Error('leader election: renewDeadline must exceed retryPeriod by its jitter (× 1.2)');
  if (!(retryPeriodMs > 0)) throw new Error('leader election: retryPeriod must be positive');
}

/** Wraps a client so that writes are rejected with ConnectionError, without being sent, while `mayWrite` returns false. */
export function refuseWritesUnless(client: KubeClient, mayWrite: () => boolean): KubeClient {
  const guarded = async <T>(write: () => Promise<T>): Promise<T> => {
    if (!mayWrite()) throw new ConnectionError('not the leader any more: nothing is written');
    return write();
  };
  return {
    get: (...call) => client.get(...call),
    list: (...call) => client.list(...call),
    discover: (...call) => client.discover(...call),
    watch: (...call) => client.watch(...call),
    create: (...call) => guarded(() => client.create(...call)),
    update: (...call) => guarded(() => client.update(...call)),
    patch: (...call) => guarded(() => client.patch(...call)),
    delete: (...call) => guarded(() => client.delete(...call)),
    createSubresource: (...call) => guarded(() => client.createSubresource(...call)),
  };
}
