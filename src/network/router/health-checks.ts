/**
 * Health check node ports: a load balancer learns there whether this node has endpoints of a service with the external policy
 * Local. Upstream: pkg/proxy/healthcheck/service_health.go.
 */
import type { Service } from '../../api/index.ts';
import type { Logger } from '../../lib/index.ts';
import type { ServiceDirectory } from '../services/service-directory.ts';
import { isPort } from './safe-values.ts';
import { isExternalLocal } from './service-fronts.ts';

/** What one port answers at the moment. */
export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Adapter: `health-listener.node.ts`. */
export type ListenForHealth = (port: number, answer: () => HealthAnswer) => Promise<{ close(): void }>;

interface Check {
  readonly port: number;
  readonly listening: Promise<{ close(): void } | undefined>;
}

export class HealthChecks {
  readonly #listen: ListenForHealth;
  readonly #nodeName: string;
  readonly #logger: Logger;
  /** By service; there are at most as many as node ports. */
  readonly #checks = new Map<string, Check>();
  readonly #local = new Map<string, number>();
  /** Services whose port could not be had: it may be free later. */
  readonly #failed = new Set<string>();
  /** The ends of listeners, by port: who wants the port next waits for them. */
  readonly #ends = new Map<number, Promise<void>>();

  constructor(listen: ListenForHealth, nodeName: string, logger: Logger) {
    this.#listen = listen;
    this.#nodeName = nodeName;
    this.#logger = logger;
  }

  /** Looks at these services, and at all whose port could not be had. */
  update(directory: ServiceDirectory, serviceKeys: readonly string[]): void {
    for (const key of new Set([...serviceKeys, ...this.#failed])) {
      const [namespace = '', name = ''] = key.split('/');
      const service = directory.service(namespace, name);
      const port = service === undefined ? undefined : healthPortOf(service);
      this.#local.set(key, port === undefined ? 0 : this.#countLocal(directory, namespace, name));
      if (port === undefined) this.#local.delete(key);
      this.#keep(key, port);
    }
  }

  close(): void {
    for (const key of this.#checks.keys()) this.#keep(key, undefined);
  }

  /** Ready pods of this node, each once. */
  #countLocal(directory: ServiceDirectory, namespace: string, name: string): number {
    const endpoints = directory.slices(namespace, name).flatMap((slice) => slice.endpoints ?? []);
    const ready = endpoints.filter(
      ({ nodeName, conditions }) => nodeName === this.#nodeName && (conditions?.ready ?? true),
    );
    return new Set(ready.map(({ addresses }) => addresses[0])).size;
  }

  #keep(key: string, port: number | undefined): void {
    const present = this.#checks.get(key);
    if (present?.port === port) return;
    this.#checks.delete(key);
    if (present !== undefined) this.#end(present);
    if (port === undefined) {
      this.#failed.delete(key);
      return;
    }
    const check = { port, listening: (this.#ends.get(port) ?? Promise.resolve()).then(() => this.#open(key, port)) };
    this.#checks.set(key, check);
    void check.listening.then((listener) => {
      if (this.#checks.get(key) !== check) return;
      if (listener !== undefined) this.#failed.delete(key);
      else {
        this.#checks.delete(key);
        this.#failed.add(key);
      }
    });
  }

  #end({ port, listening }: Check): void {
    const end = listening.then((listener) => listener?.close());
    this.#ends.set(port, end);
    void end.then(() => {
      if (this.#ends.get(port) === end) this.#ends.delete(port);
    });
  }

  async #open(key: string, port: number): Promise<{ close(): void } | undefined> {
    try {
      return await this.#listen(port, () => this.#answer(key));
    } catch (error) {
      if (!this.#failed.has(key)) this.#logger.warn('a health check port cannot be had', { service: key, port, error });
      return undefined;
    }
  }

  #answer(key: string): HealthAnswer {
    const [namespace = '', name = ''] = key.split('/');
    const localEndpoints = this.#local.get(key) ?? 0;
    const body = { service: { namespace, name }, localEndpoints, serviceProxyHealthy: true };
    return {
      status: localEndpoints > 0 ? 200 : 503,
      headers: {
        'Content-Type': 'application/json',
        'X-Content-Type-Options': 'nosniff',
        'X-Load-Balancing-Endpoint-Weight': String(localEndpoints),
      },
      body: JSON.stringify(body),
    };
  }
}

function healthPortOf(service: Service): number | undefined {
  const { type, healthCheckNodePort } = service.spec ?? {};
  return type === 'LoadBalancer' && isExternalLocal(service) && isPort(healthCheckNodePort)
    ? healthCheckNodePort
    : undefined;
}
