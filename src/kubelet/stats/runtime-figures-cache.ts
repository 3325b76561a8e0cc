/** What only the runtime knows: writable layers and images. Asked at most each 10 s, and given up in time. */
import type { ImageService, RuntimeService } from '../../cri/index.ts';
import { type Clock, errorMessage, type Logger } from '../../lib/index.ts';
import { RUNTIME_STATS_MAX_AGE_MS, RUNTIME_STATS_TIMEOUT_MS } from './limits.ts';

export interface RuntimeFigures {
  /** By container id. */
  readonly writableLayers: ReadonlyMap<string, { readonly usedBytes: number; readonly inodesUsed?: number }>;
  readonly image?: { readonly usedBytes: number; readonly inodesUsed?: number; readonly mountpoint: string };
}

export interface RuntimeFiguresOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly runtime: Pick<RuntimeService, 'containerStats'>;
  readonly images: Pick<ImageService, 'fsInfo'>;
}

export class RuntimeFiguresCache {
  readonly #options: RuntimeFiguresOptions;
  #known: { readonly at: number; readonly figures: Promise<RuntimeFigures> } | undefined;

  constructor(options: RuntimeFiguresOptions) {
    this.#options = options;
  }

  /** Never rejects: what the runtime does not say in time is left out. */
  figures(): Promise<RuntimeFigures> {
    const now = this.#options.clock.now().mono;
    if (this.#known === undefined || now - this.#known.at >= RUNTIME_STATS_MAX_AGE_MS) {
      this.#known = { at: now, figures: this.#ask() };
    }
    return this.#known.figures;
  }

  async #ask(): Promise<RuntimeFigures> {
    const { runtime, images } = this.#options;
    const options = { timeoutMs: RUNTIME_STATS_TIMEOUT_MS };
    const [containers, image] = await Promise.all([
      this.#answered('containers', runtime.containerStats({}, options)),
      this.#answered('images', images.fsInfo(options)),
    ]);
    const layers = (containers ?? []).flatMap(({ id, rootfsUsedBytes: usedBytes, rootfsInodesUsed: inodesUsed }) =>
      usedBytes === undefined ? [] : [[id, { usedBytes, ...(inodesUsed !== undefined && { inodesUsed }) }] as const],
    );
    return { writableLayers: new Map(layers), ...(image && { image }) };
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
