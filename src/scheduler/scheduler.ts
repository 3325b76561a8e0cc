/**
 * Binds each pending pod to a node that fits, at once: a pod's ADDED event leads straight to its binding. A pod that fits
 * nowhere waits until something changes that may help (and for its back-off), never on a tick.
 */
import { NODES, type Node, PODS, type Pod, isNotFound, setCondition } from '../api/index.ts';
import {
  type Candidacy,
  type Change,
  type EventRecorder,
  type KubeClient,
  createEventRecorder,
  createReflector,
  referenceTo,
  runElected,
  withoutManagedFields,
} from '../client/index.ts';
import {
  type Clock,
  type Counter,
  type Logger,
  type MetricsRegistry,
  type Random,
  WorkQueue,
  errorMessage,
  exponentialDelay,
  formatTime,
  runWorkQueue,
  workQueueObserver,
} from '../lib/index.ts';
import { chooseNode } from './choose-node.ts';
import { BIND_BACK_OFF, BIND_CONCURRENCY, MAX_MESSAGE_LENGTH, POD_BACK_OFF, UNSCHEDULABLE_FLUSH_MS } from './limits.ts';
import { mayHelp } from './may-help.ts';
import { BY_NODE, SchedulerCache, hasEnded, nodeNamesOf } from './scheduler-cache.ts';

export const SCHEDULER_NAME = 'default-scheduler';

export interface SchedulerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  /** One of several: it schedules only while it leads. Absent: it is the only one. */
  readonly leaderElection?: Candidacy;
}

/** Runs until the signal is aborted and the last binding has ended. */
export async function runScheduler(options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  const { leaderElection } = options;
  if (leaderElection === undefined) return runAlone(options, signal);
  const election = { ...options, ...leaderElection, name: 'kube-scheduler' };
  return runElected(election, signal, (client, term) => runAlone({ ...options, client }, term));
}

async function runAlone(options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, random, logger } = options;
  const shared = { client, clock, logger, transform: withoutManagedFields };
  const pods = createReflector<Pod>({
    ...shared,
    resource: PODS,
    random: random.split('pods'),
    indexes: { [BY_NODE]: nodeNamesOf },
  });
  const nodes = createReflector<Node>({ ...shared, resource: NODES, random: random.split('nodes') });
  const events = createEventRecorder({ ...options, random: random.split('events'), component: SCHEDULER_NAME });
  const queue = new WorkQueue<string>({
    clock,
    backOff: BIND_BACK_OFF,
    observer: workQueueObserver(options.metrics, 'scheduler'),
  });
  signal.addEventListener('abort', () => queue.close(), { once: true });
  // The cache listens first: a pod that is seen bound must not be counted twice by a decision that the same event causes.
  const cache = new SchedulerCache(pods.lister, nodes.lister);
  const scheduler = new Scheduler(options, queue, cache, events, (key) => pods.lister.getByKey(key), signal);
  pods.lister.onChange((change) => scheduler.onPod(change));
  nodes.lister.onChange((change) => scheduler.onNode(change));
  const work = async (): Promise<void> => {
    try {
      await Promise.all([pods.lister.waitForSync(signal), nodes.lister.waitForSync(signal)]);
    } catch {
      return;
    }
    await runWorkQueue({
      queue,
      concurrency: BIND_CONCURRENCY,
      handler: (key) => scheduler.schedule(key),
      onPanic: (key, error) => logger.error('scheduling panicked', { pod: key, error }),
    });
  };
  await Promise.all([pods.run(signal), nodes.run(signal), events.run(signal), work()]);
}

interface Failure {
  readonly attempts: number;
  /** Mono ms. */
  readonly at: number;
}

class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #queue: WorkQueue<string>;
  readonly #cache: SchedulerCache;
  readonly #events: EventRecorder;
  readonly #podOf: (key: string) => Pod | undefined;
  readonly #signal: AbortSignal;
  readonly #attempts: Counter;
  /** Pods that fitted nowhere when last tried. */
  readonly #failures = new Map<string, Failure>();

  constructor(
    options: SchedulerOptions,
    queue: WorkQueue<string>,
    cache: SchedulerCache,
    events: EventRecorder,
    podOf: (key: string) => Pod | undefined,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#queue = queue;
    this.#cache = cache;
    this.#events = events;
    this.#podOf = podOf;
    this.#signal = signal;
    this.#attempts = options.metrics.counter({
      name: 'scheduler_schedule_attempts_total',
      help: 'Attempts to schedule a pod, by result.',
      labels: ['result', 'profile'],
    });
  }

  onPod(change: Change<Pod>): void {
    const { key, object } = change;
    if (change.type === 'apply' && isPending(object)) {
      if (change.previous === undefined || !isPending(change.previous)) this.#queue.add(key);
      else if (change.previous.metadata?.generation !== object.metadata?.generation) this.#retry(key);
      return;
    }
    this.#failures.delete(key);
    this.#queue.discard(key);
    // A pod that ends gives back what it held.
    if (change.type === 'delete' || hasEnded(object)) this.#retryAll();
  }

  onNode(change: Change<Node>): void {
    if (mayHelp(change)) this.#retryAll();
  }

  async schedule(key: string): Promise<'retry' | void> {
    const pod = this.#podOf(key);
    if (pod === undefined || !isPending(pod) || this.#cache.isAssumed(key)) return undefined;
    // No await from here to `assume`: decisions are serial though bindings overlap.
    const choice = chooseNode(pod, this.#cache.infos(), this.#options.random);
    if (choice.kind === 'unschedulable') {
      await this.#refuse(key, pod, choice.message);
      return undefined;
    }
    this.#cache.assume(pod, choice.nodeName);
    return this.#bind(key, pod, choice.nodeName);
  }

  async #bind(key: string, pod: Pod, nodeName: string): Promise<'retry' | void> {
    const { namespace, name = '', uid } = pod.metadata ?? {};
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) };
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata,
      target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
    };
    try {
      await this.#options.client.createSubresource(PODS, namespace, name, 'binding', binding, this.#signal);
    } catch (error) {
      this.#cache.forget(pod);
      if (this.#signal.aborted || isNotFound(error)) return undefined;
      this.#count('error');
      this.#options.logger.warn('binding failed, trying again', {
        pod: key,
        node: nodeName,
        error: errorMessage(error),
      });
      return 'retry';
    }
    this.#failures.delete(key);
    this.#count('scheduled');
    this.#events.event(referenceTo(pod), 'Normal', 'Scheduled', `Successfully assigned ${key} to ${nodeName}`);
    return undefined;
  }

  async #refuse(key: string, pod: Pod, message: string): Promise<void> {
    const { mono } = this.#options.clock.now();
    this.#failures.set(key, { attempts: (this.#failures.get(key)?.attempts ?? 0) + 1, at: mono });
    this.#queue.addAt(key, mono + UNSCHEDULABLE_FLUSH_MS);
    this.#count('unschedulable');
    const note = message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH - 4)} ...` : message;
    this.#events.event(referenceTo(pod), 'Warning', 'FailedScheduling', note);
    await this.#reportUnschedulable(key, pod, message);
  }

  async #reportUnschedulable(key: string, pod: Pod, message: string): Promise<void> {
    const { client, clock, logger } = this.#options;
    const generation = pod.metadata?.generation;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (before?.status === 'False' && before.reason === condition.reason && before.message === message) return;
    const conditions = setCondition(pod.status?.conditions, condition, formatTime(clock.now().wall)).filter(
      ({ type }) => type === 'PodScheduled',
    );
    const { namespace, name = '', uid } = pod.metadata ?? {};
    const patch = { metadata: { uid }, status: { conditions } };
    try {
      await client.patch(PODS, namespace, name, 'strategic', patch, 'status', this.#signal);
    } catch (error) {
      if (this.#signal.aborted || isNotFound(error)) return;
      // Only the explanation is missing; it comes with the next attempt.
      logger.warn('could not report an unschedulable pod', { pod: key, error: errorMessage(error) });
    }
  }

  /** Something changed that may help: try again once the pod's back-off is over. */
  #retry(key: string): void {
    const failure = this.#failures.get(key);
    if (failure === undefined) this.#queue.add(key);
    else this.#queue.addAt(key, failure.at + exponentialDelay(POD_BACK_OFF, failure.attempts));
  }

  #retryAll(): void {
    for (const key of this.#failures.keys()) this.#retry(key);
  }

  #count(result: string): void {
    this.#attempts.inc({ result, profile: SCHEDULER_NAME });
  }
}

/** True for a pod that we must find a node for. */
export function isPending(pod: Pod): boolean {
  const { spec, metadata } = pod;
  return (
    (spec?.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME &&
    (spec?.nodeName ?? '') === '' &&
    metadata?.deletionTimestamp === undefined &&
    (spec?.schedulingGates ?? []).length === 0 &&
    !hasEnded(pod)
  );
}
