/**
 * The pods that should run here: the only "desired". Sources (the API server, the manifest folder) put pods in and take them
 * out; a change marks the pod dirty. A pod that was taken out is kept, as it was last seen, until its worker is done with it.
 */
import type { Pod } from '../../api/index.ts';
import type { MarkDirty, PodUID } from '../types.ts';

export interface DesiredPod {
  readonly pod: Pod;
  /** Its source still has it. */
  readonly wanted: boolean;
}

export interface PodSource {
  /** For logs and health. */
  readonly name: string;
  put(pod: Pod): void;
  /** `pod` as it was last seen. */
  remove(pod: Pod): void;
  /** All that the source has has been put. */
  markSynced(): void;
}

export class DesiredPods {
  readonly #markDirty: MarkDirty;
  readonly #pods = new Map<PodUID, DesiredPod>();
  readonly #unsynced = new Set<string>();
  readonly #listeners: ((pod: Pod) => void)[] = [];
  readonly #onArrival: ((pod: Pod) => void)[] = [];
  #onSynced: (() => void) | undefined;

  constructor(markDirty: MarkDirty) {
    this.#markDirty = markDirty;
  }

  /** A seat for one source. Until it is synced, nothing is concluded from a pod's absence. */
  addSource(name: string): PodSource {
    this.#unsynced.add(name);
    return {
      name,
      put: (pod) => this.#set(pod, true),
      remove: (pod) => this.#set(pod, false),
      markSynced: () => {
        if (this.#unsynced.delete(name) && this.#unsynced.size === 0) this.#onSynced?.();
      },
    };
  }

  get(uid: PodUID): DesiredPod | undefined {
    return this.#pods.get(uid);
  }

  all(): readonly DesiredPod[] {
    return [...this.#pods.values()];
  }

  uids(): readonly PodUID[] {
    return [...this.#pods.keys()];
  }

  /** Every source has delivered everything: a pod that is not here is not wanted. */
  synced(): boolean {
    return this.#unsynced.size === 0;
  }

  /** Sources that have not. */
  unsynced(): readonly string[] {
    return [...this.#unsynced];
  }

  /** Called once, when the last source is synced. */
  onSynced(listener: () => void): void {
    this.#onSynced = listener;
  }

  /** Called with each pod that comes, changes or goes. */
  onChange(listener: (pod: Pod) => void): void {
    this.#listeners.push(listener);
  }

  /** Called with each pod that a source puts for the first time. */
  onArrival(listener: (pod: Pod) => void): void {
    this.#onArrival.push(listener);
  }

  /** Its worker is done with a pod that is wanted no more. */
  forget(uid: PodUID): void {
    if (this.#pods.get(uid)?.wanted === false) this.#pods.delete(uid);
  }

  #set(pod: Pod, wanted: boolean): void {
    const uid = pod.metadata?.uid;
    if (uid === undefined || uid === '') return;
    const isNew = !this.#pods.has(uid);
    if (!wanted && isNew) return;
    this.#pods.set(uid, { pod, wanted });
    this.#markDirty(uid, 'config');
    for (const listener of isNew ? this.#onArrival : []) listener(pod);
    for (const listener of this.#listeners) listener(pod);
  }
}
