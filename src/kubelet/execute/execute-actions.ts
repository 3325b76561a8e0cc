/**
 * Carries out what plans ask for. Long work never blocks a worker: every action is a job in the background, a fact while
 * it runs and an outcome when it ended, which marks its pod dirty. Nothing here decides.
 */
import type { Pod } from '../../api/index.ts';
import { assertNever, childController, errorMessage, type MetricsRegistry, Semaphore } from '../../lib/index.ts';
import { jobKey, type Outcome, type PodAction } from '../plan/actions.ts';
import type { RunningJob } from '../plan/facts.ts';
import type { DirtyCause, MarkDirty, PodUID } from '../types.ts';
import {
  type ExecuteConfig,
  type ExecuteParts,
  type ExecutePorts,
  failed,
  type Job,
  outcomeOf,
  type VerbContext,
  type VerbResult,
} from './context.ts';
import { createSandbox } from './create-sandbox.ts';
import { executeMetrics } from './execute-metrics.ts';
import { MAX_CONTAINER_STARTS, MAX_REMOVALS, MAX_SANDBOX_CREATIONS } from './limits.ts';
import { terminationMessagePath } from '../pods/pod-paths.ts';
import { prepareCgroup } from './prepare-cgroup.ts';
import { refreshPod } from './refresh-pod.ts';
import { reclaimPod, removeContainer, removePodLogs, removeSandbox, stopSandbox } from './removals.ts';
import { resizePod } from './resize-pod.ts';
import { startContainer } from './start-container.ts';
import { preStop, stopContainer } from './stop-container.ts';
import { readTerminationMessage } from './termination-message.ts';

export interface ExecutorPorts extends ExecutePorts {
  readonly metrics: MetricsRegistry;
}

export interface ExecutorParts extends ExecuteParts {
  readonly markDirty: MarkDirty;
}

interface ActiveJob extends Job {
  readonly startedAt: number;
  readonly deadline?: number;
  readonly controller: AbortController;
}

interface PodJobs {
  readonly active: Map<string, ActiveJob>;
  readonly outcomes: Outcome[];
}

/** Verbs that change the runtime's state: earlier observations are stale after them. */
const CHANGES_RUNTIME = new Set<PodAction['verb']>([
  'create-sandbox',
  'start-container',
  'stop-container',
  'resize',
  'stop-sandbox',
  'remove-sandbox',
  'remove-container',
]);

export function changesRuntime(outcome: Outcome): boolean {
  return CHANGES_RUNTIME.has(outcome.action.verb);
}

/** It changes nothing of the pod: no note has to justify it. */
export function onlyAsks({ verb }: PodAction): boolean {
  return verb === 'request-image' || verb === 'read-termination-message';
}

/** It may begin while its note is being written: it waits for it by itself, before anything runs. */
export function waitsForNote({ verb }: PodAction): boolean {
  return verb === 'start-container';
}

const CAUSES: Partial<Record<PodAction['verb'], DirtyCause>> = {
  'stop-container': 'stop',
  'stop-sandbox': 'stop',
  'prepare-volumes': 'volume',
  'request-image': 'image',
};

export class Executor {
  readonly #context: VerbContext;
  readonly #markDirty: MarkDirty;
  readonly #pods = new Map<PodUID, PodJobs>();
  readonly #ended = new AbortController();
  readonly #sandboxes = new Semaphore(MAX_SANDBOX_CREATIONS);
  readonly #starts = new Semaphore(MAX_CONTAINER_STARTS);
  readonly #removals = new Semaphore(MAX_REMOVALS);

  constructor(ports: ExecutorPorts, config: ExecuteConfig, parts: ExecutorParts) {
    this.#markDirty = parts.markDirty;
    this.#context = { ports, config, parts, metrics: executeMetrics(ports.metrics) };
  }

  /** The jobs under way for the pod, by job key. */
  jobs(uid: PodUID): Readonly<Record<string, RunningJob>> {
    const jobs: Record<string, RunningJob> = {};
    for (const [key, { startedAt, deadline }] of this.#pods.get(uid)?.active ?? []) {
      jobs[key] = { startedAt, ...(deadline === undefined ? {} : { deadline }) };
    }
    return jobs;
  }

  /** Outcomes since the last call. */
  takeOutcomes(uid: PodUID): readonly Outcome[] {
    return this.#pods.get(uid)?.outcomes.splice(0) ?? [];
  }

  /** Begins all of `actions`. Never blocks, never rejects. `noted`: as of `Job`; absent: it is written. */
  execute(pod: Pod, actions: readonly PodAction[], podIp: string, noted: Promise<unknown> = Promise.resolve()): void {
    for (const action of actions) {
      if (action.verb === 'cancel-starts') this.#cancelStarts(pod);
      else if (action.verb === 'prepare-volumes') prepareVolumes(this.#context, pod, action.afresh);
      else if (action.verb === 'request-image') requestImage(this.#context, pod, action);
      else this.#begin(pod, action, podIp, noted);
    }
  }

  forget(uid: PodUID): void {
    this.#pods.delete(uid);
  }

  /** No hook is waited for any more; calls under way are left to end by themselves: the pods go on. */
  stop(): void {
    this.#ended.abort(new Error('the agent ends'));
  }

  #begin(pod: Pod, action: PodAction, podIp: string, noted: Promise<unknown>): void {
    if (this.#ended.signal.aborted) return;
    const uid = pod.metadata?.uid ?? '';
    const jobs = this.#pods.get(uid) ?? { active: new Map<string, ActiveJob>(), outcomes: [] };
    this.#pods.set(uid, jobs);
    const key = jobKey(action);
    // A shorter stop overtakes: the hook of the longer one ends, its call to the runtime stays beside ours.
    jobs.active.get(key)?.controller.abort(new Error('a shorter grace has overtaken'));
    const startedAt = this.#context.ports.clock.now().mono;
    const child = childController(this.#ended.signal);
    const { controller } = child;
    const job: ActiveJob = {
      pod,
      cancelled: false,
      noted,
      controller,
      signal: controller.signal,
      startedAt,
      ...(action.verb === 'stop-container' ? { deadline: action.deadline } : {}),
    };
    jobs.active.set(key, job);
    void this.#perform(action, job, podIp).then((result) => {
      child.release();
      const now = this.#context.ports.clock.now();
      const seconds = (now.mono - startedAt) / 1000;
      this.#context.metrics.verbSeconds.observe(seconds, { verb: action.verb, result: result.ok ? 'ok' : 'error' });
      if (!result.ok) {
        const { reason, message: error } = result;
        this.#context.ports.logger.info('action failed', { verb: action.verb, uid, reason, error });
      }
      // One that was overtaken ends unheard: the pod waits for the other.
      if (jobs.active.get(key) !== job) return;
      jobs.active.delete(key);
      jobs.outcomes.push(outcomeOf(action, result, now));
      this.#markDirty(uid, CAUSES[action.verb] ?? 'retry');
    });
  }

  /** A mistake in the code of one pod's job is that job's failure, reported loudly, and never the end of the agent. */
  async #perform(action: PodAction, job: ActiveJob, podIp: string): Promise<VerbResult> {
    try {
      return await this.#run(action, job, podIp);
    } catch (error) {
      const { pod } = job;
      this.#context.ports.logger.error('an action broke', { verb: action.verb, uid: pod.metadata?.uid, error });
      const message = `${action.verb}: ${errorMessage(error)}`;
      this.#context.parts.events.pod(pod, 'Warning', 'FailedSync', `error syncing pod: ${message}`);
      return { ok: false, reason: 'InternalError', message };
    }
  }

  async #run(action: PodAction, job: ActiveJob, podIp: string): Promise<VerbResult> {
    const context = this.#context;
    switch (action.verb) {
      case 'prepare-cgroup':
        return await prepareCgroup(context, job);
      case 'resize':
        return await resizePod(context, job, action);
      case 'create-sandbox':
        return await this.#sandboxes.run(() => createSandbox(context, job, action));
      case 'start-container':
        return await this.#starts.run(() => startContainer(context, job, action));
      case 'stop-container':
        return await stopContainer(context, job, action, podIp);
      case 'pre-stop':
        return await preStop(context, job, action, podIp);
      case 'stop-sandbox':
        return await stopSandbox(context, action);
      case 'refresh-pod':
        return await refreshPod(context, job, action);
      case 'remove-sandbox':
        return await this.#removals.run(() => removeSandbox(context, action));
      case 'remove-container':
        return await this.#removals.run(() => removeContainer(context, job, action));
      case 'read-termination-message':
        return await this.#readMessage(action, job);
      case 'reclaim-pod':
        return await reclaimPod(context, job);
      case 'remove-pod-logs':
        return await removePodLogs(context, job);
      case 'cancel-starts':
      case 'prepare-volumes':
      case 'request-image':
        return { ok: true };
      default:
        return assertNever(action);
    }
  }

  async #readMessage(
    action: Extract<PodAction, { verb: 'read-termination-message' }>,
    { pod }: ActiveJob,
  ): Promise<VerbResult> {
    const { ports, config } = this.#context;
    const uid = pod.metadata?.uid ?? '';
    const path = terminationMessagePath(config.rootDir, uid, action.container, action.restartCount);
    try {
      return { ok: true, terminationMessage: await readTerminationMessage(ports.fs, { ...action, path }) };
    } catch (error) {
      return failed('TerminationMessageError', error);
    }
  }

  #cancelStarts(pod: Pod): void {
    for (const [key, job] of this.#pods.get(pod.metadata?.uid ?? '')?.active ?? []) {
      if (!key.startsWith('start-container/')) continue;
      job.cancelled = true;
      job.controller.abort(new Error('the pod is ending'));
    }
  }
}

function prepareVolumes({ parts }: VerbContext, pod: Pod, afresh: boolean | undefined): void {
  const uid = pod.metadata?.uid ?? '';
  const { volumes, images } = parts;
  if (afresh !== true) return volumes.prepare(pod);
  // A volume may be an image.
  images.afresh(uid);
  volumes.retry(uid);
}

function requestImage(
  { parts }: VerbContext,
  pod: Pod,
  { container, attempt, afresh }: Extract<PodAction, { verb: 'request-image' }>,
): void {
  if (afresh === true) parts.images.afresh(pod.metadata?.uid ?? '');
  parts.images.request(pod, container, attempt);
}
