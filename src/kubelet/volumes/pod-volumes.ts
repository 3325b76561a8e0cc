/** The volumes of one pod: set up with retries, kept fresh while it runs, stopped before they are torn down. */
import type { Pod, Volume } from '../../api/index.ts';
import { errorMessage, exponentialDelay, jitterUp, type Logger, type Semaphore, type Timer } from '../../lib/index.ts';
import type { MarkDirty, PodEvents, VolumesFact } from '../types.ts';
import { REFRESH_JITTER, REFRESH_MS, SETUP_BACK_OFF } from './limits.ts';
import { isContentVolume, setUpVolume, type VolumeSetupOptions } from './volume-setup.ts';

export interface PodVolumesOptions extends VolumeSetupOptions {
  readonly logger: Logger;
  readonly events: PodEvents;
  readonly markDirty: MarkDirty;
  /** Shared by all pods of the node. */
  readonly places: Semaphore;
}

export class PodVolumes {
  readonly #options: PodVolumesOptions;
  #pod: Pod;
  #fact: VolumesFact = { state: 'preparing' };
  #failures = 0;
  #timer: Timer | undefined;
  #stopped = false;
  #working: Promise<void> = Promise.resolve();

  constructor(options: PodVolumesOptions, pod: Pod) {
    this.#options = options;
    this.#pod = pod;
  }

  get fact(): VolumesFact {
    return this.#fact;
  }

  /** The newest object: its labels and annotations may be files. */
  update(pod: Pod): void {
    this.#pod = pod;
  }

  start(): void {
    this.#working = this.#setUp();
  }

  /** Nothing is written any more once this resolved. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#working;
  }

  async #setUp(): Promise<void> {
    const volumes = this.#pod.spec?.volumes ?? [];
    const results = volumes.length === 0 ? [] : await Promise.all(volumes.map((volume) => this.#setUpOne(volume)));
    if (this.#stopped) return;
    const problems = results.flatMap((result) => (result.path === undefined ? [result.problem] : []));
    const paths = volumes.flatMap(({ name }, index) => (results[index]?.path ? [[name, results[index].path]] : []));
    if (problems.length > 0) this.#failed(problems.join('; '));
    else this.#ready(Object.fromEntries(paths));
  }

  async #setUpOne(
    volume: Volume,
  ): Promise<{ readonly path: string } | { readonly path: undefined; readonly problem: string }> {
    try {
      return { path: await this.#options.places.run(() => setUpVolume(this.#options, this.#pod, volume)) };
    } catch (error) {
      const problem = `MountVolume.SetUp failed for volume "${volume.name}" : ${errorMessage(error)}`;
      this.#options.events.pod(this.#pod, 'Warning', 'FailedMount', problem);
      return { path: undefined, problem };
    }
  }

  #ready(paths: Readonly<Record<string, string>>): void {
    this.#failures = 0;
    const first = this.#fact.state !== 'ready';
    this.#fact = { state: 'ready', paths };
    if (first) this.#options.markDirty(this.#pod.metadata?.uid ?? '', 'volume');
    if ((this.#pod.spec?.volumes ?? []).some(isContentVolume)) {
      this.#again(jitterUp(REFRESH_MS, REFRESH_JITTER, this.#options.random));
    }
  }

  /** A pod that has its volumes keeps them: what it sees is old, not gone. */
  #failed(message: string): void {
    this.#failures += 1;
    const delayMs = exponentialDelay(SETUP_BACK_OFF, this.#failures);
    if (this.#fact.state !== 'ready') {
      this.#fact = { state: 'failed', message, retryAt: this.#options.clock.now().mono + delayMs };
      this.#options.markDirty(this.#pod.metadata?.uid ?? '', 'volume');
    }
    this.#again(delayMs);
  }

  #again(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.setTimer(delayMs, () => this.start());
  }
}
