/**
 * The kinds that the server serves now, for whoever must follow kinds that come and go: asked for at intervals, and whenever
 * somebody needs to be sure.
 */
import type { ResourceRow } from '../api/index.ts';
import { type Clock, type Logger, errorMessage } from '../lib/index.ts';
import type { Discovery } from './discovery.ts';
import type { KubeClient } from './kube-client.ts';
import { DISCOVERY_PERIOD_MS, DISCOVERY_RETRY_MS } from './limits.ts';

export interface ServedKindsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class ServedKinds {
  readonly #options: ServedKindsOptions;
  readonly #listeners = new Set<() => void>();
  #known: Discovery | undefined;
  #asking: Promise<readonly ResourceRow[]> | undefined;

  constructor(options: ServedKindsOptions) {
    this.#options = options;
  }

  /** As they were when last asked for; empty before the first answer. */
  get rows(): readonly ResourceRow[] {
    return this.#known?.rows ?? [];
  }

  /** Calls `listener` after each change. The returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks the server now; callers at the same time share one answer. Rejects as calls of the client do. */
  refresh(): Promise<readonly ResourceRow[]> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** The same, for whoever need not wait: a failure is made good by the next interval. */
  refreshSoon(): void {
    this.refresh().catch((error: unknown) => {
      this.#options.logger.debug('kinds not discovered', { error: errorMessage(error) });
    });
  }

  /** Follows the server until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      let pause = DISCOVERY_PERIOD_MS;
      try {
        await this.refresh();
      } catch (error) {
        pause = DISCOVERY_RETRY_MS;
        logger.debug('kinds not discovered', { error: errorMessage(error) });
      }
      await clock.sleep(pause, signal).catch(() => {});
    }
  }

  async #ask(): Promise<readonly ResourceRow[]> {
    const found = await this.#options.client.discover(this.#known);
    if (found === this.#known) return found.rows;
    this.#known = found;
    for (const listener of this.#listeners) listener();
    return found.rows;
  }
}

/** The row of a kind among those served; undefined: it is not served. */
export function rowOfKind(
  rows: readonly ResourceRow[],
  group: string,
  version: string,
  kind: string,
): ResourceRow | undefined {
  return rows.find((row) => row.group === group && row.version === version && row.kind === kind);
}
