/** The volumes of one pod: each by itself, and together the fact that its containers wait for. */
import type { Pod } from '../../api/index.ts';
import { jitterUp, type Random, type Timer, withDeadline } from '../../lib/index.ts';
import type { ConfigFollower } from '../env/config-source.ts';
import type { MarkDirty, VolumesFact } from '../types.ts';
import {
  EVENT_REPEAT_MS,
  REFRESH_JITTER,
  REFRESH_MS,
  REFRESH_WAIT_MS,
  TEAR_DOWN_WAIT_MS,
  WAIT_FOR_MOUNT_MS,
} from './limits.ts';
import { objectsOf, shownFields, showsPod } from './sources.ts';
import { isContentVolume, kindOf } from './volume-kinds.ts';
import { VolumeTask, type VolumeTaskOptions } from './volume-task.ts';

export interface PodVolumesOptions extends VolumeTaskOptions {
  readonly random: Random;
  readonly config: ConfigFollower;
  readonly markDirty: MarkDirty;
}

export class PodVolumes {
  readonly tasks: readonly VolumeTask[];
  readonly #options: PodVolumesOptions;
  readonly #unfollow: (() => void)[] = [];
  #pod: Pod;
  #shown: string;
  #fact: VolumesFact = { state: 'preparing' };
  #refresh: Timer | undefined;
  #waiting: Timer | undefined;
  #stopped = false;

  constructor(options: PodVolumesOptions, pod: Pod) {
    this.#options = options;
    this.#pod = pod;
    this.#shown = shownFields(pod);
    this.tasks = (pod.spec?.volumes ?? []).map(
      (volume) =>
        new VolumeTask(
          options,
          volume,
          () => this.#pod,
          () => this.#look(),
        ),
    );
  }

  get pod(): Pod {
    return this.#pod;
  }

  /** Nothing is set up for it any more. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  get fact(): VolumesFact {
    return this.#fact.state === 'failed' ? { ...this.#fact, retryAt: this.#retryAt() } : this.#fact;
  }

  /** Mono ms of the next try of any volume that failed: each failure moves it, whether it is news or not. */
  #retryAt(): number {
    const failed = this.tasks.filter(({ path, problem }) => path === undefined && problem !== undefined);
    return Math.min(...failed.map(({ retryAt }) => retryAt));
  }

  /** The newest object: its labels, annotations and resources may be files. */
  update(pod: Pod): void {
    this.#pod = pod;
    const shown = shownFields(pod);
    if (shown === this.#shown) return;
    this.#shown = shown;
    for (const task of this.tasks) if (showsPod(task.volume)) task.sync();
  }

  start(): void {
    for (const task of this.tasks) {
      this.#follow(task);
      task.sync();
    }
    this.#look();
    if (this.#fact.state !== 'ready') this.#tellWaitAfter(WAIT_FOR_MOUNT_MS);
    if (this.tasks.some(({ volume }) => isContentVolume(volume))) this.#refreshAgain();
  }

  /**
   * Sets up the volumes in `anew`, and updates files that mendlet writes: their outcome is reported, and no reason to
   * wait.
   */
  async refresh(anew: ReadonlySet<string>): Promise<void> {
    const { clock } = this.#options;
    const content = this.tasks.filter(({ volume, path }) => isContentVolume(volume) && path !== undefined);
    const updates = withDeadline({ clock, timeoutMs: REFRESH_WAIT_MS }, () =>
      Promise.allSettled(content.map((task) => task.again())),
    );
    await Promise.all(this.tasks.filter(({ volume }) => anew.has(volume.name)).map((task) => task.again()));
    await updates;
  }

  /** Nothing is written any more once this resolved. Rejects when a set-up under way does not end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#refresh?.cancel();
    this.#waiting?.cancel();
    for (const unfollow of this.#unfollow.splice(0)) unfollow();
    const { clock } = this.#options;
    // One on a hostPath changes nothing of ours: it may hang as long as it likes.
    const own = this.tasks.filter(({ volume }) => kindOf(volume)?.isForeign !== true);
    for (const task of this.tasks) void task.stop();
    const ended = await withDeadline({ clock, timeoutMs: TEAR_DOWN_WAIT_MS }, () =>
      Promise.all(own.map((task) => task.stop())),
    );
    if (ended.kind === 'done') return;
    const busy = own.filter((task) => task.busy).map(({ volume }) => volume.name);
    throw new Error(`volumes ${JSON.stringify(busy)} are still being set up`);
  }

  #follow(task: VolumeTask): void {
    const namespace = this.#pod.metadata?.namespace ?? '';
    for (const { kind, name } of objectsOf(task.volume)) {
      this.#unfollow.push(this.#options.config.follow(kind, namespace, name, () => task.sync()));
    }
  }

  #refreshAgain(): void {
    const { clock, random } = this.#options;
    this.#refresh = clock.setTimer(jitterUp(REFRESH_MS, REFRESH_JITTER, random), () => {
      for (const task of this.tasks) if (isContentVolume(task.volume)) task.sync();
      this.#refreshAgain();
    });
  }

  /** A pod that has its volumes keeps them, unless the mount of one is gone. */
  #look(): void {
    if (this.#stopped) return;
    const missing = this.tasks.filter(({ path }) => path === undefined);
    const wasReady = this.#fact.state === 'ready';
    if (wasReady && missing.length === 0) return;
    const problems = missing.flatMap(({ problem }) => problem ?? []);
    if (missing.length === 0) {
      this.#waiting?.cancel();
      this.#fact = readyFact(this.tasks);
    } else if (problems.length > 0) {
      const reason = missing.find((task) => task.reason !== undefined)?.reason;
      this.#fact = {
        state: 'failed',
        message: problems.join('; '),
        retryAt: this.#retryAt(),
        ...(reason !== undefined && { reason }),
      };
    } else if (wasReady) this.#fact = { state: 'preparing' };
    else return;
    this.#options.markDirty(this.#pod.metadata?.uid ?? '', 'volume');
  }

  #tellWaitAfter(delayMs: number): void {
    this.#waiting = this.#options.clock.setTimer(delayMs, () => {
      const missing = this.tasks.filter(({ path }) => path === undefined);
      const unmounted = missing.map(({ volume }) => volume.name);
      const unattached = missing.filter(({ isUnattached }) => isUnattached).map(({ volume }) => volume.name);
      this.#options.events.pod(this.#pod, 'Warning', 'FailedMount', waitMessage(unmounted, unattached));
      this.#tellWaitAfter(EVENT_REPEAT_MS);
    });
  }
}

function readyFact(tasks: readonly VolumeTask[]): VolumesFact {
  const paths: Record<string, string> = {};
  const images: Record<string, string> = {};
  for (const { volume, path = '', image } of tasks) {
    if (image === undefined) paths[volume.name] = path;
    else images[volume.name] = image;
  }
  return { state: 'ready', paths, ...(Object.keys(images).length > 0 && { images }) };
}

/** Upstream's message, its lists printed as Go prints them. */
export function waitMessage(unmounted: readonly string[], unattached: readonly string[] = []): string {
  return `Unable to attach or mount volumes: unmounted volumes=[${unmounted.join(' ')}], unattached volumes=[${unattached.join(' ')}], failed to process volumes=[]: timed out waiting for the condition`;
}
