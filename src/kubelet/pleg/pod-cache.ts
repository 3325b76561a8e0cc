/** The last reading of each pod, and the owner of each id. Every change is reported once, as PLEG events. */
import type { ContainerStatus, SandboxStatus } from '../../cri/index.ts';
import type { PodObservation, PodUID } from '../types.ts';
import { diffSnapshots, isSyncWorthy } from './diff.ts';
import {
  buildObservation,
  hasEnding,
  keepSingles,
  type PodRecord,
  recordOf,
  singlesSince,
  withContainer,
  withSandbox,
} from './observation.ts';
import type { PodReads } from './pod-reader.ts';

export interface Owner {
  readonly uid: PodUID;
  readonly kind: 'sandbox' | 'container';
}

/** Called after the cache shows it. */
export type OnChange = (uid: PodUID) => void;

const NOTHING: PodReads = { sandboxes: [], containers: [] };

export class PodCache {
  readonly #records = new Map<PodUID, PodRecord>();
  readonly #owners = new Map<string, Owner>();

  get(uid: PodUID): PodRecord | undefined {
    return this.#records.get(uid);
  }

  uids(): PodUID[] {
    return [...this.#records.keys()];
  }

  records(): Iterable<PodRecord> {
    return this.#records.values();
  }

  ownerOf(id: string): Owner | undefined {
    return this.#owners.get(id);
  }

  container(id: string): ContainerStatus | undefined {
    const owner = this.#owners.get(id);
    if (owner === undefined) return undefined;
    return this.#records.get(owner.uid)?.observation.containers.find((each) => each.id === id);
  }

  sandbox(id: string): SandboxStatus | undefined {
    const owner = this.#owners.get(id);
    if (owner === undefined) return undefined;
    return this.#records.get(owner.uid)?.observation.sandboxes.find((each) => each.id === id);
  }

  /**
   * A whole pod was read (no reads: nothing of it exists), beginning at `at` as number `seq`. A read that began before the
   * cached one is dropped. Returns whether the worker must look at the pod.
   */
  putPod(uid: PodUID, reads: PodReads | undefined, at: number, seq: number): boolean {
    const known = this.#records.get(uid);
    if (known !== undefined && known.seq > seq) return false;
    const singles = singlesSince(known, seq);
    const { sandboxes, containers } = keepSingles(known, reads ?? NOTHING, singles);
    const observation = buildObservation(uid, sandboxes, containers, at, known?.observation);
    return this.#replace(uid, known, observation && recordOf(observation, seq, singles));
  }

  /** One container of a known sandbox was read, beginning as number `seq`; `undefined`: it is gone. */
  putContainer(uid: PodUID, id: string, status: ContainerStatus | undefined, seq: number): boolean {
    const known = this.#records.get(uid);
    return known !== undefined && this.#replace(uid, known, withContainer(known, id, status, seq));
  }

  putSandbox(uid: PodUID, id: string, status: SandboxStatus | undefined, seq: number): boolean {
    const known = this.#records.get(uid);
    return known !== undefined && this.#replace(uid, known, withSandbox(known, id, status, seq));
  }

  #replace(uid: PodUID, known: PodRecord | undefined, record: PodRecord | undefined): boolean {
    if (known !== undefined) for (const id of known.snapshot.keys()) this.#owners.delete(id);
    if (record === undefined) this.#records.delete(uid);
    else this.#records.set(uid, record);
    if (record !== undefined) this.#index(uid, record.observation);
    const putAway = hasEnding(known?.observation) && !hasEnding(record?.observation);
    return putAway || diffSnapshots(known?.snapshot, record?.snapshot).some(isSyncWorthy);
  }

  #index(uid: PodUID, observation: PodObservation): void {
    for (const { id } of observation.sandboxes) this.#owners.set(id, { uid, kind: 'sandbox' });
    for (const { id } of observation.containers) this.#owners.set(id, { uid, kind: 'container' });
  }
}
