/**
 * Binds claims to volumes that were made beforehand; nothing is provisioned. Keys are "claim/NAMESPACE/NAME" and
 * "volume/NAME"; one at a time, so that two claims seldom reach for one volume. Upstream:
 * pkg/controller/volume/persistentvolume.
 */
import {
  claimsOf,
  equalJson,
  isNotFound,
  nameOf,
  namespacedName,
  namespaceOf,
  type Node,
  NODES,
  nodeSelectorMatches,
  nodeSelectorTermMatches,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  STORAGE_CLASSES,
  type StorageClass,
  toleratesTaint,
} from '../../api/index.ts';
import { type EventRecorder, type KubeClient, type Lister, referenceTo, type Informers } from '../../client/index.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { type Controller, type ReconcileContext, source } from '../controller.ts';
import { BY_CLAIM, BY_VOLUME } from '../indexes.ts';
import { BIND_COMPLETED, planClaim, type VolumePlan } from './plan-claim.ts';
import { planVolume } from './plan-volume.ts';

export interface VolumeBindingOptions {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly events: EventRecorder;
}

export function volumeBindingController({ client, informers, events }: VolumeBindingOptions): Controller {
  const claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
  const volumes = informers.lister(PERSISTENT_VOLUMES);
  const worker = new Binder(client, informers, events);
  const unbound = (): readonly string[] => claims.list().filter(isUnbound).map(claimKey);
  return {
    name: 'persistentvolume-binder',
    concurrency: 1,
    sources: [
      source(PERSISTENT_VOLUME_CLAIMS, ({ object }) => {
        const held = volumes.byIndex(BY_CLAIM, namespacedName(object));
        return [claimKey(object), ...held.map(volumeKey)];
      }),
      source(PERSISTENT_VOLUMES, ({ object }) => {
        const { namespace, name } = object.spec?.claimRef ?? {};
        const waiting = name === undefined ? unbound() : [`claim/${namespace}/${name}`];
        // One that lost its volume learns it from the volume's end.
        const owner = claims.byIndex(BY_VOLUME, nameOf(object));
        return [volumeKey(object), ...waiting, ...owner.map(claimKey)];
      }),
      source(STORAGE_CLASSES, () => unbound()),
      source(PODS, ({ object }) => {
        const namespace = namespaceOf(object);
        return claimsOf(object)
          .flatMap((name) => claims.get(namespace, name) ?? [])
          .filter(isUnbound)
          .map(claimKey);
      }),
      source(NODES, (change) => {
        const { object } = change;
        const before = change.type === 'apply' ? change.previous : undefined;
        const same =
          before !== undefined &&
          equalJson(before.metadata?.labels, object.metadata?.labels) &&
          equalJson(before.spec?.taints, object.spec?.taints);
        return same ? [] : unbound();
      }),
    ],
    reconcile: (key, context) => worker.reconcile(key, context),
  };
}

function claimKey(claim: PersistentVolumeClaim): string {
  return `claim/${namespacedName(claim)}`;
}

function volumeKey(volume: PersistentVolume): string {
  return `volume/${nameOf(volume)}`;
}

function isUnbound(claim: PersistentVolumeClaim): boolean {
  return claim.metadata?.annotations?.[BIND_COMPLETED] === undefined;
}

class Binder {
  readonly #client: KubeClient;
  readonly #events: EventRecorder;
  readonly #claims: Lister<PersistentVolumeClaim>;
  readonly #volumes: Lister<PersistentVolume>;
  readonly #classes: Lister<StorageClass>;
  readonly #pods: Lister<Pod>;
  readonly #nodes: Lister<Node>;

  constructor(client: KubeClient, informers: Informers, events: EventRecorder) {
    this.#client = client;
    this.#events = events;
    this.#claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
    this.#volumes = informers.lister(PERSISTENT_VOLUMES);
    this.#classes = informers.lister(STORAGE_CLASSES);
    this.#pods = informers.lister(PODS);
    this.#nodes = informers.lister(NODES);
  }

  async reconcile(key: string, context: ReconcileContext): Promise<undefined> {
    const [kind, ...rest] = key.split('/');
    const name = rest.join('/');
    if (kind === 'claim') {
      const claim = this.#claims.getByKey(name);
      if (claim !== undefined) await this.#do(claim, planClaim(this.#viewOf(claim)), context);
      return;
    }
    const volume = this.#volumes.getByKey(name);
    if (volume !== undefined) await this.#do(volume, planVolume(volume, await this.#claimOf(volume, context)), context);
  }

  async #do(
    object: PersistentVolume | PersistentVolumeClaim,
    { operations, note }: VolumePlan,
    context: ReconcileContext,
  ): Promise<void> {
    await context.perform(operations);
    if (note !== undefined) this.#events.event(referenceTo(object), note.type, note.reason, note.message);
  }

  #viewOf(claim: PersistentVolumeClaim): Parameters<typeof planClaim>[0] {
    const waiting = this.#pods.byIndex(BY_CLAIM, namespacedName(claim)).filter((pod) => !isPodTerminal(pod));
    const own = this.#volumes.get(undefined, claim.spec?.volumeName ?? '');
    return {
      claim,
      // A claim that names its volume can have no other.
      volumes: claim.spec?.volumeName ? (own === undefined ? [] : [own]) : this.#volumes.list(),
      classes: this.#classes.list(),
      awaitedBy: waiting.map(nameOf),
      reaches: (volume) =>
        this.#nodes.list().some((node) => reaches(node, volume) && waiting.some((pod) => suits(node, pod))),
    };
  }

  /** A volume is never given up for what a cache does not know yet. */
  async #claimOf(volume: PersistentVolume, context: ReconcileContext): Promise<PersistentVolumeClaim | undefined> {
    const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
    if (!uid) return undefined;
    const known = this.#claims.get(namespace, name);
    if (known?.metadata?.uid === uid) return known;
    try {
      return await this.#client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name, context.signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function reaches(node: Node, volume: PersistentVolume): boolean {
  const required = volume.spec?.nodeAffinity?.required;
  return required === undefined || required.nodeSelectorTerms.some((term) => nodeSelectorTermMatches(term, node));
}

/** The nodes where the pod is, or could be by its selector and the nodes' taints. */
function suits(node: Node, pod: Pod): boolean {
  if (pod.spec?.nodeName) return pod.spec.nodeName === nameOf(node);
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  return nodeSelectorMatches(pod, node) && taints.every((taint) => toleratesTaint(pod, taint));
}
