/** Keeps what the server itself makes in the cluster: system namespaces, definitions of our kinds, the services of server and DNS, addresses, figures of quotas. */
import type { Timer } from '../lib/index.ts';
import { bootstrap } from './bootstrap.ts';
import { ensureOwnDefinitions } from './custom-resources/own-definitions.ts';
import { SYSTEM_NAMESPACES_PERIOD_MS } from './limits.ts';
import { ensureFlowControl } from './flow-control/ensure-flow-control.ts';
import type { Connection } from './ports.ts';
import type { QuotaStatus } from './quota/quotas.ts';
import { repairAddresses, repairNodePorts } from './services/repair-services.ts';
import {
  type Advertised,
  ensureDnsService,
  ensureServiceRange,
  ensureSystemObjects,
} from './services/system-objects.ts';
import type { ServerContext } from './call.ts';

export class SystemUpkeep {
  readonly #context: ServerContext;
  readonly #self: Connection;
  readonly #quotas: QuotaStatus;
  #timer: Timer | undefined;
  #isClosed = false;
  /** Where pods and other nodes reach the server; absent: nobody has said yet. */
  #advertised: Advertised | undefined;
  /** By what could not be as it should, the last text about it: each is told once. */
  readonly #told = new Map<string, string | undefined>();

  /** `self`: the server as the user behind what it does by itself. */
  constructor(context: ServerContext, self: Connection, quotas: QuotaStatus) {
    this.#context = context;
    this.#self = self;
    this.#quotas = quotas;
  }

  /** From the next time on the `kubernetes` service leads there. */
  advertise(address: Advertised): void {
    this.#advertised = address;
  }

  /** The addresses that services have come first: what is made afterwards must not take one of them. */
  async ensureObjects(): Promise<void> {
    const { ports, services } = this.#context;
    const setting = { range: services.range, now: ports.clock.now().wall };
    const { range, problem } = await ensureServiceRange(this.#self, setting);
    this.#tell('service range kept', problem);
    await repairAddresses(this.#context);
    await repairNodePorts(this.#context);
    await ensureSystemObjects(this.#self, { range, advertised: this.#advertised });
    await ensureFlowControl(this.#self);
    this.#tell('no service for the DNS of the cluster', await ensureDnsService(this.#self, range));
  }

  #tell(what: string, problem: string | undefined): void {
    if (problem !== undefined && problem !== this.#told.get(what)) this.#context.ports.logger.warn(what, { problem });
    this.#told.set(what, problem);
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
    await ensureOwnDefinitions(this.#context, this.#self);
    await this.ensureObjects();
    await this.#quotas.checkAll();
  }
}
