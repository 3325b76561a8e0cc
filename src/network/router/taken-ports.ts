/**
 * Knows which ports of this machine that services of type LoadBalancer want are a program's of the machine: these are never taken from
 * it. A port that was not looked at yet counts as taken.
 */
import { namespacedName, type Service } from '../../api/index.ts';
import { type Clock, errorMessage, type Logger } from '../../lib/index.ts';
import type { ServiceDirectory } from '../services/service-directory.ts';
import { Wake } from '../wake.ts';
import { portName } from './outside-addresses.ts';

/** A socket of this machine that waits for clients. */
export interface HostSocket {
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
  /** Undefined: all addresses. */
  readonly address: string | undefined;
}

export interface TakenPortsPorts {
  readonly directory: Pick<ServiceDirectory, 'services' | 'onChange'>;
  /** Those of this machine's own network; they are not asked for while no service wants a port. */
  readonly sockets: () => Promise<readonly HostSocket[]>;
  /** Addresses at which the services of this node are reached. */
  readonly addresses: () => readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface TakenPortsListener {
  /** These services have another answer of `isTaken`. */
  readonly onChange: (serviceKeys: readonly string[]) => void;
  /** Tells the cluster all ports that are taken, unless it knows them; rejects if it does not hear. Called after each look. */
  readonly publish: (ports: readonly string[]) => Promise<void>;
  /** Tells of a port that a program has, once each time that it takes it. */
  readonly tell: (service: Service, port: string) => void;
}

const SETTLE_MS = 10;
/** Programs come and go unseen. */
const LOOK_EVERY_MS = 15_000;
const RETRY_MS = 2000;

export class TakenPorts {
  readonly #ports: TakenPortsPorts;
  readonly #listener: TakenPortsListener;
  readonly #wake: Wake;
  /** Those that were looked at. */
  #known: ReadonlySet<string> = new Set();
  #taken: ReadonlySet<string> = new Set();
  #isFailing = false;

  constructor(ports: TakenPortsPorts, listener: TakenPortsListener) {
    this.#ports = ports;
    this.#listener = listener;
    this.#wake = new Wake(ports.clock);
  }

  /** @param port "80/TCP" @returns undefined: it was not looked at yet */
  isTaken(port: string): boolean | undefined {
    return this.#known.has(port) ? this.#taken.has(port) : undefined;
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { directory } = this.#ports;
    const end = directory.onChange(() => {
      if ([...this.#wanted().keys()].some((port) => !this.#known.has(port))) this.#wake.soon(SETTLE_MS);
    });
    try {
      while (!signal.aborted) {
        await this.look();
        const isHeard = await this.#publish();
        this.#wake.soon(isHeard ? LOOK_EVERY_MS : RETRY_MS);
        await this.#wake.wait(signal);
      }
    } finally {
      end();
    }
  }

  /** Looks once at all ports that services want now. */
  async look(): Promise<void> {
    const wanted = this.#wanted();
    const listening = wanted.size === 0 ? new Set<string>() : await this.#listening();
    const taken = new Set([...wanted.keys()].filter((port) => listening.has(port)));
    const changed = [...wanted].filter(([port]) => this.isTaken(port) !== taken.has(port));
    const newlyTaken = [...wanted].filter(([port]) => taken.has(port) && !this.#taken.has(port));
    this.#known = new Set(wanted.keys());
    this.#taken = taken;
    for (const [port, services] of newlyTaken) for (const service of services) this.#listener.tell(service, port);
    const keys = new Set(changed.flatMap(([, services]) => services.map(namespacedName)));
    if (keys.size > 0) this.#listener.onChange([...keys]);
  }

  /** The services that want a port, by port: those to which mendlet's controller gives addresses of nodes. */
  #wanted(): ReadonlyMap<string, readonly Service[]> {
    const wanted = new Map<string, Service[]>();
    for (const service of this.#ports.directory.services()) {
      const { type, loadBalancerClass, ports = [] } = service.spec ?? {};
      if (type !== 'LoadBalancer' || loadBalancerClass !== undefined) continue;
      for (const { port, protocol } of ports) {
        const name = portName(port, protocol);
        wanted.set(name, [...(wanted.get(name) ?? []), service]);
      }
    }
    return wanted;
  }

  async #listening(): Promise<ReadonlySet<string>> {
    const { sockets, addresses, logger } = this.#ports;
    try {
      const own = new Set(addresses());
      const found = await sockets();
      this.#isFailing = false;
      return new Set(
        found
          .filter(({ address }) => address === undefined || own.has(address))
          .map(({ port, protocol }) => portName(port, protocol)),
      );
    } catch (error) {
      if (!this.#isFailing) logger.warn('ports of the machine not looked at', { error: errorMessage(error) });
      this.#isFailing = true;
      return this.#taken;
    }
  }

  /** @returns whether the cluster knows */
  async #publish(): Promise<boolean> {
    const ports = [...this.#taken].toSorted();
    try {
      await this.#listener.publish(ports);
      return true;
    } catch (error) {
      this.#ports.logger.warn('ports of the machine not told', { ports, error: errorMessage(error) });
      return false;
    }
  }
}
