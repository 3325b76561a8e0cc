/** A whole cluster in one process: control plane, nodes, and the facts of their true events. */
import type { EndpointSlice, PersistentVolume, PersistentVolumeClaim, Pod, PodRestart, Service } from '../api/index.ts';
import { type KubeClient } from '../client/index.ts';
import { type Connection, type Logger, decodeText } from '../lib/index.ts';
import type { StoreEvent } from '../store/index.ts';
import { type DriverKind, noDriverFaults } from './drivers/sim-driver.ts';
import { StorageLaws } from './drivers/storage-laws.ts';
import { SimAttacher } from './drivers/sim-attacher.ts';
import { simHash } from './drivers/sim-plugins.ts';
import { Facts } from './facts.ts';
import { Stored } from './fleet/stored.ts';
import type { Life } from './life.ts';
import { createSimConnection } from './sim-connection.ts';
import { SimControlPlane } from './sim-control-plane.ts';
import { type RunAgent, SimNode } from './sim-node.ts';
import { noFilterFaults } from './sim-router-machine.ts';
import type { Sim } from './sim.ts';

/** 10.244.0.0/16 is the network of the first node's pods. */
const FIRST_POD_NETWORK = 244;
const SERVICES_PREFIX = '/registry/services/specs/';
const SLICES_PREFIX = '/registry/endpointslices/';
const PODS_PREFIX = '/registry/pods/';
const NAMESPACES_PREFIX = '/registry/namespaces/';
const RESTARTS_PREFIX = '/registry/mendlet.dev/podrestarts/';

export interface SimClusterOptions {
  readonly sim: Sim;
  readonly nodes: number;
  readonly runAgent: RunAgent;
  readonly logger: Logger;
  /** The nodes make volumes, and there is a class for them. */
  readonly hasVolumes?: boolean;
  /** The drivers of all nodes. */
  readonly drivers?: readonly DriverKind[];
}

/** Of the cluster's volumes. */
export const VOLUME_CLASS = 'folders';

export class SimCluster {
  readonly sim: Sim;
  readonly facts: Facts;
  readonly controlPlane: SimControlPlane;
  readonly nodes: readonly SimNode[];
  readonly admin: KubeClient;
  /** Names of the stored namespaces. */
  readonly namespaces = new Set<string>();
  /** The stored pods, by UID. */
  readonly pods = new Map<string, Pod>();
  /** The stored Services and EndpointSlices, by key. */
  readonly services = new Map<string, Service>();
  readonly slices = new Map<string, EndpointSlice>();
  /** The stored claims and volumes. */
  readonly claims: Stored<PersistentVolumeClaim>;
  readonly volumes: Stored<PersistentVolume>;
  /** The stored PodRestarts, by key. */
  readonly restarts = new Map<string, PodRestart>();
  /** What holds of the volumes of drivers. */
  readonly laws: StorageLaws;
  /** One for each driver whose volumes must be attached. */
  readonly attachers: readonly SimAttacher[];

  constructor({ sim, nodes, runAgent, logger, hasVolumes = false, drivers: kinds = [] }: SimClusterOptions) {
    this.sim = sim;
    this.facts = new Facts(sim);
    this.laws = new StorageLaws(this.facts);
    this.controlPlane = new SimControlPlane(
      sim,
      logger,
      kinds.some(({ attaches }) => attaches) ? { attachDetach: { hash: simHash } } : {},
      hasVolumes ? (life) => ({ className: VOLUME_CLASS, connectionOf: this.#kubeletsFor(life) }) : undefined,
    );
    this.claims = new Stored(sim, this.controlPlane.store, '/registry/persistentvolumeclaims/');
    this.volumes = new Stored(sim, this.controlPlane.store, '/registry/persistentvolumes/');
    this.admin = this.controlPlane.adminClient('admin');
    const { store } = this.controlPlane;
    const ground = { sim, laws: this.laws, store, client: this.admin };
    this.attachers = kinds.flatMap(({ name, attaches }) => (attaches ? new SimAttacher(ground, name) : []));
    this.nodes = Array.from({ length: nodes }, (_, i) => {
      const name = `node${i + 1}`;
      const user = { name: `system:node:${name}`, groups: ['system:nodes'] };
      const server = this.controlPlane.as(user);
      const place = { name, address: `192.168.0.${i + 1}`, podPrefix: `10.${FIRST_POD_NETWORK + i}` };
      const drivers = { kinds, laws: this.laws };
      return new SimNode({ sim, facts: this.facts, place, server, runAgent, logger, hasVolumes, drivers });
    });
  }

  /** The way from a process of the control plane to the kubelets: the node's own link, with its faults. */
  #kubeletsFor(life: Life): (name: string) => Connection | undefined {
    const random = this.sim.random.split(`kubelets of ${life.name}`);
    return (name) => {
      const node = this.nodes.find((each) => each.name === name);
      if (node === undefined) return undefined;
      return createSimConnection({ sim: this.sim, life, link: node.link, random, server: () => node.kubelet });
    };
  }

  start(): void {
    void this.#observe(PODS_PREFIX, (event) => this.#onPod(event));
    void this.#observe(NAMESPACES_PREFIX, (event) => this.#onNamespace(event));
    void this.#observe(SERVICES_PREFIX, (event) => this.#onService(event));
    void this.#observe(SLICES_PREFIX, (event) => this.#onSlice(event));
    void this.#observe(RESTARTS_PREFIX, (event) => this.#onRestart(event));
    this.controlPlane.start();
    for (const attacher of this.attachers) attacher.start();
    for (const node of this.nodes) node.startAgent();
  }

  /** Ends all faults and starts everything that is down. */
  heal(): void {
    this.controlPlane.startServer();
    this.controlPlane.link.heal();
    for (const attacher of this.attachers) attacher.isDown = false;
    for (const node of this.nodes) {
      Object.assign(node.runtimeFaults, {
        slow: 0,
        failBefore: 0,
        failAfter: 0,
        hang: 0,
        loseEvents: 0,
        repeatEvents: 0,
        lateEvents: 0,
      });
      Object.assign(node.filterFaults, noFilterFaults());
      node.link.heal();
      node.disk.setFull(false);
      node.images.registryDown = false;
      node.runtime.comeUp();
      for (const driver of node.drivers) {
        Object.assign(driver.faults, noDriverFaults());
        // One that hangs is restarted by somebody.
        driver.die();
        driver.start();
      }
      node.startAgent();
    }
  }

  /** Reports every commit of the store below `prefix`. */
  async #observe(prefix: string, tell: (event: StoreEvent) => void): Promise<void> {
    try {
      for await (const { events } of this.controlPlane.store.watch(prefix, 0, new AbortController().signal)) {
        for (const event of events) tell(event);
      }
    } catch (error) {
      this.sim.fail(error);
    }
  }

  #onPod({ type, value, revision }: StoreEvent): void {
    const pod = JSON.parse(decodeText(value)) as Pod;
    const uid = pod.metadata?.uid ?? '';
    if (type === 'put') this.pods.set(uid, pod);
    else this.pods.delete(uid);
    this.facts.tell({ kind: type === 'put' ? 'pod-written' : 'pod-deleted', pod, revision });
  }

  #onNamespace({ type, key }: StoreEvent): void {
    const name = key.slice(NAMESPACES_PREFIX.length);
    if (type === 'put') this.namespaces.add(name);
    else this.namespaces.delete(name);
  }

  #onService({ type, key, value, revision }: StoreEvent): void {
    const stored = JSON.parse(decodeText(value)) as Service;
    const service = { ...stored, metadata: { ...stored.metadata, resourceVersion: String(revision) } };
    if (type === 'put') this.services.set(key, service);
    else this.services.delete(key);
    this.facts.tell({ kind: type === 'put' ? 'service-written' : 'service-deleted', service });
  }

  #onSlice({ type, key, value }: StoreEvent): void {
    if (type === 'put') this.slices.set(key, JSON.parse(decodeText(value)) as EndpointSlice);
    else this.slices.delete(key);
  }

  #onRestart({ type, key, value }: StoreEvent): void {
    if (type !== 'put') {
      this.restarts.delete(key);
      return;
    }
    const restart = JSON.parse(decodeText(value)) as PodRestart;
    this.restarts.set(key, restart);
    this.facts.tell({ kind: 'restart-written', restart });
  }

  /** Remains on nodes of pods that are gone, if there are any. */
  leftovers(): string | undefined {
    for (const node of this.nodes) {
      const left = node.leftovers();
      if (left !== undefined) return `${node.name} still has ${left}`;
    }
    return undefined;
  }
}
