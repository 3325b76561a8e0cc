/**
 * Looks at the disk of the volumes every few seconds: whether it can be written to, how much space it has, which volumes are lost
 * and which of them fill it. A disk that hangs keeps one look waiting, and nothing else.
 */
import type { NodeVolumeSpace } from '../../api/index.ts';
import { type Clock, errorMessage, type Logger, withDeadline } from '../../lib/index.ts';
import type { PodEvents } from '../types.ts';
import { DISK_WORKS, type DiskProblem, diskProblemOf, hangingDisk } from './disk-problem.ts';
import { fullDiskMessage, type VolumeUsage } from './full-disk.ts';
import { FULL_REPEAT_MS, LOOK_PERIOD_MS, LOOK_TIMEOUT_MS, MAX_LOST_TOLD } from './limits.ts';
import type { LocalVolumes } from './local-volumes.ts';

export interface VolumeWatchPorts {
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface VolumeWatchParts {
  readonly volumes: Pick<LocalVolumes, 'dir' | 'look'>;
  readonly events: Pick<PodEvents, 'node'>;
  /** Bytes in use by each of these volumes. */
  readonly usages: (names: readonly string[], signal: AbortSignal) => Promise<readonly VolumeUsage[]>;
  /** These volumes are lost, and the look before did not know. */
  readonly onLost: (names: readonly string[]) => void;
  /** `space` or `disk` changed. */
  readonly onChange: () => void;
}

export class VolumeWatch {
  readonly #ports: VolumeWatchPorts;
  readonly #parts: VolumeWatchParts;
  #space: NodeVolumeSpace | undefined;
  #problem: DiskProblem | undefined;
  /** Volumes that the last look did not find. */
  #lost: ReadonlySet<string> = new Set();
  /** A look that hangs. */
  #looking: Promise<void> | undefined;
  /** Mono ms of the last event about a full disk. */
  #toldFullAt = Number.NEGATIVE_INFINITY;

  constructor(ports: VolumeWatchPorts, parts: VolumeWatchParts) {
    this.#ports = ports;
    this.#parts = parts;
  }

  /** `undefined`: not known yet. A disk with a problem has no space for volumes. */
  space(): NodeVolumeSpace | undefined {
    return this.#space;
  }

  /** `undefined`: not known yet. */
  disk(): (DiskProblem & { readonly hasProblem: boolean }) | undefined {
    if (this.#space === undefined) return undefined;
    return { ...(this.#problem ?? DISK_WORKS), hasProblem: this.#problem !== undefined };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    while (!signal.aborted) {
      await this.#lookInTime(signal);
      await clock.sleep(LOOK_PERIOD_MS, signal).catch(() => {});
    }
  }

  async #lookInTime(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const { dir } = this.#parts.volumes;
    this.#looking ??= this.#look(signal).finally(() => {
      this.#looking = undefined;
    });
    const look = this.#looking;
    // A process that was held up proves nothing about the disk.
    const ended = await withDeadline({ clock, timeoutMs: LOOK_TIMEOUT_MS }, () => look);
    if (signal.aborted) return;
    if (ended.kind === 'expired') this.#learn({ capacityBytes: 0 }, hangingDisk(dir, LOOK_TIMEOUT_MS));
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { volumes } = this.#parts;
    try {
      const { capacityBytes, lost, names, isFull } = await volumes.look();
      const news = lost.filter((name) => !this.#lost.has(name));
      this.#lost = new Set(lost);
      if (news.length > 0) this.#parts.onLost(news);
      this.#learn({ capacityBytes, ...(lost.length > 0 && { lost: lost.slice(0, MAX_LOST_TOLD) }) }, undefined);
      // It reads whole volumes, and must not make the disk look slow.
      if (isFull) void this.#tellFull(names, signal);
      else this.#toldFullAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      const problem = diskProblemOf(volumes.dir, error);
      if (problem !== undefined) this.#learn({ capacityBytes: 0 }, problem);
      else this.#ports.logger.warn('the disk of the volumes cannot be looked at', { error: errorMessage(error) });
    }
  }

  #learn(space: NodeVolumeSpace, problem: DiskProblem | undefined): void {
    const { events, onChange } = this.#parts;
    const before = this.#problem;
    const isNews = before?.reason !== problem?.reason || JSON.stringify(this.#space) !== JSON.stringify(space);
    this.#space = space;
    this.#problem = problem;
    if (before?.reason !== problem?.reason) {
      const { reason, message } = problem ?? DISK_WORKS;
      events.node(problem === undefined ? 'Normal' : 'Warning', reason, message);
    }
    if (isNews) onChange();
  }

  async #tellFull(names: readonly string[], signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#ports;
    const { events, usages, volumes } = this.#parts;
    const now = clock.now().mono;
    if (now - this.#toldFullAt < FULL_REPEAT_MS) return;
    this.#toldFullAt = now;
    try {
      events.node('Warning', 'VolumeDiskFull', fullDiskMessage(volumes.dir, await usages(names, signal)));
    } catch (error) {
      if (signal.aborted) return;
      this.#toldFullAt = Number.NEGATIVE_INFINITY;
      logger.warn('what fills the disk of the volumes is not known', { error: errorMessage(error) });
    }
  }
}
