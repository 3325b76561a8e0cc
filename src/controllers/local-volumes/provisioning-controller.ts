/**
 * Gives claims of a class of ours their volume: the node that the scheduler selected makes a folder, and the volume that names
 * it is created afterwards. A claim whose node cannot make it loses the selection, and the scheduler looks for another node.
 * Keys are claims. Upstream's counterpart: sig-storage-lib-external-provisioner, whose events these are.
 */
import {
  checkDns1123Subdomain,
  hasReason,
  isDeleting,
  isNotFound,
  LOCAL_PROVISIONER,
  type MadeVolume,
  nameOf,
  namespacedName,
  namespaceOf,
  type Node,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  SELECTED_NODE,
  STORAGE_CLASSES,
  StatusError,
  type StorageClass,
  uidOf,
} from '../../api/index.ts';
import { type EventRecorder, type Informers, type KubeClient, type Lister, referenceTo } from '../../client/index.ts';
import { errorMessage, exponentialDelay } from '../../lib/index.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { NODE_VOLUME_BACK_OFF } from '../limits.ts';
import { askedBytes, isHeard, localVolume, localVolumeName, whyNoFolder } from './local-volume.ts';
import type { NodeVolumes } from './node-volumes.ts';

/** Upstream: k8s.io/component-helpers/storage/volume, AnnStorageProvisioner. */
const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';

export interface LocalVolumesOptions {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly events: EventRecorder;
  readonly nodeVolumes: NodeVolumes;
}

export function provisioningController(options: LocalVolumesOptions): Controller {
  const { informers } = options;
  const claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
  const classes = informers.lister(STORAGE_CLASSES);
  const worker = new Provisioner(options);
  const waiting = (): readonly PersistentVolumeClaim[] =>
    claims.list().filter((claim) => isUnbound(claim) && classOf(claim, classes) !== undefined);
  return {
    name: 'local-volume-provisioner',
    sources: [
      source(PERSISTENT_VOLUME_CLAIMS, ({ type, object }) => {
        if (type === 'apply' && isUnbound(object)) return [namespacedName(object)];
        worker.forget(object);
        return [];
      }),
      source(STORAGE_CLASSES, () => waiting().map(namespacedName)),
      source(NODES, (change) => {
        const before = change.type === 'apply' ? change.previous : undefined;
        if (change.type === 'apply' && before !== undefined && isHeard(before) === isHeard(change.object)) return [];
        return waiting()
          .filter((claim) => selectedNodeOf(claim) === nameOf(change.object))
          .map(namespacedName);
      }),
      source(PERSISTENT_VOLUMES, () => []),
    ],
    reconcile: (key, context) => worker.reconcile(key, context),
  };
}

function isUnbound(claim: PersistentVolumeClaim): boolean {
  return !claim.spec?.volumeName && !isDeleting(claim);
}

export function selectedNodeOf(claim: PersistentVolumeClaim): string {
  return claim.metadata?.annotations?.[SELECTED_NODE] ?? '';
}

function classOf(claim: PersistentVolumeClaim, classes: Lister<StorageClass>): StorageClass | undefined {
  const found = classes.get(undefined, claim.spec?.storageClassName ?? '');
  return found?.provisioner === LOCAL_PROVISIONER ? found : undefined;
}

/** How the attempt to have a folder made ended. */
type Attempt =
  | { readonly kind: 'made'; readonly made: MadeVolume }
  /** Another node may do better. */
  | { readonly kind: 'not-there'; readonly why: string }
  | { readonly kind: 'again'; readonly why: string };

/** What was told about a claim last, and how often in a row its node failed. */
interface Memory {
  told?: string;
  failures: number;
}

class Provisioner {
  readonly #client: KubeClient;
  readonly #events: EventRecorder;
  readonly #nodeVolumes: NodeVolumes;
  readonly #claims: Lister<PersistentVolumeClaim>;
  readonly #volumes: Lister<PersistentVolume>;
  readonly #classes: Lister<StorageClass>;
  readonly #nodes: Lister<Node>;
  /** By UID of claims that have no volume yet. */
  readonly #memories = new Map<string, Memory>();

  constructor({ client, informers, events, nodeVolumes }: LocalVolumesOptions) {
    this.#client = client;
    this.#events = events;
    this.#nodeVolumes = nodeVolumes;
    this.#claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
    this.#volumes = informers.lister(PERSISTENT_VOLUMES);
    this.#classes = informers.lister(STORAGE_CLASSES);
    this.#nodes = informers.lister(NODES);
  }

  forget(claim: PersistentVolumeClaim): void {
    this.#memories.delete(uidOf(claim));
  }

  async reconcile(key: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const claim = this.#claims.getByKey(key);
    if (claim === undefined || !isUnbound(claim)) return undefined;
    const storageClass = classOf(claim, this.#classes);
    if (storageClass === undefined) return undefined;
    const nodeName = selectedNodeOf(claim);
    const refusal = whyNoFolder(claim, storageClass);
    if (refusal !== undefined) {
      this.#tellFailure(claim, refusal);
      if (nodeName !== '') await this.#giveBack(claim, context);
      return undefined;
    }
    // The binder's word that no volume that is there already will be the claim's.
    if (claim.metadata?.annotations?.[STORAGE_PROVISIONER] !== LOCAL_PROVISIONER) return undefined;
    if (nodeName === '' || this.#volumes.get(undefined, localVolumeName(claim)) !== undefined) return undefined;
    const node = await this.#nodeOf(nodeName, context);
    if (node === undefined) {
      this.#tellFailure(claim, `node "${nodeName}" does not exist`);
      await this.#giveBack(claim, context);
      return undefined;
    }
    const attempt = await this.#attempt(claim, node, context);
    const memory = this.#memoryOf(claim);
    if (attempt.kind === 'made') {
      await this.#publish({ claim, storageClass, node }, attempt.made, context);
      return undefined;
    }
    this.#tellFailure(claim, attempt.why);
    if (attempt.kind === 'not-there') {
      memory.failures = 0;
      await this.#giveBack(claim, context);
      return undefined;
    }
    memory.failures += 1;
    return { requeueAfterMs: exponentialDelay(NODE_VOLUME_BACK_OFF, memory.failures) };
  }

  async #attempt(claim: PersistentVolumeClaim, node: Node, { signal }: ReconcileContext): Promise<Attempt> {
    const name = nameOf(node);
    if (!isHeard(node)) return { kind: 'not-there', why: `node "${name}" is not ready` };
    this.#tell(
      claim,
      'Normal',
      'Provisioning',
      `External provisioner is provisioning volume for claim "${namespacedName(claim)}"`,
    );
    try {
      const request = { handle: uidOf(claim), capacityBytes: askedBytes(claim) };
      return { kind: 'made', made: await this.#nodeVolumes.make(name, localVolumeName(claim), request, signal) };
    } catch (error) {
      if (signal.aborted) throw error;
      const why = `node "${name}": ${errorMessage(error)}`;
      if (hasReason(error, 'VolumeLost')) await this.#forgetLost(claim, node, signal);
      // 404: it makes no volumes. 503: its disk for them is not there. 507: it has no room for this one.
      const isFinal = error instanceof StatusError && [404, 503, 507].includes(error.code);
      return { kind: isFinal ? 'not-there' : 'again', why };
    }
  }

  /**
   * A folder that vanished before its volume was created was never used: the node forgets it, and can make it anew. The version is
   * from before the question for the volume, so one that was made anew and used meanwhile is not removed.
   */
  async #forgetLost(claim: PersistentVolumeClaim, node: Node, signal: AbortSignal): Promise<void> {
    const name = localVolumeName(claim);
    const { items } = await this.#nodeVolumes.list(nameOf(node), signal);
    const lost = items.find((each) => each.name === name && each.state === 'lost');
    if (lost === undefined) return;
    const isThere = await this.#client.get(PERSISTENT_VOLUMES, undefined, name, signal).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false;
        throw error;
      },
    );
    if (!isThere) await this.#nodeVolumes.remove(nameOf(node), lost, signal);
  }

  /** Creates the volume. The claim is asked for once more: a volume for a claim that is gone would only be deleted again. */
  async #publish(
    { claim, storageClass, node }: { claim: PersistentVolumeClaim; storageClass: StorageClass; node: Node },
    { path }: MadeVolume,
    context: ReconcileContext,
  ): Promise<void> {
    const now = await this.#claimNow(claim, context);
    // The folder that nobody needs any more is found and removed by the look at the node's folders.
    if (now === undefined || !isUnbound(now) || selectedNodeOf(now) !== nameOf(node)) return;
    await context.write({
      verb: 'create',
      resource: PERSISTENT_VOLUMES,
      object: localVolume(now, storageClass, node, path),
    });
    this.#tell(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${localVolumeName(claim)}`);
  }

  async #claimNow(
    claim: PersistentVolumeClaim,
    { signal }: ReconcileContext,
  ): Promise<PersistentVolumeClaim | undefined> {
    try {
      const now = await this.#client.get(PERSISTENT_VOLUME_CLAIMS, namespaceOf(claim), nameOf(claim), signal);
      return uidOf(now) === uidOf(claim) ? now : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** A selection is never taken back for what a cache does not know yet. */
  async #nodeOf(name: string, { signal }: ReconcileContext): Promise<Node | undefined> {
    const known = this.#nodes.get(undefined, name);
    if (known !== undefined) return known;
    // Whoever may change the claim writes it: the server would refuse the path of such a name, again and again.
    if (checkDns1123Subdomain(name).length > 0) return undefined;
    try {
      return await this.#client.get(NODES, undefined, name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Takes the selection back. Only the selection that was looked at: the scheduler may have written another one. */
  async #giveBack(claim: PersistentVolumeClaim, context: ReconcileContext): Promise<void> {
    const { resourceVersion } = claim.metadata ?? {};
    const metadata = { uid: uidOf(claim), resourceVersion, annotations: { [SELECTED_NODE]: null } };
    await context.write({
      verb: 'patch',
      resource: PERSISTENT_VOLUME_CLAIMS,
      namespace: namespaceOf(claim),
      name: nameOf(claim),
      type: 'merge',
      patch: { metadata },
    });
  }

  #memoryOf(claim: PersistentVolumeClaim): Memory {
    const uid = uidOf(claim);
    const known = this.#memories.get(uid) ?? { failures: 0 };
    this.#memories.set(uid, known);
    return known;
  }

  #tellFailure(claim: PersistentVolumeClaim, why: string): void {
    const message = `failed to provision volume with StorageClass "${claim.spec?.storageClassName}": ${why}`;
    this.#tell(claim, 'Warning', 'ProvisioningFailed', message);
  }

  /** Once in a row: a reconcile that is repeated has nothing new to say. */
  #tell(claim: PersistentVolumeClaim, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const memory = this.#memoryOf(claim);
    const text = `${selectedNodeOf(claim)} ${reason} ${message}`;
    if (memory.told === text) return;
    memory.told = text;
    this.#events.event(referenceTo(claim), type, reason, message);
  }
}
