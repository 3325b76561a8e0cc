/**
 * Tells the node's packet filter where the host ports of its pods lead: after each pass over a pod, and before that as soon as the
 * runtime announces the end of its sandbox. A read that denies the end puts them back.
 */
import type { Pod } from '../../api/index.ts';
import { sandboxesOf } from '../plan/plan-sandbox.ts';
import { hostPortsOf } from '../pods/host-ports.ts';
import type { HostPortSandbox, PodHostPorts } from '../ports.ts';
import type { PodObservation, PodUID } from '../types.ts';

interface Mapped {
  readonly sandboxId: string;
  readonly sandbox: HostPortSandbox;
  /** Its end is announced, and no pass has seen it yet. */
  isAnnounced: boolean;
}

export class HostPortKeeper {
  readonly #port: PodHostPorts;
  readonly #pods = new Map<PodUID, Mapped>();
  /** Pods that were told of; undefined: it does not matter any more. */
  #told: Set<PodUID> | undefined = new Set();

  constructor(port: PodHostPorts) {
    this.#port = port;
  }

  /** A pass over the pod has ended. */
  passed(uid: PodUID, { pod, observed }: { readonly pod: Pod; readonly observed: PodObservation | undefined }): void {
    const [newest] = sandboxesOf(observed);
    if (newest?.state !== 'ready' || newest.hostNetwork || newest.ips.length === 0) {
      this.#pods.delete(uid);
      this.#port.map(uid, undefined);
    } else {
      const { id, createdAt, ips } = newest;
      const known = this.#pods.get(uid);
      const isAnnounced = known?.sandboxId === id && known.isAnnounced;
      const sandbox = { createdAt, addresses: ips, ports: hostPortsOf(pod) };
      this.#pods.set(uid, { sandboxId: id, sandbox, isAnnounced });
      this.#port.map(uid, isAnnounced ? undefined : sandbox);
    }
    this.#told?.add(uid);
  }

  /** The runtime announces that a container or sandbox of the pod has ended. */
  announced(uid: PodUID, id: string): void {
    const mapped = this.#pods.get(uid);
    if (mapped?.sandboxId !== id) return;
    mapped.isAnnounced = true;
    this.#port.map(uid, undefined);
  }

  /** Reads of the runtime do not show what was announced. */
  denied(id: string): void {
    for (const [uid, mapped] of this.#pods) {
      if (mapped.sandboxId !== id || !mapped.isAnnounced) continue;
      mapped.isAnnounced = false;
      this.#port.map(uid, mapped.sandbox);
    }
  }

  /** Nothing is left of the pod. */
  forget(uid: PodUID): void {
    this.#pods.delete(uid);
    this.#port.map(uid, undefined);
    this.#told?.delete(uid);
  }

  /** @param observed the pods that the runtime has, once it and all sources of pods have been read */
  known(observed: readonly PodUID[]): void {
    if (this.#told === undefined || !observed.every((uid) => this.#told?.has(uid))) return;
    this.#told = undefined;
    this.#port.settled();
  }
}
