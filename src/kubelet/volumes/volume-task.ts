/** One volume of one pod: set up, tried again with back-off, and brought up to date whenever its sources change. */
import type { Pod, Volume } from '../../api/index.ts';
import { type Clock, DEADLINE_LATE_TOLERANCE_MS, errorMessage, exponentialDelay, type Timer } from '../../lib/index.ts';
import type { PodEvents } from '../types.ts';
import { ImageVolumeError } from './image-volume.ts';
import { ATTACH_BACK_OFF, EVENT_REPEAT_MS, MIN_SYNC_INTERVAL_MS, SETUP_BACK_OFF, SETUP_DEADLINE_MS } from './limits.ts';
import { VolumeError } from './payload.ts';
import type { Apart, Places } from './places.ts';
import type { SetUpVolume } from './volume-kind.ts';
import { csiPlugin, pluginName } from './volume-kinds.ts';
import type { VolumeMetrics } from './volume-metrics.ts';

export interface VolumeTaskOptions {
  readonly setUp: (pod: Pod, volume: Volume, apart: Apart) => Promise<SetUpVolume>;
  readonly clock: Clock;
  readonly events: PodEvents;
  readonly places: Places;
  readonly metrics: VolumeMetrics;
}

interface FailedTry {
  readonly operation?: string | undefined;
  /** Where the volume is nevertheless, as an earlier try left it. */
  readonly path?: string | undefined;
  readonly eventReason?: string | undefined;
  /** Nothing is wrong yet: the volume will be attached. */
  readonly isUnattached?: boolean | undefined;
}

export class VolumeTask {
  readonly volume: Volume;
  readonly #options: VolumeTaskOptions;
  readonly #pod: () => Pod;
  readonly #changed: () => void;
  #path: string | undefined;
  #image: string | undefined;
  #driver: string | undefined;
  #problem: string | undefined;
  #reason: string | undefined;
  #isUnattached = false;
  #retryAt = 0;
  #failures = 0;
  #busy = false;
  #again = false;
  #stuck = false;
  #stopped = false;
  #timer: Timer | undefined;
  #working: Promise<void> = Promise.resolve();
  #endedAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: VolumeTaskOptions, volume: Volume, pod: () => Pod, changed: () => void) {
    this.#options = options;
    this.volume = volume;
    this.#pod = pod;
    this.#changed = changed;
  }

  /** Where it is on the host; `undefined`: not set up (yet). */
  get path(): string | undefined {
    return this.#path;
  }

  /** The CSI driver that serves it; undefined: none does, or it is not known yet. */
  get driver(): string | undefined {
    return this.#driver;
  }

  /** Upstream's name of the plugin, for metrics: with the CSI driver, once that is known. */
  get plugin(): string {
    return this.#driver === undefined ? pluginName(this.volume) : csiPlugin(this.#driver);
  }

  /** Of an image volume: the image's id. */
  get image(): string | undefined {
    return this.#image;
  }

  /** What the pod's containers show while they wait for this volume; `undefined`: nothing in particular. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Why the last try failed, in upstream's words. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** It waits to be attached to this node. */
  get isUnattached(): boolean {
    return this.#isUnattached;
  }

  /** Mono ms of the next try after a failed one. */
  get retryAt(): number {
    return this.#retryAt;
  }

  /** A try is under way. */
  get busy(): boolean {
    return this.#busy;
  }

  /** Sets the volume up, or compares it with its sources. One try at a time: what comes meanwhile is one more after it. */
  sync(): void {
    if (this.#stopped) return;
    if (this.#busy) {
      this.#again = true;
      return;
    }
    const wait = this.#endedAt + MIN_SYNC_INTERVAL_MS - this.#options.clock.now().mono;
    if (wait > 0) this.#syncAfter(wait);
    else this.#working = this.#run();
  }

  /** Its mount is not there any more, or is about to be made anew: it is not set up until a try has succeeded. */
  lose(): void {
    this.#path = undefined;
    this.#changed();
  }

  /** Sets the volume up once more, now. Rejects when it does not come about. */
  async again(): Promise<void> {
    while (this.#busy) await this.#working;
    if (this.#stopped) return;
    this.#working = this.#run();
    await this.#working;
    if (this.#problem !== undefined) throw new Error(this.#problem);
  }

  /** Nothing is begun any more. Resolves when the try under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#working;
  }

  #syncAfter(delayMs: number): void {
    this.#timer?.cancel();
    if (!this.#stopped) this.#timer = this.#options.clock.setTimer(delayMs, () => this.sync());
  }

  async #run(): Promise<void> {
    const { clock, places } = this.#options;
    this.#timer?.cancel();
    this.#busy = true;
    this.#again = false;
    try {
      const { path, problem, told, image, republishAfterMs } = await places.run(this.#stuck, (apart) =>
        this.#try(apart),
      );
      this.#image = image;
      this.#reason = undefined;
      if (problem === undefined) this.#succeeded(path);
      else this.#failed(problem, { ...told, path });
      if (problem === undefined && republishAfterMs !== undefined) this.#syncAfter(republishAfterMs);
    } catch (error) {
      this.#reason = error instanceof ImageVolumeError ? error.reason : undefined;
      const { eventReason, operation, isUnattached } = error instanceof VolumeError ? error : {};
      this.#failed(errorMessage(error), { eventReason, operation, isUnattached });
    }
    this.#busy = false;
    this.#endedAt = clock.now().mono;
    if (this.#again) this.sync();
  }

  async #try(apart: Apart): Promise<SetUpVolume> {
    const { clock, metrics } = this.#options;
    const pod = this.#pod();
    const begun = clock.now().mono;
    this.#stuck = false;
    const deadline = this.#watchDeadline();
    const done = (status: 'success' | 'fail-unknown'): void => {
      deadline.cancel();
      metrics.operation(this.plugin, 'volume_mount', status, (clock.now().mono - begun) / 1000);
    };
    try {
      if (this.#stopped) throw new Error('the pod is ending');
      const result = await this.#options.setUp(pod, this.volume, apart);
      this.#driver = result.driver ?? this.#driver;
      done(result.problem === undefined ? 'success' : 'fail-unknown');
      return result;
    } catch (error) {
      if (error instanceof VolumeError && error.isUnattached) deadline.cancel();
      else done('fail-unknown');
      throw error;
    }
  }

  /** It is told when a try hangs; the try itself goes on, for two at one mount point would do no better. */
  #watchDeadline(): { cancel(): void } {
    const { clock } = this.#options;
    const watch = (): Timer =>
      clock.setTimer(SETUP_DEADLINE_MS, (lateMs) => {
        // We were away, and so, perhaps, was the mount.
        if (lateMs > DEADLINE_LATE_TOLERANCE_MS) timer = watch();
        else {
          this.#stuck = true;
          this.#failed(`no answer within ${SETUP_DEADLINE_MS / 1000}s, still waiting`);
        }
      });
    let timer = watch();
    return { cancel: () => timer.cancel() };
  }

  #succeeded(path: string): void {
    this.#failures = 0;
    this.#isUnattached = false;
    this.#problem = undefined;
    this.#toldAt = Number.NEGATIVE_INFINITY;
    const first = this.#path === undefined;
    this.#path = path;
    if (first) this.#changed();
  }

  /** A volume that was set up stays: what it shows is old, not gone. */
  #failed(
    reason: string,
    { path, eventReason = 'FailedMount', operation = 'MountVolume.SetUp', isUnattached = false }: FailedTry = {},
  ): void {
    if (this.#stopped) return;
    this.#failures += 1;
    const { clock, events } = this.#options;
    const now = clock.now().mono;
    this.#isUnattached = isUnattached;
    const delayMs = exponentialDelay(isUnattached ? ATTACH_BACK_OFF : SETUP_BACK_OFF, this.#failures);
    this.#retryAt = now + delayMs;
    this.#syncAfter(delayMs);
    const problem = `${operation} failed for volume "${this.volume.name}" : ${reason}`;
    const news = problem !== this.#problem;
    if (!isUnattached && (news || now - this.#toldAt >= EVENT_REPEAT_MS)) {
      this.#toldAt = now;
      events.pod(this.#pod(), 'Warning', eventReason, problem);
    }
    this.#problem = problem;
    const found = this.#path === undefined && path !== undefined;
    this.#path ??= path;
    if (found || news) this.#changed();
  }
}
