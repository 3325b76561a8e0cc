/** The workload: pods come, some are deleted again (politely, in a hurry, by force), all are watched until they are well. */
import { type ContainerStatus, PODS, type Pod, isAlreadyExists, isNotFound } from '../../api/index.ts';
import { ConnectionError, type Random } from '../../lib/index.ts';
import type { SimCluster } from '../sim-cluster.ts';
import { type Patient, drawPatient, podOf } from './pods.ts';

const NAMESPACE = 'default';

interface Admitted {
  readonly patient: Patient;
  deleted: boolean;
}

export class Hospital {
  readonly #cluster: SimCluster;
  readonly #random: Random;
  readonly #admitted = new Map<string, Admitted>();

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    this.#random = cluster.sim.random.split('hospital');
  }

  /** Plans `count` pods between `fromMs` and `untilMs`, and a deletion for some of them. */
  plan(count: number, fromMs: number, untilMs: number): void {
    const { sim } = this.#cluster;
    for (let i = 0; i < count; i += 1) {
      const name = `pod-${i}`;
      const patient = drawPatient(this.#random);
      const at = fromMs + this.#random.next() * (untilMs - fromMs) * 0.6;
      sim.after(at, `admit ${name}`, () => this.#do(() => this.#admit(name, patient)));
      if (this.#random.next() < 0.35) {
        const deleteAt = at + this.#random.next() * (untilMs - at);
        sim.after(deleteAt, `discharge ${name}`, () => this.#do(() => this.#discharge(name)));
      }
    }
  }

  deleteAll(): void {
    for (const [name, admitted] of this.#admitted) {
      if (admitted.deleted) continue;
      admitted.deleted = true;
      this.#do(() => this.#delete(name));
    }
  }

  /** What is still missing, or nothing. */
  pending(): string | undefined {
    const byName = new Map([...this.#cluster.pods.values()].map((pod) => [pod.metadata?.name ?? '', pod]));
    for (const [name, { patient, deleted }] of this.#admitted) {
      const pod = byName.get(name);
      const missing = deleted ? stillThere(pod) : notYet(patient, pod);
      if (missing !== undefined) return `${name} (${patient.kind}): ${missing}`;
    }
    return this.#orphans();
  }

  /** Anything in a runtime of a pod that the API does not have any more. */
  #orphans(): string | undefined {
    for (const { name, runtime } of this.#cluster.nodes) {
      for (const uid of runtime.uids()) {
        if (!this.#cluster.pods.has(uid)) return `orphan ${uid} on ${name}`;
      }
    }
    return undefined;
  }

  async #admit(name: string, patient: Patient): Promise<void> {
    this.#admitted.set(name, { patient, deleted: false });
    try {
      await this.#cluster.admin.create(PODS, podOf(name, patient));
    } catch (error) {
      // A create whose answer was lost took effect after all.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #discharge(name: string): Promise<void> {
    const admitted = this.#admitted.get(name);
    if (admitted === undefined || admitted.deleted) return;
    const way = this.#random.next();
    const grace = way < 0.5 ? undefined : way < 0.7 ? 3 : way < 0.8 ? 0 : undefined;
    await this.#delete(name, grace);
    admitted.deleted = true;
    if (way < 0.8) return;
    this.#cluster.sim.after(this.#random.next() * 10_000, `hurry ${name}`, () => this.#do(() => this.#delete(name, 1)));
  }

  async #delete(name: string, gracePeriodSeconds?: number): Promise<void> {
    try {
      await this.#cluster.admin.delete(
        PODS,
        NAMESPACE,
        name,
        gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** A server that is down or away is asked again. */
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

function stillThere(pod: Pod | undefined): string | undefined {
  return pod === undefined ? undefined : `deleted and still there (${pod.status?.phase})`;
}

function notYet({ expect }: Patient, pod: Pod | undefined): string | undefined {
  if (pod === undefined) return 'is missing';
  const { phase, containerStatuses = [] } = pod.status ?? {};
  switch (expect) {
    case 'ready': {
      const ready =
        phase === 'Running' &&
        containerStatuses.length === pod.spec?.containers.length &&
        containerStatuses.every((each) => each.ready);
      return ready ? undefined : `not ready: ${phase} ${describe(containerStatuses)}`;
    }
    case 'restarting':
      return containerStatuses.some(({ restartCount }) => restartCount >= 2)
        ? undefined
        : `not restarted: ${phase} ${describe(containerStatuses)}`;
    case 'succeeded':
      return phase === 'Succeeded' ? undefined : `not succeeded: ${phase} ${describe(containerStatuses)}`;
    case 'failed':
      return phase === 'Failed' ? undefined : `not failed: ${phase} ${describe(containerStatuses)}`;
  }
}

function describe(statuses: readonly ContainerStatus[]): string {
  return statuses
    .map(
      ({ name, state, ready, restartCount }) =>
        `${name}[${JSON.stringify(state)} ready=${ready} restarts=${restartCount}]`,
    )
    .join(' ');
}
