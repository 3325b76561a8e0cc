/** Keeps what the server itself makes in the cluster: system namespaces, the `kubernetes` service, the figures of quotas. */
import type { Timer } from '../lib/index.ts';
import { bootstrap } from './bootstrap.ts';
import { SYSTEM_NAMESPACES_PERIOD_MS } from './limits.ts';
import type { Connection } from './ports.ts';
import type { QuotaStatus } from './quota/quotas.ts';
import { type Advertised, ensureSystemObjects } from './services/system-objects.ts';
import type { ServerContext } from './verbs/call.ts';

export class SystemUpkeep {
  readonly #context: Pick<ServerContext, 'ports' | 'serviceRange'>;
  readonly #self: Connection;
  readonly #quotas: QuotaStatus;
  #timer: Timer | undefined;
  #isClosed = false;
  /** Where pods and other nodes reach the server; absent: nobody has said yet. */
  #advertised: Advertised | undefined;

  /** `self`: the server as the user behind what it does by itself. */
  constructor(context: Pick<ServerContext, 'ports' | 'serviceRange'>, self: Connection, quotas: QuotaStatus) {
    this.#context = context;
    this.#self = self;
    this.#quotas = quotas;
  }

  /** From the next time on the `kubernetes` service leads there. */
  advertise(address: Advertised): void {
    this.#advertised = address;
  }

  ensureObjects(): Promise<void> {
    return ensureSystemObjects(this.#self, { range: this.#context.serviceRange, advertised: this.#advertised });
  }

  /** Looks after all of it, again and again until it is closed. */
  begin(): void {
    if (this.#isClosed) return;
    const { clock, logger } = this.#context.ports;
    this.#timer = clock.setTimer(SYSTEM_NAMESPACES_PERIOD_MS, () => {
      this.#lookAfter()
        .catch((error: unknown) => {
          if (!this.#isClosed) logger.warn('system objects not looked after', { error });
        })
        .finally(() => this.begin());
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #lookAfter(): Promise<void> {
    await bootstrap(this.#self);
    await this.ensureObjects();
    await this.#quotas.checkAll();
  }
}
