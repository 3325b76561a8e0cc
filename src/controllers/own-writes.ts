/**
 * Read your own writes: after a reconcile wrote, its key waits until the listers show the write, so that no decision rests on
 * a state that the controller itself has changed (KEP-5647 does the same by skipping).
 */
import type { KubeObject, Resource } from '../api/index.ts';
import type { Lister } from '../client/index.ts';

interface Write {
  readonly lister: Lister<KubeObject>;
  readonly resourceVersion: string;
}

/** A write without an answer: it took effect or it did not. */
export interface Doubt {
  readonly lister: Lister<KubeObject>;
  readonly resource: Resource<KubeObject>;
  /** The namespace of the write; absent for cluster-wide objects. */
  readonly namespace: string | undefined;
}

export class OwnWrites {
  readonly #writes = new Map<string, Write[]>();
  readonly #doubts = new Map<string, Doubt[]>();
  readonly #parked = new Set<string>();
  readonly #watched = new Set<unknown>();
  readonly #wake: (key: string) => void;

  /** `wake` is called for a parked key whose writes have all been seen. */
  constructor(wake: (key: string) => void) {
    this.#wake = wake;
  }

  record(key: string, lister: Lister<KubeObject>, resourceVersion: string | undefined): void {
    if (resourceVersion === undefined || lister.reached(resourceVersion)) return;
    const writes = this.#writes.get(key);
    if (writes === undefined) this.#writes.set(key, [{ lister, resourceVersion }]);
    else writes.push({ lister, resourceVersion });
    if (this.#watched.has(lister)) return;
    this.#watched.add(lister);
    lister.onProgress(() => this.#wakeParked());
  }

  /** A write ended without an answer: the lister may not be relied on before `resolve`. */
  doubt(key: string, doubt: Doubt): void {
    const doubts = this.#doubts.get(key) ?? [];
    const known = doubts.some(({ lister, namespace }) => lister === doubt.lister && namespace === doubt.namespace);
    if (!known) this.#doubts.set(key, [...doubts, doubt]);
  }

  doubtsOf(key: string): readonly Doubt[] {
    return this.#doubts.get(key) ?? [];
  }

  /**
   * The server was read after the write in doubt, and the newest object had this version (undefined: there was none):
   * whatever happened to the write, the lister shows it at that version.
   */
  resolve(key: string, doubt: Doubt, resourceVersion: string | undefined): void {
    const left = this.doubtsOf(key).filter((each) => each !== doubt);
    if (left.length === 0) this.#doubts.delete(key);
    else this.#doubts.set(key, [...left]);
    this.record(key, doubt.lister, resourceVersion);
  }

  /** True when nothing that this key wrote is still unseen; otherwise the key is parked and will be woken. */
  seen(key: string): boolean {
    const unseen = (this.#writes.get(key) ?? []).filter((write) => !write.lister.reached(write.resourceVersion));
    if (unseen.length > 0) {
      this.#writes.set(key, unseen);
      this.#parked.add(key);
      return false;
    }
    this.#writes.delete(key);
    return true;
  }

  #wakeParked(): void {
    for (const key of this.#parked) {
      const unseen = (this.#writes.get(key) ?? []).some((write) => !write.lister.reached(write.resourceVersion));
      if (unseen) continue;
      this.#parked.delete(key);
      this.#wake(key);
    }
  }
}
