/** Nodes with their pods as the listers show them, plus the bindings of ours that the listers do not show yet. */
import type { Node, Pod } from '../api/index.ts';
import { type Lister, objectKey } from '../client/index.ts';
import { type NodeInfo, nodeInfo } from './node-info.ts';

export const BY_NODE = 'node';

/** Index of a pods lister by the node they run on; ended pods take nothing. */
export function nodeNamesOf(pod: Pod): readonly string[] {
  const nodeName = pod.spec?.nodeName ?? '';
  return nodeName === '' || hasEnded(pod) ? [] : [nodeName];
}

export function hasEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export class SchedulerCache {
  readonly #pods: Lister<Pod>;
  readonly #nodes: Lister<Node>;
  /** Pod key → the pod and the node it is being bound to. */
  readonly #assumed = new Map<string, { readonly pod: Pod; readonly nodeName: string }>();

  constructor(pods: Lister<Pod>, nodes: Lister<Node>) {
    this.#pods = pods;
    this.#nodes = nodes;
    pods.onChange(({ type, key, object }) => {
      const assumed = this.#assumed.get(key);
      if (assumed === undefined) return;
      const settled =
        type === 'delete' || (object.spec?.nodeName ?? '') !== '' || object.metadata?.uid !== assumed.pod.metadata?.uid;
      if (settled) this.#assumed.delete(key);
    });
  }

  assume(pod: Pod, nodeName: string): void {
    this.#assumed.set(objectKey(pod), { pod, nodeName });
  }

  /** The binding failed. */
  forget(pod: Pod): void {
    this.#assumed.delete(objectKey(pod));
  }

  isAssumed(key: string): boolean {
    return this.#assumed.has(key);
  }

  infos(): readonly NodeInfo[] {
    return this.#nodes
      .list()
      .filter((node) => node.metadata?.deletionTimestamp === undefined)
      .map((node) => {
        const name = node.metadata?.name ?? '';
        const coming = [...this.#assumed.values()].filter(({ nodeName }) => nodeName === name).map(({ pod }) => pod);
        return nodeInfo(node, [...this.#pods.byIndex(BY_NODE, name), ...coming]);
      });
  }
}
