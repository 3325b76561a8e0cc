/**
 * Nodes with their pods as the watch shows them, kept up to date change by change, plus our bindings that the watch does not
 * show yet. All decisions use one cache, which is never rebuilt.
 */
import type { Node, Pod } from '../../api/index.ts';
import { NodeInfo } from './node-info.ts';
import { hasEnded, type PodInfo, podInfo } from './pod-info.ts';

export class SchedulerCache {
  readonly #infos = new Map<string, NodeInfo>();
  /** The nodes that exist; undefined: the list must be made again. */
  #nodes: readonly NodeInfo[] | undefined;
  /** Pod key → where it is counted. */
  readonly #places = new Map<string, string>();
  readonly #assumed = new Map<string, PodInfo>();
  readonly #imageNodes = new Map<string, number>();

  /** Nodes that exist and stay. */
  get nodes(): readonly NodeInfo[] {
    this.#nodes ??= [...this.#infos.values()].filter(({ node }) => node !== undefined);
    return this.#nodes;
  }

  /** Undefined unless the node exists. */
  node(name: string): NodeInfo | undefined {
    const info = this.#infos.get(name);
    return info?.node === undefined ? undefined : info;
  }

  imageSpread(image: string): number {
    return this.#imageNodes.get(image) ?? 0;
  }

  /** A node that is being deleted takes no pods any more. */
  setNode(node: Node): NodeInfo | undefined {
    const name = node.metadata?.name ?? '';
    if (node.metadata?.deletionTimestamp !== undefined) {
      this.deleteNode(name);
      return undefined;
    }
    const info = this.#infoOf(name);
    if (info.node === undefined) this.#nodes = undefined;
    this.#countImages(info, -1);
    info.setNode(node);
    this.#countImages(info, 1);
    return info;
  }

  deleteNode(name: string): void {
    const info = this.#infos.get(name);
    if (info === undefined) return;
    this.#countImages(info, -1);
    info.setNode(undefined);
    this.#nodes = undefined;
    this.#dropIfUnused(info);
  }

  /** Applies a pod as the watch shows it. */
  setPod(pod: Pod): void {
    const info = podInfo(pod);
    const nodeName = pod.spec?.nodeName ?? '';
    const assumed = this.#assumed.get(info.key);
    if (nodeName === '') {
      // The watch shows the pod unbound. Our assumed binding stays as long as it is the same pod.
      if (assumed === undefined || assumed.uid !== info.uid || hasEnded(pod)) this.deletePod(info.key);
      return;
    }
    this.#assumed.delete(info.key);
    if (hasEnded(pod)) this.#remove(info.key);
    else this.#put(info, nodeName);
  }

  deletePod(key: string): void {
    this.#assumed.delete(key);
    this.#remove(key);
  }

  /** Counts the pod on the node before its binding is written. */
  assume(pod: PodInfo, nodeName: string): void {
    this.#assumed.set(pod.key, pod);
    this.#put(pod, nodeName);
  }

  /** Takes back `assume` after a failed binding. @returns false when the watch has shown the pod's binding or end meanwhile */
  forget(pod: PodInfo): boolean {
    if (this.#assumed.get(pod.key) !== pod) return false;
    this.deletePod(pod.key);
    return true;
  }

  isAssumed(key: string): boolean {
    return this.#assumed.has(key);
  }

  #put(pod: PodInfo, nodeName: string): void {
    if (this.#places.get(pod.key) !== nodeName) this.#remove(pod.key);
    this.#places.set(pod.key, nodeName);
    this.#infoOf(nodeName).addPod(pod);
  }

  #remove(key: string): void {
    const nodeName = this.#places.get(key);
    if (nodeName === undefined) return;
    this.#places.delete(key);
    const info = this.#infos.get(nodeName);
    info?.removeByKey(key);
    if (info !== undefined) this.#dropIfUnused(info);
  }

  #infoOf(name: string): NodeInfo {
    let info = this.#infos.get(name);
    if (info === undefined) {
      info = new NodeInfo(name);
      this.#infos.set(name, info);
    }
    return info;
  }

  #dropIfUnused(info: NodeInfo): void {
    if (info.node === undefined && info.podCount === 0) this.#infos.delete(info.name);
  }

  #countImages(info: NodeInfo, by: 1 | -1): void {
    for (const name of info.images.keys()) {
      const count = (this.#imageNodes.get(name) ?? 0) + by;
      if (count === 0) this.#imageNodes.delete(name);
      else this.#imageNodes.set(name, count);
    }
  }
}
