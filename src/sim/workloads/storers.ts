/**
 * Pods with volumes of drivers. Each volume has pods on one node at a time; people delete pods, and move all of them to another node.
 * A pod that should be there is created again when those on the node before are gone, as an owner does.
 */
import {
  CSI_DRIVERS,
  isDeleting,
  nameOf,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type Pod,
  PODS,
  uidOf,
} from '../../api/index.ts';
import type { Random } from '../../lib/index.ts';
import type { DriverKind } from '../drivers/sim-driver.ts';
import { handleOf } from '../drivers/sim-attacher.ts';
import { People } from '../fleet/people.ts';
import type { SimCluster } from '../sim-cluster.ts';
import { between, container } from './patients.ts';

const NAMESPACE = 'default';
const CARE_EVERY_MS = 5000;
const GRACE_SECONDS = 5;

interface Storer {
  readonly name: string;
  readonly driver: string;
  /** The volume must be attached. */
  readonly attaches: boolean;
  readonly pods: readonly string[];
  /** A volume of the pod's own, beside. */
  readonly hasInline: boolean;
  readonly behaviour: { readonly stopMs: number; readonly exitAfterMs?: readonly [number, number] };
  /** Name of the node that it should be on. */
  node: string;
}

export class Storers {
  readonly #cluster: SimCluster;
  readonly #random: Random;
  readonly #people: People;
  #storers: readonly Storer[] = [];
  #isOver = false;

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
    this.#random = cluster.sim.random.split('storers');
    this.#people = new People(cluster, this.#random);
  }

  plan(kinds: readonly DriverKind[], count: number, forMs: number): void {
    const random = this.#random;
    for (const kind of kinds) this.#create(CSI_DRIVERS, driverObject(kind));
    this.#storers = Array.from({ length: kinds.length === 0 ? 0 : count }, (_, i) => ({
      name: `storer-${i}`,
      driver: kinds[i % kinds.length]?.name ?? '',
      attaches: kinds[i % kinds.length]?.attaches === true,
      pods: Array.from({ length: random.next() < 0.5 ? 1 : 2 }, (__, at) => `storer-${i}-${at}`),
      hasInline: random.next() < 0.3,
      behaviour: {
        stopMs: between(random, 0, 4000),
        ...(random.next() < 0.4 && { exitAfterMs: [1000, 60_000] as const }),
      },
      node: this.#anyNode(),
    }));
    for (const storer of this.#storers) {
      if (storer.attaches) this.#cluster.laws.mustBeAttached(handleOf(storer.name));
      this.#create(PERSISTENT_VOLUMES, volumeOf(storer));
      this.#create(PERSISTENT_VOLUME_CLAIMS, claimOf(storer));
      this.#care(storer);
      for (const pod of storer.pods) this.#sometimes(forMs, 60_000, () => this.#delete(pod, storer.attaches));
      this.#sometimes(forMs, 60_000, () => this.#move(storer));
    }
  }

  /** What is missing, if anything is. */
  pending(): string | undefined {
    if (this.#people.underWay > 0) return `${this.#people.underWay} requests about volumes of drivers are under way`;
    for (const storer of this.#storers) {
      for (const name of storer.pods) {
        const problem = this.#problemOf(storer, name);
        if (problem !== undefined) return problem;
      }
    }
    return this.#isOver ? this.#cluster.laws.left() : undefined;
  }

  deleteAll(): void {
    this.#isOver = true;
    for (const { pods } of this.#storers) for (const pod of pods) this.#delete(pod);
  }

  deleteClaims(): void {
    for (const { name } of this.#storers)
      this.#people.do(async () => this.#cluster.admin.delete(PERSISTENT_VOLUME_CLAIMS, NAMESPACE, name));
  }

  #problemOf({ node, hasInline }: Storer, name: string): string | undefined {
    const pod = this.#pod(name);
    if (this.#isOver) return pod === undefined ? undefined : `${name} is still there`;
    if (pod === undefined) return `${name} is missing`;
    if (pod.spec?.nodeName !== node) return `${name} is on ${pod.spec?.nodeName}, and should be on ${node}`;
    if (pod.status?.phase !== 'Running') return `${name} is not running: ${JSON.stringify(pod.status)}`;
    const targets = this.#cluster.laws.targetsOf(node, uidOf(pod));
    return targets.length === (hasInline ? 2 : 1)
      ? undefined
      : `${name} runs, and has ${targets.join(' ') || 'nothing'}`;
  }

  #care(storer: Storer): void {
    this.#cluster.sim.after(CARE_EVERY_MS * (0.5 + this.#random.next()), `care for ${storer.name}`, () => {
      if (this.#isOver) return;
      const there = storer.pods.flatMap((name) => this.#pod(name) ?? []);
      const isElsewhere = there.some(({ spec }) => spec?.nodeSelector?.['kubernetes.io/hostname'] !== storer.node);
      for (const pod of there) {
        const isFailed = pod.status?.phase === 'Failed';
        if ((isElsewhere || isFailed) && !isDeleting(pod)) this.#delete(nameOf(pod));
      }
      if (!isElsewhere) {
        const missing = storer.pods.filter((name) => this.#pod(name) === undefined);
        for (const name of missing) this.#create(PODS, podOf(storer, name));
      }
      this.#care(storer);
    });
  }

  #move(storer: Storer): void {
    storer.node = this.#anyNode();
  }

  #anyNode(): string {
    const { nodes } = this.#cluster;
    return nodes[Math.floor(this.#random.next() * nodes.length)]?.name ?? '';
  }

  #create(kind: Parameters<SimCluster['admin']['create']>[0], object: object): void {
    this.#people.do(async () => this.#cluster.admin.create(kind, object));
  }

  /** @param mayForce not without an attacher: nothing would keep the volume on one node then */
  #delete(name: string, mayForce = false): void {
    const isForced = mayForce && this.#random.next() < 0.4;
    const options = isForced ? { gracePeriodSeconds: 0 } : {};
    this.#people.do(async () => this.#cluster.admin.delete(PODS, NAMESPACE, name, options));
  }

  #pod(name: string): Pod | undefined {
    return [...this.#cluster.pods.values()].find((pod) => nameOf(pod) === name);
  }

  #sometimes(forMs: number, everyMs: number, change: () => void): void {
    for (let at = 10_000; ; ) {
      at += -Math.log(1 - this.#random.next()) * everyMs;
      if (at >= forMs) return;
      this.#cluster.sim.after(at, 'people change their minds about volumes of drivers', change);
    }
  }
}

function driverObject({ name, attaches }: DriverKind): object {
  const spec = { attachRequired: attaches, volumeLifecycleModes: ['Persistent', 'Ephemeral'] };
  return { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name }, spec };
}

function volumeOf({ name, driver }: Storer): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Mi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: '',
      claimRef: { namespace: NAMESPACE, name },
      csi: { driver, volumeHandle: handleOf(name) },
    },
  };
}

function claimOf({ name }: Storer): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: NAMESPACE, name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Mi' } },
      storageClassName: '',
      volumeName: name,
    },
  };
}

function podOf({ name: claimName, node, driver, hasInline, behaviour }: Storer, name: string): object {
  const volumeMounts = [
    { name: 'data', mountPath: '/data' },
    ...(hasInline ? [{ name: 'scratch', mountPath: '/scratch' }] : []),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: NAMESPACE, name, labels: { kind: 'storer' } },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node },
      terminationGracePeriodSeconds: GRACE_SECONDS,
      containers: [container('main', behaviour, { volumeMounts })],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName } },
        ...(hasInline ? [{ name: 'scratch', csi: { driver } }] : []),
      ],
    },
  };
}
