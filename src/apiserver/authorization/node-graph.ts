/**
 * Which node has to do with which object: through the pods that are bound to it, and through their claims to their volumes
 * (upstream: the node authorizer's Graph). Fed by the watch caches.
 *
 *   node ← pod ← secret, configmap, service account, claim ← volume
 */
import type { PersistentVolume, Pod } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { referencesOf, vertexOf } from './pod-references.ts';

interface Bound {
  readonly node: string;
  readonly vertices: readonly string[];
}

export class NodeGraph {
  /** By "NAMESPACE/NAME" of the pod. */
  readonly #pods = new Map<string, Bound>();
  /** By vertex, then by node: how many of its pods name it. */
  readonly #counts = new Map<string, Map<string, number>>();
  /** By name of the volume: the vertex of its claim. */
  readonly #claims = new Map<string, string>();

  applyPod(now: ApiObject | undefined, known: ApiObject | undefined): void {
    const { namespace = '', name = '' } = (now ?? known)?.metadata ?? {};
    const key = `${namespace}/${name}`;
    this.#forget(key);
    const pod = now as Pod | undefined;
    const node = pod?.spec?.nodeName ?? '';
    if (pod === undefined || node === '') return;
    const bound = { node, vertices: referencesOf(pod) };
    this.#pods.set(key, bound);
    for (const vertex of bound.vertices) this.#count(vertex, node, 1);
  }

  replacePods(pods: Iterable<ApiObject>): void {
    this.#pods.clear();
    this.#counts.clear();
    for (const pod of pods) this.applyPod(pod, undefined);
  }

  applyVolume(now: ApiObject | undefined, known: ApiObject | undefined): void {
    const { name = '' } = (now ?? known)?.metadata ?? {};
    const claim = (now as PersistentVolume | undefined)?.spec?.claimRef;
    if (claim?.name === undefined) this.#claims.delete(name);
    else this.#claims.set(name, vertexOf('persistentvolumeclaims', claim.namespace ?? '', claim.name));
  }

  replaceVolumes(volumes: Iterable<ApiObject>): void {
    this.#claims.clear();
    for (const volume of volumes) this.applyVolume(volume, undefined);
  }

  isPodOf(node: string, namespace: string, name: string): boolean {
    return this.#pods.get(`${namespace}/${name}`)?.node === node;
  }

  /** True when a pod on the node leads to the object that the vertex stands for. */
  reaches(node: string, vertex: string): boolean {
    return this.#counts.get(vertex)?.has(node) === true;
  }

  reachesVolume(node: string, name: string): boolean {
    const claim = this.#claims.get(name);
    return claim !== undefined && this.reaches(node, claim);
  }

  #forget(key: string): void {
    const bound = this.#pods.get(key);
    if (bound === undefined) return;
    this.#pods.delete(key);
    for (const vertex of bound.vertices) this.#count(vertex, bound.node, -1);
  }

  #count(vertex: string, node: string, change: 1 | -1): void {
    const nodes = this.#counts.get(vertex) ?? new Map<string, number>();
    const count = (nodes.get(node) ?? 0) + change;
    if (count > 0) nodes.set(node, count);
    else nodes.delete(node);
    if (nodes.size > 0) this.#counts.set(vertex, nodes);
    else this.#counts.delete(vertex);
  }
}
