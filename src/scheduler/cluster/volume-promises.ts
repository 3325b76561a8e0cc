/**
 * The nodes and volumes that decisions have promised to claims and that the watch does not show yet, and the nodes that could
 * not keep such a promise.
 */
import { namespacedName, type PersistentVolumeClaim, uidOf } from '../../api/index.ts';
import type { Clock } from '../../lib/index.ts';
import { REFUSED_NODE_MS } from '../limits.ts';

export interface VolumePromise {
  readonly claim: PersistentVolumeClaim;
  readonly nodeName: string;
  /** An existing volume; absent: a new one is to be made on the node. */
  readonly volume?: string;
}

/** What filters ask. */
export interface Promised {
  of(claim: PersistentVolumeClaim): VolumePromise | undefined;
  hasVolume(name: string): boolean;
  /** Whether the node could not make the claim's volume a short while ago. */
  refused(claim: PersistentVolumeClaim, nodeName: string): boolean;
}

export const NOTHING_PROMISED: Promised = { of: () => undefined, hasVolume: () => false, refused: () => false };

export class VolumePromises implements Promised {
  readonly #clock: Clock;
  /** Claim → its promise, and the pods that hold it. */
  readonly #promises = new Map<string, { readonly promise: VolumePromise; readonly holders: Set<string> }>();
  /** Claim's UID → node → when the refusal is forgotten, monotonic ms. */
  readonly #refused = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(claim: PersistentVolumeClaim): VolumePromise | undefined {
    const promise = this.#promises.get(namespacedName(claim))?.promise;
    return promise !== undefined && uidOf(promise.claim) === uidOf(claim) ? promise : undefined;
  }

  hasVolume(name: string): boolean {
    for (const { promise } of this.#promises.values()) if (promise.volume === name) return true;
    return false;
  }

  refused(claim: PersistentVolumeClaim, nodeName: string): boolean {
    const until = this.#refused.get(uidOf(claim))?.get(nodeName);
    return until !== undefined && this.#clock.now().mono < until;
  }

  /** Pods that share a claim share its promise. */
  make(podKey: string, promises: readonly VolumePromise[]): void {
    for (const promise of promises) {
      const key = namespacedName(promise.claim);
      const known = this.#promises.get(key);
      const isSame = known !== undefined && uidOf(known.promise.claim) === uidOf(promise.claim);
      const holders = isSame ? known.holders : new Set<string>();
      holders.add(podKey);
      this.#promises.set(key, { promise, holders });
    }
  }

  /** The pod needs its promises no more: they are kept, or cannot be. */
  end(podKey: string): void {
    for (const [key, { holders }] of this.#promises) {
      holders.delete(podKey);
      if (holders.size === 0) this.#promises.delete(key);
    }
  }

  /** Other nodes are tried first for a while, REFUSED_NODE_MS. */
  refuse(claim: PersistentVolumeClaim, nodeName: string): void {
    const now = this.#clock.now().mono;
    for (const [uid, nodes] of this.#refused) {
      for (const [node, until] of nodes) if (until <= now) nodes.delete(node);
      if (nodes.size === 0) this.#refused.delete(uid);
    }
    const nodes = this.#refused.get(uidOf(claim)) ?? new Map<string, number>();
    nodes.set(nodeName, now + REFUSED_NODE_MS);
    this.#refused.set(uidOf(claim), nodes);
  }
}
