/**
 * Asks the runtime for its own state every 5 s (upstream: updateRuntimeUp). The answer decides the node's Ready condition,
 * but never stops the sync loop: pods that the problem does not touch are still healed.
 */
import type { RuntimeService } from '../cri/index.ts';
import { type Clock, errorMessage } from '../lib/index.ts';
import type { Pleg } from './types.ts';

const PERIOD_MS = 5000;
/** Upstream: maxWaitForContainerRuntime. */
const RUNTIME_DOWN_THRESHOLD_MS = 30_000;
const STATUS_TIMEOUT_MS = 10_000;

export interface RuntimeStateOptions {
  readonly clock: Clock;
  readonly runtime: RuntimeService;
  readonly pleg: Pleg;
  /** The verdict changed: the node's status should say so now. */
  readonly onChange: () => void;
}

export class RuntimeState {
  readonly #options: RuntimeStateOptions;
  #lastUpAt: number | undefined;
  #trouble: string | undefined = 'container runtime status check may not have completed yet';
  #network: string | undefined;
  #told = '';

  constructor(options: RuntimeStateOptions) {
    this.#options = options;
  }

  /** In upstream's words; empty when nothing is wrong. */
  errors(): readonly string[] {
    const errors: string[] = [];
    const { mono } = this.#options.clock.now();
    if (this.#lastUpAt === undefined) errors.push(this.#trouble ?? 'container runtime is down');
    else if (mono - this.#lastUpAt > RUNTIME_DOWN_THRESHOLD_MS) {
      errors.push(
        this.#trouble === undefined ? 'container runtime is down' : `container runtime is down: ${this.#trouble}`,
      );
    }
    if (this.#network !== undefined) errors.push(`container runtime network not ready: ${this.#network}`);
    const pleg = this.#options.pleg.unhealthy();
    if (pleg !== undefined) errors.push(`PLEG is not healthy: ${pleg}`);
    return errors;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await this.#ask(signal);
      const verdict = this.errors().join('; ');
      if (verdict !== this.#told) this.#options.onChange();
      this.#told = verdict;
      await clock.sleep(PERIOD_MS, signal).catch(() => {});
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    try {
      const status = await this.#options.runtime.status({ signal, timeoutMs: STATUS_TIMEOUT_MS });
      this.#network = status.networkReady ? undefined : `NetworkReady=false message:${status.networkMessage}`;
      this.#trouble = status.runtimeReady ? undefined : `RuntimeReady=false message:${status.runtimeMessage}`;
      if (status.runtimeReady) this.#lastUpAt = this.#options.clock.now().mono;
    } catch (error) {
      if (!signal.aborted) this.#trouble = errorMessage(error);
    }
  }
}
