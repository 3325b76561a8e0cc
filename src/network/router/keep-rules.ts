/**
 * Brings back what somebody removed: our tables, and the other rules of this instance. A watch of nft tells at once; a rare look
 * finds what the watch does not show.
 */
import type { Clock, Logger, MetricsRegistry } from '../../lib/index.ts';
import { keepWatching } from '../keep-watching.ts';
import { Wake } from '../wake.ts';
import { missingRules, ruleNames } from './rule-names.ts';
import { routerMetrics } from './router-metrics.ts';
import type { RouterMachine } from './router-machine.ts';

export interface KeepRulesPorts {
  readonly machine: RouterMachine;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/** One of our tables, and who writes it. */
export interface KeptTable {
  readonly table: string;
  readonly writer: {
    /** Everything is written anew. Resolves when that was tried. */
    reload(): Promise<void>;
    /** Calls the listener after each transaction, with whether it wrote everything. @returns a function that ends that */
    onApplied(listener: (isLoad: boolean) => void): () => void;
  };
  /** It is whole before the first transaction. */
  readonly isThere: boolean;
}

export interface KeptRules {
  readonly tables: readonly KeptTable[];
  /** The rules of this instance outside of these tables. @returns what was missing; it is back */
  readonly restoreOthers: () => Promise<readonly string[]>;
  /** For an event. */
  readonly tell: (message: string) => void;
}

/** A flush removes in one go what is told of in many lines. */
const SETTLE_MS = 50;
const LOOK_EVERY_MS = 60_000;
/** After a look that failed: the machine was too busy, for instance. */
const LOOK_AGAIN_MS = 10_000;

/** Runs until the signal is aborted. */
export async function keepRules(ports: KeepRulesPorts, kept: KeptRules, signal: AbortSignal): Promise<void> {
  await new RulesKeeper(ports, kept).run(signal);
}

class RulesKeeper {
  readonly #ports: KeepRulesPorts;
  readonly #kept: KeptRules;
  readonly #wake: Wake;
  readonly #restored: { inc(): void };
  readonly #seen: readonly SeenTable[];

  constructor(ports: KeepRulesPorts, kept: KeptRules) {
    this.#ports = ports;
    this.#kept = kept;
    this.#seen = kept.tables.map((each) => ({ ...each, whole: undefined, isLoaded: each.isThere }));
    this.#wake = new Wake(ports.clock);
    this.#restored = routerMetrics(ports.metrics).restored;
  }

  async run(signal: AbortSignal): Promise<void> {
    const ends = this.#seen.map((seen) =>
      seen.writer.onApplied((isLoad) => {
        if (!isLoad) return;
        seen.whole = undefined;
        seen.isLoaded = true;
        this.#wake.soon(SETTLE_MS);
      }),
    );
    this.#wake.soon(SETTLE_MS);
    try {
      await Promise.all([this.#watch(signal), this.#loop(signal)]);
    } finally {
      for (const end of ends) end();
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    let againMs = LOOK_AGAIN_MS;
    while (!signal.aborted) {
      this.#wake.soon(LOOK_EVERY_MS);
      await this.#wake.wait(signal);
      if (signal.aborted) return;
      try {
        await this.#look();
        againMs = LOOK_AGAIN_MS;
      } catch (error) {
        this.#ports.logger.warn('rules not looked at', { error, againMs });
        this.#wake.soon(againMs);
        againMs = Math.min(againMs * 2, LOOK_EVERY_MS);
      }
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const watch = {
      what: 'removals of rules',
      watch: (ended: AbortSignal) => this.#ports.machine.watchRemovals(() => this.#wake.soon(SETTLE_MS), ended),
      onGap: (againMs: number) => this.#wake.soon(againMs),
    };
    await keepWatching(this.#ports, watch, signal);
  }

  async #look(): Promise<void> {
    const { logger } = this.#ports;
    const { restoreOthers, tell } = this.#kept;
    const torn = await Promise.all(
      this.#seen.map(async (seen) => ({ writer: seen.writer, missing: await this.#missingOf(seen) })),
    );
    const others = await restoreOthers();
    const missing = [...torn.flatMap((each) => each.missing), ...others];
    if (missing.length === 0) return;
    await Promise.all(torn.flatMap((each) => (each.missing.length > 0 ? [each.writer.reload()] : [])));
    this.#restored.inc();
    const what = missing.slice(0, MAX_TOLD).join(', ');
    logger.warn('somebody removed rules of the packet filter; they are back', { what, count: missing.length });
    tell(`Somebody removed rules of the packet filter, which are back: ${what}`);
  }

  async #missingOf(seen: SeenTable): Promise<readonly string[]> {
    const outline = await this.#ports.machine.outline(seen.table);
    const present = outline === undefined ? undefined : ruleNames(outline);
    const missing = seen.isLoaded ? missingRules(seen.whole ?? new Set(), present, seen.table) : [];
    seen.whole ??= present;
    return missing;
  }
}

const MAX_TOLD = 5;

interface SeenTable extends KeptTable {
  /** The rules of the table after its last load; undefined: it was not loaded yet, or cannot be read. */
  whole: ReadonlySet<string> | undefined;
  isLoaded: boolean;
}
