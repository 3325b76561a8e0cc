/**
 * Pods that keep something on claims. People delete the pods, the claims too, let other pods contend for a volume, and sometimes
 * want to keep what is on one; what should be there is created again, as an owner does.
 */
import { isDeleting, nameOf, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, type Pod, PODS } from '../../api/index.ts';
import type { Random } from '../../lib/index.ts';
import { People } from '../fleet/people.ts';
import { type SimCluster, VOLUME_CLASS } from '../sim-cluster.ts';
import { between, container } from './patients.ts';

const NAMESPACE = 'default';
const CARE_EVERY_MS = 5000;

interface Keeper {
  readonly pod: string;
  readonly claim: string;
  readonly mode: 'ReadWriteOnce' | 'ReadWriteOncePod';
  readonly spec: { readonly stopMs: number; readonly exitAfterMs?: readonly [number, number] };
}

export class Keepers {
  readonly #cluster: SimCluster;
  readonly #random: Random;
  readonly #people: People;
  #keepers: readonly Keeper[] = [];
  /** Names of pods that contend, and are wanted. */
  readonly #rivals = new Set<string>();
  #rivalsMade = 0;
  #isOver = false;

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    this.#random = cluster.sim.random.split('keepers');
    this.#people = new People(cluster, this.#random);
  }

  plan(count: number, forMs: number): void {
    const random = this.#random;
    this.#keepers = Array.from({ length: count }, (_, i) => ({
      pod: `keeper-${i}`,
      claim: `kept-${i}`,
      mode: random.next() < 0.5 ? 'ReadWriteOnce' : 'ReadWriteOncePod',
      spec: {
        stopMs: between(random, 0, 4000),
        ...(random.next() < 0.4 && { exitAfterMs: [1000, 60_000] as const }),
      },
    }));
    for (const keeper of this.#keepers) {
      this.#care(keeper);
      this.#sometimes(forMs, 60_000, () => this.#deletePod(keeper.pod));
      this.#sometimes(forMs, 100_000, () => this.#deleteClaim(keeper));
      this.#sometimes(forMs, 400_000, () => this.#keep(keeper));
      if (keeper.mode === 'ReadWriteOncePod') this.#sometimes(forMs, 80_000, () => this.#contend(keeper));
    }
  }

  /** From now on nobody contends, and every keeper is wanted. */
  endContention(): void {
    this.#rivals.clear();
  }

  /** What is missing, if anything is. */
  pending(): string | undefined {
    if (this.#people.underWay > 0) return `${this.#people.underWay} requests about claims are under way`;
    for (const { pod: name, claim } of this.#keepers) {
      const pod = this.#pod(name);
      if (this.#isOver) {
        if (pod !== undefined) return `${name} is still there`;
        continue;
      }
      if (pod === undefined) return `${name} is missing`;
      const phase = this.#cluster.claims.objects.get(`${NAMESPACE}/${claim}`)?.status?.phase;
      if (phase !== 'Bound') return `claim ${claim} is ${phase}`;
      // One that ends and is started again is well while it does.
      if (pod.status?.phase !== 'Running') return `${name} is not running: ${JSON.stringify(pod.status)}`;
    }
    const rival = [...this.#cluster.pods.values()].find((pod) => nameOf(pod).startsWith('rival-'));
    return rival === undefined ? undefined : `${nameOf(rival)} is still there`;
  }

  deleteAll(): void {
    this.#isOver = true;
    this.#rivals.clear();
    for (const { pod } of this.#keepers) this.#deletePod(pod);
  }

  deleteClaims(): void {
    for (const { claim } of this.#keepers)
      this.#people.do(async () => this.#cluster.admin.delete(PERSISTENT_VOLUME_CLAIMS, NAMESPACE, claim));
  }

  /** A claim, or a volume without Retain, that is still there. */
  notYetGone(): string | undefined {
    const [claim] = this.#cluster.claims.list();
    if (claim !== undefined) return `claim ${nameOf(claim)} is still there`;
    const volume = this.#cluster.volumes.list().find(({ spec }) => spec?.persistentVolumeReclaimPolicy !== 'Retain');
    return volume === undefined ? undefined : `volume ${nameOf(volume)} is still there`;
  }

  /** What should be there is created, and what waits for ever is deleted. */
  #care(keeper: Keeper): void {
    this.#cluster.sim.after(CARE_EVERY_MS * (0.5 + this.#random.next()), `care for ${keeper.pod}`, () => {
      this.#deleteRivals();
      if (this.#isOver) return;
      this.#createMissing(keeper);
      this.#care(keeper);
    });
  }

  #createMissing(keeper: Keeper): void {
    const { pod: name, claim: claimName } = keeper;
    const claim = this.#cluster.claims.objects.get(`${NAMESPACE}/${claimName}`);
    const pod = this.#pod(name);
    // A pod that had not begun waits for a claim that is being deleted, which waits for the pod: as on Kubernetes.
    const isStuck = claim === undefined || isDeleting(claim) || pod?.status?.phase === 'Failed';
    if (pod !== undefined && !isDeleting(pod) && isStuck) this.#deletePod(name);
    if (claim === undefined)
      this.#people.do(async () => this.#cluster.admin.create(PERSISTENT_VOLUME_CLAIMS, claimOf(keeper)));
    else if (pod === undefined && !isDeleting(claim)) this.#create(name, keeper);
  }

  #create(name: string, { claim, spec }: Keeper, nodeName?: string): void {
    const main = container('main', spec, { volumeMounts: [{ name: 'data', mountPath: '/data' }] });
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: NAMESPACE, name, labels: { kind: 'keeper' } },
      spec: {
        ...(nodeName !== undefined && { nodeName }),
        terminationGracePeriodSeconds: 5,
        containers: [main],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
      },
    };
    this.#people.do(async () => this.#cluster.admin.create(PODS, pod));
  }

  #deletePod(name: string): void {
    const gracePeriodSeconds = this.#random.next() < 0.3 ? 0 : 5;
    this.#people.do(async () => this.#cluster.admin.delete(PODS, NAMESPACE, name, { gracePeriodSeconds }));
  }

  #deleteClaim({ claim, pod }: Keeper): void {
    this.#people.do(async () => this.#cluster.admin.delete(PERSISTENT_VOLUME_CLAIMS, NAMESPACE, claim));
    if (this.#random.next() < 0.7) this.#deletePod(pod);
  }

  /** Somebody wants to keep what is on the volume. */
  #keep({ claim }: Keeper): void {
    const volume = this.#cluster.volumes.objects.get(this.#volumeName(claim));
    if (volume?.status?.phase !== 'Bound') return;
    const { resourceVersion } = volume.metadata ?? {};
    const patch = { metadata: { resourceVersion }, spec: { persistentVolumeReclaimPolicy: 'Retain' } };
    this.#people.do(async () =>
      this.#cluster.admin.patch(PERSISTENT_VOLUMES, undefined, nameOf(volume), 'merge', patch),
    );
  }

  /** A pod without the scheduler, which would let it wait. */
  #contend(keeper: Keeper): void {
    const volume = this.#cluster.volumes.objects.get(this.#volumeName(keeper.claim));
    const node = volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values?.[0];
    if (node === undefined) return;
    const name = `rival-${(this.#rivalsMade += 1)}`;
    this.#rivals.add(name);
    this.#create(name, keeper, node);
    this.#cluster.sim.after(between(this.#random, 1000, 90_000), `${name} gives up`, () => this.#rivals.delete(name));
  }

  #deleteRivals(): void {
    for (const pod of this.#cluster.pods.values()) {
      const name = nameOf(pod);
      if (name.startsWith('rival-') && !this.#rivals.has(name) && !isDeleting(pod)) this.#deletePod(name);
    }
  }

  #volumeName(claim: string): string {
    return this.#cluster.claims.objects.get(`${NAMESPACE}/${claim}`)?.spec?.volumeName ?? '';
  }

  #pod(name: string): Pod | undefined {
    return [...this.#cluster.pods.values()].find((pod) => nameOf(pod) === name);
  }

  #sometimes(forMs: number, everyMs: number, change: () => void): void {
    for (let at = 10_000; ; ) {
      at += -Math.log(1 - this.#random.next()) * everyMs;
      if (at >= forMs) return;
      this.#cluster.sim.after(at, 'people change their minds about claims', change);
    }
  }
}

function claimOf({ claim, mode }: Keeper): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: NAMESPACE, name: claim },
    spec: { accessModes: [mode], resources: { requests: { storage: '1Mi' } }, storageClassName: VOLUME_CLASS },
  };
}
