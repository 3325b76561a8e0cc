/** The users of volumes in a fleet: stateful sets with claims, which are scaled, and whose claims are deleted or kept. */
import { nameOf, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STATEFUL_SETS } from '../../api/index.ts';
import type { Random } from '../../lib/index.ts';
import { type Fleet, VOLUME_CLASS } from './fleet.ts';
import { People } from './people.ts';
import { behaviourAnnotation } from './pod-behaviour.ts';

const NAMESPACE = 'default';

export class VolumeWorkload {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #people: People;
  #sets: readonly string[] = [];

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#random = fleet.sim.random.split('volume workload');
    this.#people = new People(fleet, this.#random);
  }

  plan(count: number, forMs: number): void {
    this.#sets = Array.from({ length: count }, (_, i) => `store${i}`);
    for (const name of this.#sets) this.#planSet(name, forMs);
  }

  pending(): string | undefined {
    return this.#people.underWay === 0 ? undefined : `${this.#people.underWay} requests about volumes are under way`;
  }

  deleteSets(): void {
    for (const name of this.#sets)
      this.#people.do(async () => this.#fleet.admin.delete(STATEFUL_SETS, NAMESPACE, name));
  }

  deleteClaims(): void {
    for (const claim of this.#fleet.stored.claims.list()) this.#deleteClaim(nameOf(claim));
  }

  /** What is left of claims, volumes and folders; undefined: only what Retain keeps. */
  notYetGone(): string | undefined {
    const { stored, nodes } = this.#fleet;
    const [claim] = stored.claims.list();
    if (claim !== undefined) return `claim ${nameOf(claim)} is still there`;
    const volume = stored.volumes.list().find(({ spec }) => spec?.persistentVolumeReclaimPolicy !== 'Retain');
    if (volume !== undefined) return `volume ${nameOf(volume)} is still there`;
    for (const { name, volumes } of nodes) {
      const left = [...volumes.folders.keys()].find((each) => !stored.volumes.objects.has(each));
      if (left !== undefined) return `the folder of ${left} is still on ${name}`;
    }
    return undefined;
  }

  #planSet(name: string, forMs: number): void {
    const random = this.#random;
    const mode = random.next() < 0.5 ? 'ReadWriteOnce' : 'ReadWriteOncePod';
    const replicas = (): number => 1 + Math.floor(random.next() * 4);
    const annotations = behaviourAnnotation({ startMs: 100 + random.next() * 3000, stopMs: random.next() * 3000 });
    const spec = {
      replicas: replicas(),
      serviceName: name,
      podManagementPolicy: random.next() < 0.5 ? 'Parallel' : 'OrderedReady',
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, annotations },
        spec: { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'busybox' }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: [mode], resources: { requests: { storage: '2Gi' } }, storageClassName: VOLUME_CLASS },
        },
      ],
    };
    const object = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { namespace: NAMESPACE, name }, spec };
    this.#people.do(async () => this.#fleet.admin.create(STATEFUL_SETS, object));
    this.#sometimes(forMs, 100_000, () =>
      this.#people.do(async () =>
        this.#fleet.admin.patch(STATEFUL_SETS, NAMESPACE, name, 'merge', { spec: { replicas: replicas() } }),
      ),
    );
    this.#sometimes(forMs, 60_000, () => this.#deleteClaim(`data-${name}-${Math.floor(random.next() * 5)}`));
    this.#sometimes(forMs, 300_000, () => this.#keepOne());
  }

  /** Somebody wants to keep what is on a volume. */
  #keepOne(): void {
    const volumes = this.#fleet.stored.volumes.list().filter(({ status }) => status?.phase === 'Bound');
    const volume = volumes[Math.floor(this.#random.next() * volumes.length)];
    if (volume === undefined) return;
    const { resourceVersion } = volume.metadata ?? {};
    const patch = { metadata: { resourceVersion }, spec: { persistentVolumeReclaimPolicy: 'Retain' } };
    this.#people.do(async () => this.#fleet.admin.patch(PERSISTENT_VOLUMES, undefined, nameOf(volume), 'merge', patch));
  }

  #deleteClaim(name: string): void {
    this.#people.do(async () => this.#fleet.admin.delete(PERSISTENT_VOLUME_CLAIMS, NAMESPACE, name));
  }

  #sometimes(forMs: number, everyMs: number, change: () => void): void {
    for (let at = 20_000; ; ) {
      at += -Math.log(1 - this.#random.next()) * everyMs;
      if (at >= forMs) return;
      this.#fleet.sim.after(at, 'people change their minds about volumes', change);
    }
  }
}
