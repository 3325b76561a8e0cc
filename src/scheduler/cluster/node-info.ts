/** A node with its resources and the sums of what its pods request, kept up to date pod by pod. */
import { matchesLabels, type Node, type ParsedLabelSelector } from '../../api/index.ts';
import { type Amounts, toAmounts } from './amounts.ts';
import type { PodInfo } from './pod-info.ts';

const NO_LABELS: Readonly<Record<string, string>> = {};

export class NodeInfo {
  readonly name: string;
  #node: Node | undefined;
  #allocatable: Amounts = {};
  #images: ReadonlyMap<string, number> = new Map();
  readonly #requested: Record<string, number> = {};
  #scoredCpu = 0;
  #scoredMemory = 0;
  readonly #pods = new Map<string, PodInfo>();
  readonly #withAffinity = new Map<string, PodInfo>();
  readonly #withPorts = new Map<string, PodInfo>();
  readonly #withClaims = new Map<string, PodInfo>();
  /** Answers of `countMatching`, until the pods change. */
  readonly #counts = new Map<string, number>();

  constructor(name: string) {
    this.name = name;
  }

  /** A node with these pods, for tests and for clusters that are made from lists. */
  static of(node: Node, pods: readonly PodInfo[] = []): NodeInfo {
    const info = new NodeInfo(node.metadata?.name ?? '');
    info.setNode(node);
    for (const pod of pods) info.addPod(pod);
    return info;
  }

  /** Undefined: pods name the node, but it is gone or does not exist yet. */
  get node(): Node | undefined {
    return this.#node;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#node?.metadata?.labels ?? NO_LABELS;
  }

  get allocatable(): Amounts {
    return this.#allocatable;
  }

  get requested(): Amounts {
    return this.#requested;
  }

  /** Sums with upstream's stand-ins for pods that ask for nothing. */
  get scoredCpu(): number {
    return this.#scoredCpu;
  }

  get scoredMemory(): number {
    return this.#scoredMemory;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  /** Name of an image there → its bytes. */
  get images(): ReadonlyMap<string, number> {
    return this.#images;
  }

  pods(): Iterable<PodInfo> {
    return this.#pods.values();
  }

  podsWithAffinity(): Iterable<PodInfo> {
    return this.#withAffinity.values();
  }

  get hasAffinity(): boolean {
    return this.#withAffinity.size > 0;
  }

  podsWithPorts(): Iterable<PodInfo> {
    return this.#withPorts.values();
  }

  podsWithClaims(): Iterable<PodInfo> {
    return this.#withClaims.values();
  }

  has(key: string): boolean {
    return this.#pods.has(key);
  }

  setNode(node: Node | undefined): void {
    this.#node = node;
    this.#allocatable = toAmounts(node?.status?.allocatable ?? {});
    const images = new Map<string, number>();
    for (const { names, sizeBytes = 0 } of node?.status?.images ?? [])
      for (const name of names ?? []) images.set(name, sizeBytes);
    this.#images = images;
  }

  addPod(pod: PodInfo): void {
    this.removeByKey(pod.key);
    this.#pods.set(pod.key, pod);
    if (pod.hasAffinity) this.#withAffinity.set(pod.key, pod);
    if (pod.hostPorts.length > 0) this.#withPorts.set(pod.key, pod);
    if (pod.claims.length > 0) this.#withClaims.set(pod.key, pod);
    this.#sum(pod, 1);
  }

  removePod(pod: PodInfo): void {
    this.removeByKey(pod.key);
  }

  removeByKey(key: string): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    this.#pods.delete(key);
    this.#withAffinity.delete(key);
    this.#withPorts.delete(key);
    this.#withClaims.delete(key);
    this.#sum(pod, -1);
  }

  /** The number of pods of the namespace that the selector matches and that are not being deleted. `text` names the selector. */
  countMatching(namespace: string, text: string, selector: ParsedLabelSelector): number {
    const question = `${namespace} ${text}`;
    const known = this.#counts.get(question);
    if (known !== undefined) return known;
    let count = 0;
    for (const pod of this.#pods.values()) {
      if (pod.namespace === namespace && !pod.ending && matchesLabels(selector, pod.labels)) count += 1;
    }
    this.#counts.set(question, count);
    return count;
  }

  #sum(pod: PodInfo, sign: 1 | -1): void {
    for (const name of Object.keys(pod.amounts))
      this.#requested[name] = (this.#requested[name] ?? 0) + sign * (pod.amounts[name] ?? 0);
    this.#scoredCpu += sign * pod.scoredCpu;
    this.#scoredMemory += sign * pod.scoredMemory;
    this.#counts.clear();
  }
}
