/** Figures that only the runtime knows: writable layers and images. Asked at most every 10 s, and never waited for long. */
import type { ContainerStats, ImageFsInfo, ImageService, RuntimeService } from '../../cri/index.ts';
import { type Clock, errorMessage, type Logger, mapLimit, withDeadline } from '../../lib/index.ts';
import {
  MAX_CONCURRENT_RUNTIME_STATS,
  RUNTIME_STATS_MAX_AGE_MS,
  RUNTIME_STATS_TIMEOUT_MS,
  RUNTIME_STATS_WAIT_MS,
} from './limits.ts';

export interface RuntimeFigures {
  /** By container id. */
  readonly writableLayers: ReadonlyMap<string, { readonly usedBytes: number; readonly inodesUsed?: number }>;
  readonly image?: ImageFsInfo;
}

export interface RuntimeFiguresOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly runtime: Pick<RuntimeService, 'containerStats'>;
  readonly images: Pick<ImageService, 'fsInfo'>;
}

const NOTHING: RuntimeFigures = { writableLayers: new Map() };

export class RuntimeFiguresCache {
  readonly #options: RuntimeFiguresOptions;
  #known: RuntimeFigures = NOTHING;
  /** Mono ms at which the last question ended. */
  #at = Number.NEGATIVE_INFINITY;
  #question: Promise<void> | undefined;

  constructor(options: RuntimeFiguresOptions) {
    this.#options = options;
  }

  /**
   * Of these containers. Never rejects: if the runtime does not answer in time, its earlier answer counts, or the figure is
   * left out.
   */
  async figures(ids: readonly string[]): Promise<RuntimeFigures> {
    const { clock } = this.#options;
    if (clock.now().mono - this.#at >= RUNTIME_STATS_MAX_AGE_MS) {
      this.#question ??= this.#ask(ids).finally(() => {
        this.#question = undefined;
        this.#at = clock.now().mono;
      });
      const question = this.#question;
      await withDeadline({ clock, timeoutMs: RUNTIME_STATS_WAIT_MS }, () => question);
    }
    return this.#known;
  }

  async #ask(ids: readonly string[]): Promise<void> {
    const { images } = this.#options;
    const [containers, image] = await Promise.all([
      this.#containers(ids),
      this.#answered('images', images.fsInfo({ timeoutMs: RUNTIME_STATS_TIMEOUT_MS })),
    ]);
    const layers = containers.flatMap(({ id, rootfsUsedBytes: usedBytes, rootfsInodesUsed: inodesUsed }) =>
      usedBytes === undefined ? [] : [[id, { usedBytes, ...(inodesUsed !== undefined && { inodesUsed }) }] as const],
    );
    this.#known = { writableLayers: new Map(layers), ...(image && { image }) };
  }

  /** A container that does not answer spoils the question about all of them: then each is asked by itself. */
  async #containers(ids: readonly string[]): Promise<readonly ContainerStats[]> {
    const { runtime } = this.#options;
    const options = { timeoutMs: RUNTIME_STATS_TIMEOUT_MS };
    const all = await this.#answered('containers', runtime.containerStats({}, options));
    if (all !== undefined) return all;
    const each = await mapLimit(ids, MAX_CONCURRENT_RUNTIME_STATS, (id) =>
      this.#answered(id, runtime.containerStats({ id }, options)),
    );
    return each.flatMap((found) => found ?? []);
  }

  async #answered<T>(what: string, answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      this.#options.logger.debug('the runtime gives no figures', { what, error: errorMessage(error) });
      return undefined;
    }
  }
}
