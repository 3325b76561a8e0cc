/**
 * Finds volumes on a node for claims that wait for their first consumer: free ones that suit, or room for new ones. Pure.
 * Upstream: pkg/scheduler/framework/plugins/volumebinding, findMatchingVolumes and checkVolumeProvisions.
 */
import {
  compareQuantities,
  isDeleting,
  isLocalVolume,
  labelSelectorOf,
  LOCAL_PROVISIONER,
  matchesLabels,
  nameOf,
  type Node,
  type NodeVolumeSpace,
  type ParsedLabelSelector,
  type PersistentVolume,
  type PersistentVolumeClaim,
  quantityValue,
  SELECTED_NODE,
  type StorageClass,
  uidOf,
  VOLUME_SPACE_ANNOTATION,
} from '../../api/index.ts';
import { readSelector } from '../cluster/affinity-term.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { DriverFacts } from '../cluster/driver-facts.ts';
import type { VolumePromise } from '../cluster/volume-promises.ts';
import { isBound, NO_PROVISIONER, reaches } from './claims.ts';

export const NO_VOLUME = "node(s) didn't find available persistent volumes to bind";
export const NO_SPACE = 'node(s) did not have enough free storage';

const HOSTNAME = 'kubernetes.io/hostname';

/** What a node could do for the claims, or why it can do nothing. */
export type VolumeOffer =
  | { readonly kind: 'promises'; readonly promises: readonly VolumePromise[] }
  | { readonly kind: 'misfit'; readonly reason: string };

/** The volumes of the cluster, looked at once for one pod. */
export class VolumeSupply {
  readonly #claims: readonly PersistentVolumeClaim[];
  readonly #cluster: Cluster;
  readonly #capacity = new Map<PersistentVolumeClaim, readonly ParsedLabelSelector[] | 'any'>();
  #free: readonly PersistentVolume[] | undefined;
  #taken: ReadonlyMap<string, number> | undefined;

  /** @param claims those of the pod that are not bound; their classes wait for the first consumer */
  constructor(claims: readonly PersistentVolumeClaim[], cluster: Cluster) {
    this.#claims = claims;
    this.#cluster = cluster;
  }

  offerOf(node: Node): VolumeOffer {
    const promises: VolumePromise[] = [];
    let bytes = 0;
    for (const claim of this.#claims) {
      const offer = this.#offerFor(claim, node, promises);
      if (typeof offer === 'string') return { kind: 'misfit', reason: offer };
      promises.push(offer.promise);
      bytes += offer.newBytes;
    }
    if (bytes > 0 && bytes > this.#roomOn(node)) return { kind: 'misfit', reason: NO_SPACE };
    return { kind: 'promises', promises };
  }

  #offerFor(
    claim: PersistentVolumeClaim,
    node: Node,
    others: readonly VolumePromise[],
  ): { readonly promise: VolumePromise; readonly newBytes: number } | string {
    const { promised } = this.#cluster;
    const nodeName = nameOf(node);
    const known = promised.of(claim);
    if (known !== undefined) return known.nodeName === nodeName ? { promise: known, newBytes: 0 } : NO_VOLUME;
    const selected = claim.metadata?.annotations?.[SELECTED_NODE] ?? '';
    if (selected !== '') return selected === nodeName ? { promise: { claim, nodeName }, newBytes: 0 } : NO_VOLUME;
    const storageClass = this.#cluster.storageClass(claim.spec?.storageClassName ?? '');
    // A controller binds claims of classes without a provisioner.
    if (storageClass === undefined || storageClass.provisioner === NO_PROVISIONER) return NO_VOLUME;
    const volume = this.#freeVolumes().find(
      (each) => suits(claim, each) && reaches(node, each) && !others.some((other) => other.volume === nameOf(each)),
    );
    if (volume !== undefined) return { promise: { claim, nodeName, volume: nameOf(volume) }, newBytes: 0 };
    if (!allows(storageClass, node)) return NO_VOLUME;
    if (promised.refused(claim, nodeName)) return NO_SPACE;
    const promise = { claim, nodeName };
    if (storageClass.provisioner === LOCAL_PROVISIONER) return { promise, newBytes: askedBytes(claim) };
    return this.#hasCapacity(claim, storageClass, node) ? { promise, newBytes: 0 } : NO_SPACE;
  }

  /** Upstream: hasEnoughCapacity. Each claim is looked at by itself, since nobody knows which capacities are one. */
  #hasCapacity(claim: PersistentVolumeClaim, storageClass: StorageClass, { metadata }: Node): boolean {
    const known = this.#capacity.get(claim);
    const places = known ?? placesWithCapacity(claim, storageClass, this.#cluster.drivers);
    if (known === undefined) this.#capacity.set(claim, places);
    return places === 'any' || places.some((place) => matchesLabels(place, metadata?.labels));
  }

  /** The smallest first. */
  #freeVolumes(): readonly PersistentVolume[] {
    const { promised } = this.#cluster;
    this.#free ??= this.#cluster
      .volumes()
      .filter(
        (volume) => volume.spec?.claimRef === undefined && !isDeleting(volume) && !promised.hasVolume(nameOf(volume)),
      )
      .toSorted((a, b) => compareQuantities(capacityOf(a), capacityOf(b)) || (nameOf(a) < nameOf(b) ? -1 : 1));
    return this.#free;
  }

  /** Bytes; a node that does not say what it has makes no volumes. */
  #roomOn(node: Node): number {
    this.#taken ??= takenBytes(this.#cluster);
    const host = node.metadata?.labels?.[HOSTNAME] ?? nameOf(node);
    const taken = (this.#taken.get(`host/${host}`) ?? 0) + (this.#taken.get(`node/${nameOf(node)}`) ?? 0);
    return spaceOf(node) - taken;
  }
}

/** By "host/HOST" the bytes of volumes that exist, by "node/NAME" those of claims for which the node was selected. */
function takenBytes(cluster: Cluster): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  const add = (key: string, bytes: number): void => void taken.set(key, (taken.get(key) ?? 0) + bytes);
  const made = new Set<string>();
  for (const volume of cluster.volumes()) {
    if (!isLocalVolume(volume)) continue;
    made.add(nameOf(volume));
    add(`host/${hostOf(volume)}`, quantityValue(capacityOf(volume)));
  }
  for (const claim of cluster.claims()) {
    if (isBound(claim) || made.has(`pvc-${uidOf(claim)}`)) continue;
    const promise = cluster.promised.of(claim);
    const nodeName = promise?.nodeName ?? claim.metadata?.annotations?.[SELECTED_NODE];
    if (nodeName === undefined || promise?.volume !== undefined) continue;
    if (cluster.storageClass(claim.spec?.storageClassName ?? '')?.provisioner !== LOCAL_PROVISIONER) continue;
    add(`node/${nodeName}`, askedBytes(claim));
  }
  return taken;
}

/** Selectors of the nodes where the driver says it has room for the claim; 'any': it does not say where it has how much. */
function placesWithCapacity(
  claim: PersistentVolumeClaim,
  { metadata, provisioner }: StorageClass,
  drivers: DriverFacts,
): readonly ParsedLabelSelector[] | 'any' {
  if (drivers.csiDriver(provisioner)?.spec.storageCapacity !== true) return 'any';
  const asked = claim.spec?.resources?.requests?.['storage'];
  if (asked === undefined) return 'any';
  return drivers.capacities(metadata?.name ?? '').flatMap(({ capacity, maximumVolumeSize, nodeTopology }) => {
    // The size of one volume is more exact than what all of them may have together.
    const limit = maximumVolumeSize ?? capacity;
    if (nodeTopology === undefined || limit === undefined || compareQuantities(limit, asked) < 0) return [];
    const place = readSelector(nodeTopology);
    return place === undefined ? [] : [place];
  });
}

function spaceOf({ metadata }: Node): number {
  const text = metadata?.annotations?.[VOLUME_SPACE_ANNOTATION];
  if (text === undefined) return 0;
  try {
    const { capacityBytes } = JSON.parse(text) as Partial<NodeVolumeSpace>;
    return typeof capacityBytes === 'number' ? capacityBytes : 0;
  } catch {
    // It is not ours to mend: the node counts as one that makes no volumes, and the pod's message says so.
    return 0;
  }
}

function hostOf({ spec }: PersistentVolume): string {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return (
    terms.flatMap(({ matchExpressions = [] }) => matchExpressions).find(({ key }) => key === HOSTNAME)?.values?.[0] ??
    ''
  );
}

function askedBytes(claim: PersistentVolumeClaim): number {
  return quantityValue(claim.spec?.resources?.requests?.['storage'] ?? '0');
}

function capacityOf(volume: PersistentVolume): string {
  return volume.spec?.capacity?.['storage'] ?? '0';
}

/** Whether the free volume is what the claim asks for; it has no data that the claim may ask for. Upstream: FindMatchingVolume. */
function suits({ spec }: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const modes = volume.spec?.accessModes ?? [];
  return (
    spec?.dataSource === undefined &&
    spec?.dataSourceRef === undefined &&
    (volume.spec?.storageClassName ?? '') === (spec?.storageClassName ?? '') &&
    (volume.spec?.volumeAttributesClassName ?? '') === (spec?.volumeAttributesClassName ?? '') &&
    (volume.spec?.volumeMode ?? 'Filesystem') === (spec?.volumeMode ?? 'Filesystem') &&
    compareQuantities(capacityOf(volume), spec?.resources?.requests?.['storage'] ?? '0') >= 0 &&
    (spec?.accessModes ?? []).every((mode) => modes.includes(mode)) &&
    matchesLabels(labelSelectorOf(spec?.selector) ?? [], volume.metadata?.labels)
  );
}

/** Upstream: MatchTopologySelectorTerms. */
function allows({ allowedTopologies = [] }: StorageClass, { metadata }: Node): boolean {
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(metadata?.labels?.[key] ?? '')),
  );
}
