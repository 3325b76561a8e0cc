/**
 * Removes unused images: when the images' file system is fuller than the high threshold, until it is at the low one; when
 * they are too old, if that is set; and all of them when the node is short of disk.
 */
import type { Image, ImageService, RuntimeService } from '../../cri/index.ts';
import { type Clock, errorMessage, type Logger, type MetricsRegistry } from '../../lib/index.ts';
import type { Machine } from '../ports.ts';
import type { KubeletSettings } from '../settings.ts';
import type { PodEvents } from '../types.ts';
import { GC_CALL_TIMEOUT_MS, GC_PERIOD_MS } from './limits.ts';
import { bytesToFree, type ImageRecords, imagesToRemove, isInUse, tooOld, trackImages } from './plan-image-gc.ts';

export interface ImageGcPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly images: Pick<ImageService, 'list' | 'remove'>;
  readonly runtime: Pick<RuntimeService, 'listContainers'>;
  readonly machine: Pick<Machine, 'pressure'>;
}

export interface ImageGcParts {
  readonly events: PodEvents;
  /** Images that pods of this node wait to start with: in use, though no container has them yet. */
  readonly wantedImages: () => readonly string[];
  /**
   * Other programs may use this runtime, too: only images that our containers were seen to use may be removed, since somebody
   * else's image may have no registry to come back from. This is the label selector of our containers.
   */
  readonly onlyUsedBy?: Readonly<Record<string, string>>;
}

interface Look {
  readonly images: readonly Image[];
  readonly inUse: ReadonlySet<string>;
  readonly now: number;
}

export class ImageGc {
  readonly #ports: ImageGcPorts;
  readonly #settings: KubeletSettings['imageGc'];
  readonly #parts: ImageGcParts;
  readonly #removed;
  #records: ImageRecords = new Map();
  /** Names and ids of images that our containers were seen to use; asked for on a shared runtime alone. */
  readonly #ours = new Set<string>();
  /** One round at a time. */
  #round: Promise<unknown> = Promise.resolve();

  constructor(ports: ImageGcPorts, settings: KubeletSettings['imageGc'], parts: ImageGcParts) {
    this.#ports = ports;
    this.#settings = settings;
    this.#parts = parts;
    this.#removed = ports.metrics.counter({
      name: 'kubelet_image_garbage_collected_total',
      help: 'Images removed because nobody used them.',
      labels: ['reason'],
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#ports;
    const { events } = this.#parts;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#serially(() => this.#collect(signal));
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        logger.warn('image garbage collection failed', { failures, error: errorMessage(error) });
        // A single failure may be a passing problem (upstream, too, reports only the second).
        if (failures > 1) events.node('Warning', 'ImageGCFailed', errorMessage(error));
      }
      await clock.sleep(GC_PERIOD_MS, signal).catch(() => {});
    }
  }

  /** Removes all that is unused. @returns bytes freed, by the images' own sizes */
  deleteUnused(signal: AbortSignal): Promise<number> {
    return this.#serially(async () => {
      const look = await this.#look(signal);
      const { minimumAgeMs } = this.#settings;
      const all = { ...look, records: this.#records, bytesToFree: Number.POSITIVE_INFINITY, minimumAgeMs };
      return this.#remove(imagesToRemove(all), 'space', signal);
    });
  }

  #serially<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#round.then(work, work);
    this.#round = next.catch(() => {});
    return next;
  }

  async #collect(signal: AbortSignal): Promise<void> {
    const { machine, logger } = this.#ports;
    const settings = this.#settings;
    const { events } = this.#parts;
    const look = await this.#look(signal);
    await this.#remove(tooOld({ ...look, ...settings, records: this.#records }), 'age', signal);
    const { imageFs } = await machine.pressure();
    const wanted = bytesToFree(imageFs, settings);
    if (wanted === 0) return;
    logger.info('the disk of the images is fuller than the high threshold', { bytesToFree: wanted });
    const chosen = imagesToRemove({ ...look, ...settings, records: this.#records, bytesToFree: wanted });
    const freed = await this.#remove(chosen, 'space', signal);
    if (freed >= wanted || signal.aborted) return;
    const message = `Failed to garbage collect required amount of images. Attempted to free ${wanted} bytes, but only found ${freed} bytes eligible to free.`;
    events.node('Warning', 'FreeDiskSpaceFailed', message);
    throw new Error(message);
  }

  async #look(signal: AbortSignal): Promise<Look> {
    const { clock, images, runtime } = this.#ports;
    const { wantedImages, onlyUsedBy } = this.#parts;
    const call = { signal, timeoutMs: GC_CALL_TIMEOUT_MS };
    const all = await images.list(call);
    if (onlyUsedBy !== undefined) {
      const ours = await runtime.listContainers({ labels: onlyUsedBy }, call);
      for (const { image, imageRef } of ours) this.#ours.add(image).add(imageRef);
    }
    const list = onlyUsedBy === undefined ? all : all.filter((image) => isInUse(image, this.#ours));
    // Asked for after the images: one that came into use meanwhile is seen.
    const containers = await runtime.listContainers({}, call);
    const inUse = new Set([...wantedImages(), ...containers.flatMap(({ image, imageRef }) => [image, imageRef])]);
    const now = clock.now().mono;
    this.#records = trackImages(this.#records, list, inUse, now);
    return { images: list, inUse, now };
  }

  async #remove(chosen: readonly Image[], reason: 'age' | 'space', signal: AbortSignal): Promise<number> {
    const { images, logger } = this.#ports;
    let freed = 0;
    for (const image of chosen) {
      if (signal.aborted) return freed;
      try {
        await images.remove(image.id, { signal, timeoutMs: GC_CALL_TIMEOUT_MS });
      } catch (error) {
        logger.warn('an unused image cannot be removed', { image: image.id, error: errorMessage(error) });
        continue;
      }
      logger.info('unused image removed', { image: image.repoTags[0] ?? image.id, bytes: image.sizeBytes, reason });
      this.#removed.inc({ reason });
      freed += image.sizeBytes;
    }
    return freed;
  }
}
