/** The stored objects of a few kinds, in the order of the store's log; invariants are checked against them. */
import type {
  DaemonSet,
  Deployment,
  Job,
  KubeObject,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  StatefulSet,
} from '../../api/index.ts';
import { decodeText } from '../../lib/index.ts';
import type { Store } from '../../store/index.ts';
import type { Sim } from '../sim.ts';

export class Stored<T extends KubeObject> {
  /** Objects by key below the prefix: "namespace/name" or "name". */
  readonly objects = new Map<string, T>();
  readonly #listeners: ((key: string, object: T | undefined, before: T | undefined) => void)[] = [];

  constructor(sim: Sim, store: Store, prefix: string) {
    void this.#follow(store, prefix).catch((error: unknown) => sim.fail(error));
  }

  /** Adds a listener; its `object` is undefined after a deletion. A listener that throws ends the run. */
  onChange(listener: (key: string, object: T | undefined, before: T | undefined) => void): void {
    this.#listeners.push(listener);
  }

  list(): readonly T[] {
    return [...this.objects.values()];
  }

  async #follow(store: Store, prefix: string): Promise<void> {
    for await (const { events } of store.watch(prefix, 0, new AbortController().signal)) {
      for (const { type, key, value } of events) {
        const short = key.slice(prefix.length);
        const before = this.objects.get(short);
        const object = type === 'put' ? (JSON.parse(decodeText(value)) as T) : undefined;
        if (object === undefined) this.objects.delete(short);
        else this.objects.set(short, object);
        for (const listener of this.#listeners) listener(short, object, before);
      }
    }
  }
}

export interface StoredFleet {
  readonly pods: Stored<Pod>;
  readonly nodes: Stored<Node>;
  readonly deployments: Stored<Deployment>;
  readonly replicaSets: Stored<ReplicaSet>;
  readonly statefulSets: Stored<StatefulSet>;
  readonly daemonSets: Stored<DaemonSet>;
  readonly jobs: Stored<Job>;
  readonly claims: Stored<PersistentVolumeClaim>;
  readonly volumes: Stored<PersistentVolume>;
}

export function followStore(sim: Sim, store: Store): StoredFleet {
  return {
    pods: new Stored(sim, store, '/registry/pods/'),
    nodes: new Stored(sim, store, '/registry/minions/'),
    deployments: new Stored(sim, store, '/registry/deployments/'),
    replicaSets: new Stored(sim, store, '/registry/replicasets/'),
    statefulSets: new Stored(sim, store, '/registry/statefulsets/'),
    daemonSets: new Stored(sim, store, '/registry/daemonsets/'),
    jobs: new Stored(sim, store, '/registry/jobs/'),
    claims: new Stored(sim, store, '/registry/persistentvolumeclaims/'),
    volumes: new Stored(sim, store, '/registry/persistentvolumes/'),
  };
}
