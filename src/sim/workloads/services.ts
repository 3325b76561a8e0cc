/** The services of the workload: each chooses patients of one team. They come, change and go while faults are on. */
import { isAlreadyExists, isNotFound, type Service, SERVICES, type ServiceSpec, StatusError } from '../../api/index.ts';
import { ConnectionError, type Random } from '../../lib/index.ts';
import type { SimCluster } from '../sim-cluster.ts';

/** Patients' label by which services choose them. */
export const TEAM_LABEL = 'team';
const TEAMS = 2;
const MAX_SERVICES = 3;
const FRONT_PORT = 80;
export const SERVING_PORT = 8080;

interface Offered {
  readonly namespace: string;
  isWanted: boolean;
}

/** The team of the patient with this number. */
export function teamOf(at: number): string {
  return `team-${at % TEAMS}`;
}

export class ServiceWorkload {
  readonly #cluster: SimCluster;
  readonly #random: Random;
  readonly #offered = new Map<string, Offered>();

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    this.#random = cluster.sim.random.split('services');
  }

  /** Plans a few services between `fromMs` and `untilMs` from now, with changes and a deletion for some of them. */
  plan(namespace: string, fromMs: number, untilMs: number): void {
    const { sim } = this.#cluster;
    const count = 1 + Math.floor(this.#random.next() * MAX_SERVICES);
    const within = (start: number): number => start + this.#random.next() * (untilMs - start);
    for (let i = 0; i < count; i += 1) {
      const name = `service-${i}`;
      const spec = this.#drawSpec(teamOf(i));
      const at = fromMs + this.#random.next() * (untilMs - fromMs) * 0.3;
      sim.after(at, `offer ${name}`, () => this.#do(() => this.#create(namespace, name, spec)));
      if (this.#random.next() < 0.4) {
        const patch = { spec: this.#drawChange() };
        sim.after(within(at), `change ${name}`, () => this.#do(() => this.#patch(namespace, name, patch)));
      }
      if (this.#random.next() < 0.3) {
        const gone = within(at);
        sim.after(gone, `withdraw ${name}`, () => this.#do(() => this.#delete(name)));
        const again = this.#drawSpec(teamOf(i + 1));
        if (this.#random.next() < 0.5) {
          sim.after(within(gone), `offer ${name} again`, () => this.#do(() => this.#create(namespace, name, again)));
        }
      }
    }
  }

  deleteAll(): void {
    for (const name of this.#offered.keys()) this.#do(() => this.#delete(name));
  }

  /** Describes a service that is missing or should be gone, if there is one. */
  pending(): string | undefined {
    const stored = new Set([...this.#cluster.services.values()].map(({ metadata }) => metadata?.name));
    for (const [name, { isWanted }] of this.#offered) {
      if (isWanted !== stored.has(name)) return `${name} is ${isWanted ? 'missing' : 'still there'}`;
    }
    return undefined;
  }

  #drawSpec(team: string): ServiceSpec {
    const type = this.#random.next() < 0.5 ? 'ClusterIP' : 'NodePort';
    return {
      type,
      selector: { [TEAM_LABEL]: team },
      ports: [{ name: 'http', port: FRONT_PORT, targetPort: SERVING_PORT }],
      ...(type === 'NodePort' && this.#random.next() < 0.5 && { externalTrafficPolicy: 'Local' }),
      ...(this.#random.next() < 0.2 && { internalTrafficPolicy: 'Local' }),
      ...(this.#random.next() < 0.3 && { sessionAffinity: 'ClientIP' }),
      ...(this.#random.next() < 0.15 && { publishNotReadyAddresses: true }),
    };
  }

  #drawChange(): ServiceSpec {
    const changes: readonly ServiceSpec[] = [
      { sessionAffinity: 'ClientIP' },
      { sessionAffinity: 'None' },
      { internalTrafficPolicy: 'Local' },
      { selector: { [TEAM_LABEL]: teamOf(1) } },
      { type: 'NodePort' },
    ];
    return changes[Math.floor(this.#random.next() * changes.length)] ?? {};
  }

  async #create(namespace: string, name: string, spec: ServiceSpec): Promise<void> {
    this.#offered.set(name, { namespace, isWanted: true });
    const service: Service = { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name }, spec };
    await this.#cluster.admin.create(SERVICES, service).catch((error: unknown) => {
      // A create whose answer was lost has taken effect.
      if (!isAlreadyExists(error)) throw error;
    });
  }

  async #patch(namespace: string, name: string, patch: object): Promise<void> {
    await this.#cluster.admin.patch(SERVICES, namespace, name, 'merge', patch).catch((error: unknown) => {
      // It is gone by now.
      if (!(error instanceof StatusError && isNotFound(error))) throw error;
    });
  }

  async #delete(name: string): Promise<void> {
    const offered = this.#offered.get(name);
    if (offered === undefined) return;
    offered.isWanted = false;
    await this.#cluster.admin.delete(SERVICES, offered.namespace, name, {}).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** Repeats a request while the server cannot be reached. */
  #do(work: () => Promise<void>): void {
    const { sim } = this.#cluster;
    work().catch((error: unknown) => {
      if (!(error instanceof ConnectionError)) {
        sim.fail(error);
        return;
      }
      sim.after(1000 + this.#random.next() * 1000, 'workload retries', () => this.#do(work));
    });
  }
}
