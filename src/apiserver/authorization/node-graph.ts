/**
 * Which node has to do with which object: through the pods that are bound to it, and through their claims to their volumes
 * (upstream: the node authorizer's Graph). Fed by the watch caches.
 *
 *   node ← pod ← secret, configmap, service account, claim of devices, claim ← volume ← secret
 *   node ← attachment of a volume, slice of devices
 */
import type { PersistentVolume, Pod } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { referencesOf, secretsOfVolume, vertexOf } from './pod-references.ts';

/** Kinds whose objects name their node in `spec.nodeName`. */
export type NodeOwned = 'volumeattachments' | 'resourceslices';

interface Bound {
  readonly node: string;
  readonly vertices: readonly string[];
}

export class NodeGraph {
  /** By "NAMESPACE/NAME" of the pod. */
  readonly #pods = new Map<string, Bound>();
  /** By vertex, then by node: how many of its pods name it. */
  readonly #counts = new Map<string, Map<string, number>>();
  /** By name of the volume: the vertex of its claim, and those of the secrets that mounting it takes. */
  readonly #volumes = new Map<string, { readonly claim: string; readonly secrets: readonly string[] }>();
  /** By vertex of a secret: the volumes that take it. */
  readonly #volumesOfSecret = new Map<string, Set<string>>();
  /** By kind, then by name: the node. */
  readonly #owned: Readonly<Record<NodeOwned, Map<string, string>>> = {
    volumeattachments: new Map(),
    resourceslices: new Map(),
  };

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
    for (const secret of this.#volumes.get(name)?.secrets ?? []) this.#releaseSecret(secret, name);
    const volume = now as PersistentVolume | undefined;
    const claimRef = volume?.spec?.claimRef;
    if (volume === undefined || claimRef?.name === undefined) {
      this.#volumes.delete(name);
      return;
    }
    const claim = vertexOf('persistentvolumeclaims', claimRef.namespace ?? '', claimRef.name);
    const secrets = secretsOfVolume(volume);
    this.#volumes.set(name, { claim, secrets });
    for (const secret of secrets) {
      const volumes = this.#volumesOfSecret.get(secret) ?? new Set();
      this.#volumesOfSecret.set(secret, volumes.add(name));
    }
  }

  replaceVolumes(volumes: Iterable<ApiObject>): void {
    this.#volumes.clear();
    this.#volumesOfSecret.clear();
    for (const volume of volumes) this.applyVolume(volume, undefined);
  }

  applyOwned(kind: NodeOwned, now: ApiObject | undefined, known: ApiObject | undefined): void {
    const { name = '' } = (now ?? known)?.metadata ?? {};
    const node = (now?.['spec'] as { readonly nodeName?: string } | undefined)?.nodeName ?? '';
    if (node === '') this.#owned[kind].delete(name);
    else this.#owned[kind].set(name, node);
  }

  replaceOwned(kind: NodeOwned, objects: Iterable<ApiObject>): void {
    this.#owned[kind].clear();
    for (const object of objects) this.applyOwned(kind, object, undefined);
  }

  /** True when the object says that it is the node's. */
  owns(node: string, kind: NodeOwned, name: string): boolean {
    return this.#owned[kind].get(name) === node;
  }

  isPodOf(node: string, namespace: string, name: string): boolean {
    return this.#pods.get(`${namespace}/${name}`)?.node === node;
  }

  /** True when a pod on the node leads to the object that the vertex stands for. */
  reaches(node: string, vertex: string): boolean {
    if (this.#counts.get(vertex)?.has(node) === true) return true;
    for (const name of this.#volumesOfSecret.get(vertex) ?? []) if (this.reachesVolume(node, name)) return true;
    return false;
  }

  reachesVolume(node: string, name: string): boolean {
    const claim = this.#volumes.get(name)?.claim;
    return claim !== undefined && this.#counts.get(claim)?.has(node) === true;
  }

  #releaseSecret(secret: string, volume: string): void {
    const volumes = this.#volumesOfSecret.get(secret);
    volumes?.delete(volume);
    if (volumes?.size === 0) this.#volumesOfSecret.delete(secret);
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
