/**
 * The workload: pods are created, some are deleted (with grace, with little grace, by force), and all are watched until they
 * are well.
 */
import {
  CONFIG_MAPS,
  type ContainerStatus,
  HEALING_STOPPED_REASON,
  NAMESPACES,
  PODS,
  type Pod,
  StatusError,
  isAlreadyExists,
  isNotFound,
} from '../../api/index.ts';
import { isNamespaceTerminating } from '../../client/index.ts';
import { ConnectionError, type Random } from '../../lib/index.ts';
import type { SimCluster } from '../sim-cluster.ts';
import { type Patient, withHostPort } from './patients.ts';
import { CONFIG_NAME, drawPatient, podOf, visitor } from './pods.ts';
import { teamOf } from './services.ts';
import { Restarts } from './restarts.ts';

/** Exclusive maximum of requested restarts per pod. */
const MAX_RESTARTS_ASKED = 3;
export const HOUSE = 'default';
/** A namespace that may be deleted with all its pods. */
const WARD = 'ward';

interface TeamPatient extends Patient {
  readonly team: string;
}

interface Admitted {
  readonly patient: TeamPatient;
  readonly namespace: string;
  deleted: boolean;
}

export class Hospital {
  readonly #cluster: SimCluster;
  readonly #random: Random;
  readonly #admitted = new Map<string, Admitted>();
  readonly #restarts: Restarts;
  #wardClosed = false;

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    this.#random = cluster.sim.random.split('hospital');
    this.#restarts = new Restarts(cluster);
  }

  /** Plans `count` pods between `fromMs` and `untilMs` from now, and a deletion for some of them. */
  plan(count: number, fromMs: number, untilMs: number): void {
    const { sim } = this.#cluster;
    const ward = this.#planWard(fromMs, untilMs);
    for (let i = 0; i < count; i += 1) {
      const name = `pod-${i}`;
      const patient = withHostPort({ ...drawPatient(this.#random), team: teamOf(i) }, i);
      const namespace = ward && this.#random.next() < 0.4 ? WARD : HOUSE;
      const at = fromMs + 1000 + this.#random.next() * (untilMs - fromMs) * 0.6;
      sim.after(at, `admit ${name}`, () => this.#do(() => this.#admit(namespace, name, patient)));
      if (patient.needsConfigAfterMs !== undefined) {
        sim.after(at + patient.needsConfigAfterMs, `settings for ${name}`, () =>
          this.#do(() => this.#settings(namespace)),
        );
      }
      if (this.#random.next() < 0.25) {
        const visitAt = at + this.#random.next() * (untilMs - at);
        sim.after(visitAt, `visit ${name}`, () => this.#do(() => this.#visit(name)));
      }
      for (let restarts = Math.floor(this.#random.next() * MAX_RESTARTS_ASKED); restarts > 0; restarts -= 1) {
        const ask = this.#restarts.draw(namespace, name);
        sim.after(at + this.#random.next() * (untilMs - at), `restart ${name}`, () => this.#do(ask));
      }
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
      this.#do(() => this.#delete(admitted.namespace, name));
    }
  }

  /** Describes what is still missing, if anything is. */
  pending(): string | undefined {
    const byName = new Map([...this.#cluster.pods.values()].map((pod) => [pod.metadata?.name ?? '', pod]));
    for (const [name, { patient, deleted }] of this.#admitted) {
      const pod = byName.get(name);
      const missing = deleted ? stillThere(pod) : this.#isRightlyEvicted(pod) ? undefined : notYet(patient, pod);
      if (missing !== undefined) return `${name} (${patient.kind}): ${missing}`;
    }
    if (this.#wardClosed && this.#cluster.namespaces.has(WARD)) return 'the deleted namespace is still there';
    return this.#restarts.pending() ?? this.#orphans();
  }

  /** Whether an eviction is legitimate: a node whose disk was full evicts pods and refuses new ones for a while. */
  #isRightlyEvicted(pod: Pod | undefined): boolean {
    const { phase, reason } = pod?.status ?? {};
    return phase === 'Failed' && reason === 'Evicted' && this.#cluster.nodes.some(({ disk }) => disk.wasFull);
  }

  #planWard(fromMs: number, untilMs: number): boolean {
    const { sim, admin } = this.#cluster;
    if (this.#random.next() < 0.5) return false;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: WARD } };
    this.#do(() => quietly(admin.create(NAMESPACES, namespace), isAlreadyExists));
    if (this.#random.next() < 0.6) {
      const at = fromMs + (0.2 + this.#random.next() * 0.8) * (untilMs - fromMs);
      sim.after(at, 'close the ward', () => {
        this.#wardClosed = true;
        for (const admitted of this.#admitted.values()) if (admitted.namespace === WARD) admitted.deleted = true;
        this.#do(() => quietly(admin.delete(NAMESPACES, undefined, WARD), isNotFound));
      });
    }
    return true;
  }

  /** Remains in a runtime of a pod that the API server does not have any more. */
  #orphans(): string | undefined {
    for (const { name, runtime } of this.#cluster.nodes) {
      for (const uid of runtime.uids()) {
        if (!this.#cluster.pods.has(uid)) return `orphan ${uid} on ${name}`;
      }
    }
    return undefined;
  }

  async #admit(namespace: string, name: string, patient: TeamPatient): Promise<void> {
    if (namespace === WARD && this.#wardClosed) return;
    this.#admitted.set(name, { patient, namespace, deleted: false });
    // A create whose answer was lost has taken effect; one that comes after its namespace's deletion counts as deleted.
    const pod = podOf(namespace, name, patient, patient.team);
    await quietly(
      this.#cluster.admin.create(PODS, pod),
      (error) => isAlreadyExists(error) || this.#isClosed(namespace, error),
    );
  }

  #isClosed(namespace: string, error: unknown): boolean {
    return namespace === WARD && this.#wardClosed && (isNamespaceTerminating(error) || isNotFound(error));
  }

  async #settings(namespace: string): Promise<void> {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: CONFIG_NAME },
      data: { COLOUR: 'blue' },
    };
    await quietly(
      this.#cluster.admin.create(CONFIG_MAPS, object),
      (error) => isAlreadyExists(error) || this.#isClosed(namespace, error),
    );
  }

  /** Adds an ephemeral container, as `kubectl debug` does, which ends by itself or with the pod. */
  async #visit(name: string): Promise<void> {
    const admitted = this.#admitted.get(name);
    if (admitted === undefined || admitted.deleted) return;
    const patch = { spec: { ephemeralContainers: [visitor(this.#random.next() < 0.5 ? [100, 30_000] : undefined)] } };
    await quietly(
      this.#cluster.admin.patch(PODS, admitted.namespace, name, 'strategic', patch, 'ephemeralcontainers'),
      // The pod is gone or has ended, or a request whose answer was lost added the container before.
      (error) => error instanceof StatusError,
    );
  }

  async #discharge(name: string): Promise<void> {
    const admitted = this.#admitted.get(name);
    if (admitted === undefined || admitted.deleted) return;
    const way = this.#random.next();
    const grace = way < 0.5 ? undefined : way < 0.7 ? 3 : way < 0.8 ? 0 : undefined;
    await this.#delete(admitted.namespace, name, grace);
    admitted.deleted = true;
    // The next one of the name comes while the containers of this one may still run, as that of a StatefulSet does.
    if (grace === 0) this.#do(() => this.#admit(admitted.namespace, name, admitted.patient));
    if (way < 0.8) return;
    const hurry = (): void => this.#do(() => this.#delete(admitted.namespace, name, 1));
    this.#cluster.sim.after(this.#random.next() * 10_000, `hurry ${name}`, hurry);
  }

  #delete(namespace: string, name: string, gracePeriodSeconds?: number): Promise<void> {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    return quietly(this.#cluster.admin.delete(PODS, namespace, name, options), isNotFound);
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

async function quietly(work: Promise<unknown>, expected: (error: unknown) => boolean): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!expected(error)) throw error;
  }
}

function stillThere(pod: Pod | undefined): string | undefined {
  return pod === undefined ? undefined : `deleted and still there (${pod.status?.phase})`;
}

function notYet({ expect }: Patient, pod: Pod | undefined): string | undefined {
  if (pod === undefined) return 'is missing';
  const { phase, containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
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
    case 'stopped':
      return [...initContainerStatuses, ...containerStatuses].some(
        ({ state }) => state?.waiting?.reason === HEALING_STOPPED_REASON,
      )
        ? undefined
        : `not stopped: ${phase} ${describe(containerStatuses)}`;
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
