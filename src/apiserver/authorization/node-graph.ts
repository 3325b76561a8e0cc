/**
 * Which node has to do with which object: through the pods that are bound to it, and through their claims to their volumes
 * (upstream: the node authorizer's Graph). Fed by the watch caches.
 *
 *   node ← pod ← secret, configmap, service account, claim ← volume ← secret
 *   node ← attachment of a volume
 */
import type { PersistentVolume, Pod, SecretReference, VolumeAttachment } from '../../api/index.ts';
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
  /** By vertex of a secret: the volumes that a node needs it for. */
  readonly #volumesOf = new Map<string, Set<string>>();
  /** By name of the volume: the vertices of its secrets. */
  readonly #secrets = new Map<string, readonly string[]>();
  /** By name of the attachment: its node. */
  readonly #attachments = new Map<string, string>();

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
    const volume = now as PersistentVolume | undefined;
    const claim = volume?.spec?.claimRef;
    if (claim?.name === undefined) this.#claims.delete(name);
    else this.#claims.set(name, vertexOf('persistentvolumeclaims', claim.namespace ?? '', claim.name));
    this.#applySecrets(name, volume);
  }

  #applySecrets(name: string, volume: PersistentVolume | undefined): void {
    for (const vertex of this.#secrets.get(name) ?? []) {
      const volumes = this.#volumesOf.get(vertex);
      volumes?.delete(name);
      if (volumes?.size === 0) this.#volumesOf.delete(vertex);
    }
    const vertices = secretsOfNodes(volume);
    if (vertices.length === 0) this.#secrets.delete(name);
    else this.#secrets.set(name, vertices);
    for (const vertex of vertices) {
      const volumes = this.#volumesOf.get(vertex) ?? new Set<string>();
      this.#volumesOf.set(vertex, volumes.add(name));
    }
  }

  applyAttachment(now: ApiObject | undefined, known: ApiObject | undefined): void {
    const { name = '' } = (now ?? known)?.metadata ?? {};
    const node = (now as VolumeAttachment | undefined)?.spec.nodeName;
    if (node === undefined) this.#attachments.delete(name);
    else this.#attachments.set(name, node);
  }

  replaceAttachments(attachments: Iterable<ApiObject>): void {
    this.#attachments.clear();
    for (const attachment of attachments) this.applyAttachment(attachment, undefined);
  }

  isAttachmentOf(node: string, name: string): boolean {
    return this.#attachments.get(name) === node;
  }

  replaceVolumes(volumes: Iterable<ApiObject>): void {
    this.#claims.clear();
    this.#secrets.clear();
    this.#volumesOf.clear();
    for (const volume of volumes) this.applyVolume(volume, undefined);
  }

  isPodOf(node: string, namespace: string, name: string): boolean {
    return this.#pods.get(`${namespace}/${name}`)?.node === node;
  }

  /** True when a pod on the node leads to the object that the vertex stands for. */
  reaches(node: string, vertex: string): boolean {
    if (this.#counts.get(vertex)?.has(node) === true) return true;
    for (const volume of this.#volumesOf.get(vertex) ?? []) if (this.reachesVolume(node, volume)) return true;
    return false;
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

/** The secrets that a kubelet needs to mount the volume; those of the driver's controller are not among them. */
function secretsOfNodes(volume: PersistentVolume | undefined): readonly string[] {
  const source = volume?.spec?.csi;
  const references: readonly (SecretReference | undefined)[] = [
    source?.nodeStageSecretRef,
    source?.nodePublishSecretRef,
    source?.nodeExpandSecretRef,
  ];
  return references.flatMap((reference) =>
    reference?.name ? [vertexOf('secrets', reference.namespace ?? '', reference.name)] : [],
  );
}
