/** Nominated pods by node: each waits for room there while its victims end. */
import type { PodInfo } from '../cluster/pod-info.ts';

export class Nominations {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  /** Pod key → node name. */
  readonly #nodeOf = new Map<string, string>();

  /** Replaces the pod's earlier nomination. */
  set(pod: PodInfo, nodeName: string): void {
    this.delete(pod.key);
    this.#nodeOf.set(pod.key, nodeName);
    const pods = this.#byNode.get(nodeName);
    if (pods === undefined) this.#byNode.set(nodeName, new Map([[pod.key, pod]]));
    else pods.set(pod.key, pod);
  }

  /** @returns whether there was a nomination */
  delete(key: string): boolean {
    const nodeName = this.#nodeOf.get(key);
    if (nodeName === undefined) return false;
    this.#nodeOf.delete(key);
    const pods = this.#byNode.get(nodeName);
    pods?.delete(key);
    if (pods?.size === 0) this.#byNode.delete(nodeName);
    return true;
  }

  on(nodeName: string): Iterable<PodInfo> {
    return this.#byNode.get(nodeName)?.values() ?? [];
  }

  nodeOf(key: string): string | undefined {
    return this.#nodeOf.get(key);
  }
}
