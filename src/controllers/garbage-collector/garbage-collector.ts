/**
 * The garbage collector. A dependent is deleted with its last owner; an owner that is deleted in the foreground goes after
 * its dependents; one that orphans goes when no object names it any more. It sees the metadata of everything through shared
 * informers. Before it writes it asks the server itself, and a delete holds only for the version that was asked for.
 */
import {
  equalJson,
  isConflict,
  hasReason,
  isNotFound,
  type KubeObject,
  nameOf,
  namespaceOf,
  type OwnerReference,
  type ResourceRow,
  uidOf,
} from '../../api/index.ts';
import {
  type Change,
  type EventRecorder,
  type KubeClient,
  keyOf,
  type Lister,
  LruCache,
  objectKey,
  referenceTo,
  type ServedKinds,
  splitKey,
  type Informers,
} from '../../client/index.ts';
import { type Clock, mapLimit } from '../../lib/index.ts';
import { BY_OWNER } from '../indexes.ts';
import { GARBAGE_COLLECTOR_CONCURRENCY, GARBAGE_COLLECTOR_TRIES, MAX_ABSENT_OWNERS } from '../limits.ts';
import type { Controller, ReconcileContext } from '../controller.ts';
import { concernedBy } from './concerned-objects.ts';
import { type CollectedKind, CollectedListers } from './collected-listers.ts';
import { absenceKey, describeReference, isOwnedBy, placeOfOwner } from './owner-kinds.ts';
import {
  blocksOwner,
  FOREGROUND_FINALIZER,
  isDeletingDependents,
  isOrphaning,
  ORPHAN_FINALIZER,
  type OwnersChange,
  ownersMergePatch,
  ownersPatch,
  type OwnerState,
  type OwnerVerdict,
  planCollection,
} from './plan-collection.ts';
import { resourceKey, splitResourceKey } from './resource-key.ts';

export interface GarbageCollectorParts {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** Keys are those of objects: see `resourceKey`. It must be made after the controllers whose listers it can share. */
export function garbageCollector(parts: GarbageCollectorParts): Controller {
  const collector = new GarbageCollector(parts);
  return {
    name: 'garbage-collector-controller',
    concurrency: GARBAGE_COLLECTOR_CONCURRENCY,
    sources: [],
    moving: collector.listers,
    reconcile: (key, context) => collector.reconcile(key, context),
  };
}

/** Whether objects of the kind define kinds, or where they are served. */
function definesKinds({ group }: ResourceRow): boolean {
  return group === 'apiextensions.k8s.io' || group === 'apiregistration.k8s.io';
}

class GarbageCollector {
  readonly #client: KubeClient;
  readonly #events: EventRecorder;
  readonly #served: ServedKinds;
  readonly listers: CollectedListers;
  /** Owners that are gone; a UID never comes back. */
  readonly #absent = new LruCache<string, true>(MAX_ABSENT_OWNERS);

  constructor({ informers, client, clock, events }: GarbageCollectorParts) {
    this.#client = client;
    this.#events = events;
    this.#served = informers.kinds;
    const keysOf = (row: ResourceRow, change: Change<KubeObject>) => this.keysOf(row, change);
    this.listers = new CollectedListers({ informers, served: informers.kinds, clock, keysOf });
  }

  keysOf(row: ResourceRow, change: Change<KubeObject>): readonly string[] {
    const { object } = change;
    // What it defines may have come or gone.
    if (definesKinds(row)) this.#served.refreshSoon();
    const concerned = concernedBy(change);
    const keys = concerned.itself ? [resourceKey(row, objectKey(object))] : [];
    for (const reference of concerned.owners) {
      const place = placeOfOwner(this.listers.collected, reference, object);
      if (place.kind === 'at') keys.push(resourceKey(place.row, keyOf(place.namespace, reference.name)));
    }
    if (!concerned.dependents) return keys;
    for (const kind of this.listers.all()) {
      for (const dependent of kind.lister.byIndex(BY_OWNER, uidOf(object)))
        keys.push(resourceKey(kind.row, objectKey(dependent)));
    }
    return keys;
  }

  async reconcile(key: string, { signal }: ReconcileContext): Promise<void> {
    // Owners and dependents that are not listed yet would be asked for one by one, or missed.
    await this.listers.caughtUp(signal);
    const { resource, objectKey: name } = splitResourceKey(key);
    const kind = this.listers.byKey(resource);
    const object = kind?.lister.getByKey(name);
    if (kind === undefined || object === undefined) return;
    if (isOrphaning(object)) await this.#orphanDependents(kind, object, signal);
    else if (isDeletingDependents(object)) await this.#awaitDependents(kind, object, signal);
    else if (object.metadata?.deletionTimestamp === undefined) await this.#collect(kind, object, signal);
  }

  #dependentsOf({ row }: CollectedKind, owner: KubeObject): readonly (readonly [CollectedKind, KubeObject])[] {
    const found: (readonly [CollectedKind, KubeObject])[] = [];
    for (const kind of this.listers.all()) {
      for (const dependent of kind.lister.byIndex(BY_OWNER, uidOf(owner)))
        if (isOwnedBy(this.listers.collected, dependent, row, owner)) found.push([kind, dependent]);
    }
    return found;
  }

  /** The next change wakes it again; when no object names it any more, it may go. */
  async #orphanDependents(kind: CollectedKind, owner: KubeObject, signal: AbortSignal): Promise<void> {
    const dependents = this.#dependentsOf(kind, owner);
    const patches = dependents.map(([{ row }, dependent]) => ({ row, dependent, uids: [uidOf(owner)] }));
    await mapLimit(patches, GARBAGE_COLLECTOR_CONCURRENCY, async ({ row, dependent, uids }) => {
      try {
        await this.#patch(row, dependent, { detach: uids }, signal);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
    if (dependents.length === 0) await this.#removeFinalizer(kind.row, owner, ORPHAN_FINALIZER, signal);
  }

  /** Its dependents were woken when its deletion began, and wake it when they go. */
  async #awaitDependents(kind: CollectedKind, owner: KubeObject, signal: AbortSignal): Promise<void> {
    const blocked = this.#dependentsOf(kind, owner).some(([, dependent]) => blocksOwner(dependent, uidOf(owner)));
    if (!blocked) await this.#removeFinalizer(kind.row, owner, FOREGROUND_FINALIZER, signal);
  }

  async #collect(kind: CollectedKind, object: KubeObject, signal: AbortSignal): Promise<void> {
    const references = object.metadata?.ownerReferences ?? [];
    if (references.every((reference) => this.#isSolidInCache(reference, object))) return;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#collectLive(kind, object, signal);
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || tries >= GARBAGE_COLLECTOR_TRIES) throw error;
      }
    }
  }

  #isSolidInCache(reference: OwnerReference, dependent: KubeObject): boolean {
    const place = placeOfOwner(this.listers.collected, reference, dependent);
    if (place.kind !== 'at') return place.kind === 'unknown';
    const owner = this.#listerOf(place.row)?.get(place.namespace, reference.name);
    return owner !== undefined && uidOf(owner) === reference.uid && !isDeletingDependents(owner);
  }

  #listerOf(row: ResourceRow): Lister<KubeObject> | undefined {
    return this.listers.of(row)?.lister;
  }

  async #collectLive(kind: CollectedKind, seen: KubeObject, signal: AbortSignal): Promise<void> {
    const { row } = kind;
    const { namespace, name } = splitKey(objectKey(seen));
    const object = await this.#client.get<KubeObject>(row, namespace, name, signal, { metadataOnly: true });
    if (uidOf(object) !== uidOf(seen) || object.metadata?.deletionTimestamp !== undefined) return;
    const verdicts: OwnerVerdict[] = [];
    for (const reference of object.metadata?.ownerReferences ?? []) {
      const state = await this.#stateOf(reference, object, signal);
      // An owner that cannot be judged might exist: its dependent is left alone.
      if (state === undefined) return;
      verdicts.push({ reference, state });
    }
    const dependents = this.#dependentsOf(kind, object).map(([, dependent]) => dependent);
    const step = planCollection(object, verdicts, dependents);
    if (step.kind === 'keep') return;
    if (step.kind === 'detach') {
      await this.#patch(row, object, { detach: step.uids }, signal);
      return;
    }
    const latest = step.unblock ? await this.#patch(row, object, 'unblock', signal) : object;
    const { resourceVersion } = latest.metadata ?? {};
    const { propagationPolicy } = step;
    const precondition = { uid: uidOf(object), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    await this.#client.delete(row, namespace, name, { ...precondition, propagationPolicy }, signal);
  }

  /** The state of one owner, from the server itself; undefined when it cannot be found out. */
  async #stateOf(
    reference: OwnerReference,
    dependent: KubeObject,
    signal: AbortSignal,
  ): Promise<OwnerState | undefined> {
    const place = placeOfOwner(this.listers.collected, reference, dependent);
    if (place.kind === 'unknown') return undefined;
    if (place.kind === 'impossible') {
      this.#reportNamespace(reference, dependent);
      return undefined;
    }
    const key = absenceKey(reference, place.row, place.namespace);
    if (this.#absent.get(key) === true) return 'absent';
    const owner = await this.#read(place.row, place.namespace, reference.name, signal);
    if (owner !== undefined && uidOf(owner) === reference.uid) return isDeletingDependents(owner) ? 'waiting' : 'solid';
    this.#absent.set(key, true);
    if (place.row.namespaced && this.#isElsewhere(place.row, reference.uid))
      this.#reportNamespace(reference, dependent);
    return 'absent';
  }

  async #read(
    row: ResourceRow,
    namespace: string | undefined,
    name: string,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get<KubeObject>(row, namespace, name, signal, { metadataOnly: true });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #isElsewhere(row: ResourceRow, uid: string): boolean {
    return (
      this.#listerOf(row)
        ?.list()
        .some((object) => uidOf(object) === uid) === true
    );
  }

  #reportNamespace(reference: OwnerReference, dependent: KubeObject): void {
    const namespace = namespaceOf(dependent);
    const owner = describeReference(reference, namespace);
    const message = `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`;
    const { resourceVersion: _, ...regarding } = referenceTo(dependent);
    this.#events.event(regarding, 'Warning', 'OwnerRefInvalidNamespace', message);
  }

  /** Rejects with NotFound or Conflict when it is another object by now. */
  async #patch(row: ResourceRow, object: KubeObject, change: OwnersChange, signal: AbortSignal): Promise<KubeObject> {
    const { namespace } = object.metadata ?? {};
    const send = (type: 'strategic' | 'merge', patch: object): Promise<KubeObject> =>
      this.#client.patch<KubeObject>(row, namespace, nameOf(object), type, patch, undefined, signal);
    try {
      return await send('strategic', ownersPatch(object, change));
    } catch (error) {
      if (!hasReason(error, 'UnsupportedMediaType')) throw error;
      // Custom resources know no strategic merge patch.
      return send('merge', ownersMergePatch(object, change));
    }
  }

  async #removeFinalizer(row: ResourceRow, seen: KubeObject, finalizer: string, signal: AbortSignal): Promise<void> {
    const { namespace } = seen.metadata ?? {};
    for (let tries = 1; ; tries += 1) {
      const object = await this.#read(row, namespace, nameOf(seen), signal);
      if (object === undefined || uidOf(object) !== uidOf(seen)) return;
      const { finalizers = [], resourceVersion, uid } = object.metadata ?? {};
      const left = finalizers.filter((name) => name !== finalizer);
      if (object.metadata?.deletionTimestamp === undefined || equalJson(left, finalizers)) return;
      const patch = { metadata: { uid, resourceVersion, finalizers: left.length === 0 ? null : left } };
      try {
        await this.#client.patch<KubeObject>(row, namespace, nameOf(seen), 'merge', patch, undefined, signal);
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || tries >= GARBAGE_COLLECTOR_TRIES) throw error;
      }
    }
  }
}
