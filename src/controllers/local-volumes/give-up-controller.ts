/**
 * Volumes whose node is lost: says what that means, and gives them up when a person or a healing policy wants it. Keys are
 * volumes. The claim is replaced in steps, each of which a kill may follow:
 *
 *     note on the volume → claim deleted → its pods on the lost node deleted → claim gone → claim made anew → note removed
 *
 * Only then is the volume let go (deletion-controller.ts). Until the claim is deleted everything is withdrawn if the node is heard.
 */
import {
  claimsOf,
  GIVE_UP_ANNOTATION,
  GIVEN_UP_CLAIM_ANNOTATION,
  HEALING_POLICIES,
  type HealingPolicy,
  isDeleting,
  isLocalVolume,
  isNotFound,
  isVolumeOnNode,
  type KubeObject,
  nameOf,
  namespacedName,
  namespaceOf,
  NODE_LOST_SINCE_ANNOTATION,
  NODES,
  type Node,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  StatusError,
  uidOf,
  volumeHost,
} from '../../api/index.ts';
import { type EventRecorder, type KubeClient, type Lister, referenceTo } from '../../client/index.ts';
import { type Clock, type Counter, formatTime } from '../../lib/index.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { GIVE_UP_CHECK_MS, LOST_NODE_RESTART_GRACE_MS, NODE_VOLUME_BACK_OFF } from '../limits.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { formatClaimNote, type GivenUpClaim, readClaimNote } from './claim-note.ts';
import { giveUpPolicyFor } from './give-up-policy.ts';
import { isHeard } from './local-volume.ts';
import {
  type GiveUpFacts,
  isFolderLost,
  isOtherNews,
  isSilenceTheirs,
  lostMessage,
  lostSince,
  nodeNameOf,
  type Whereabouts,
  whereabouts,
  whyKept,
} from './plan-give-up.ts';
import type { LocalVolumesOptions } from './provisioning-controller.ts';

export interface GiveUpOptions extends Omit<LocalVolumesOptions, 'nodeVolumes'> {
  readonly clock: Clock;
  /** Counts volumes that were given up, by whose wish. */
  readonly givenUp: Counter;
}

export function giveUpController(options: GiveUpOptions): Controller {
  const { informers } = options;
  const volumes = informers.lister(PERSISTENT_VOLUMES);
  const worker = new GiveUp(options);
  const onNode = (node: Node): readonly string[] =>
    volumes
      .list()
      .filter((volume) => isLocalVolume(volume) && isVolumeOnNode(volume, node))
      .map(nameOf);
  return {
    name: 'local-volume-give-up',
    sources: [
      source(PERSISTENT_VOLUMES, ({ type, object }) => {
        if (type === 'delete') worker.forget(nameOf(object));
        return isLocalVolume(object) && type === 'apply' ? [nameOf(object)] : [];
      }),
      source(PERSISTENT_VOLUME_CLAIMS, ({ object }) => worker.concernedBy(object)),
      source(NODES, (change) => {
        const before = change.type === 'apply' ? change.previous : undefined;
        if (before === undefined) return onNode(change.object);
        return isOtherNews(before, change.object) ? onNode(change.object) : [];
      }),
      source(PODS, ({ type, object }) => worker.lostOf(object, type === 'apply')),
      source(HEALING_POLICIES, ({ object }) => worker.lostIn(namespaceOf(object))),
    ],
    reconcile: (name, context) => worker.reconcile(name, context),
  };
}

/** What this process knows of a volume whose node is lost. */
interface Loss {
  /** Mono ms: since when the node is lost. */
  readonly since: number;
  /** The same in wall ms, for people. */
  readonly sinceWall: number;
  /** Mono ms: when this process first saw that. */
  readonly seenAt: number;
  /** This process saw the node fall silent, so that it was there to hear it before. */
  readonly sawFall: boolean;
  /** UIDs of objects that were told of it, and what. */
  readonly told: Map<string, string>;
}

/** A volume with what is known of its claim and its node. */
type Scene = GiveUpFacts & { readonly where: Whereabouts };

class GiveUp {
  readonly #client: KubeClient;
  readonly #events: EventRecorder;
  readonly #clock: Clock;
  readonly #givenUp: Counter;
  readonly #claims: Lister<PersistentVolumeClaim>;
  readonly #volumes: Lister<PersistentVolume>;
  readonly #nodes: Lister<Node>;
  readonly #pods: Lister<Pod>;
  readonly #policies: Lister<HealingPolicy>;
  /** By name of the volume. */
  readonly #losses = new Map<string, Loss>();
  /** By name of the volume: why its claim could not be made anew, as it was told. */
  readonly #failures = new Map<string, string>();
  /** Names of volumes whose node was heard in the life of this process. */
  readonly #heard = new Set<string>();

  constructor({ client, informers, events, clock, givenUp }: GiveUpOptions) {
    this.#client = client;
    this.#events = events;
    this.#clock = clock;
    this.#givenUp = givenUp;
    this.#claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
    this.#volumes = informers.lister(PERSISTENT_VOLUMES);
    this.#nodes = informers.lister(NODES);
    this.#pods = informers.lister(PODS);
    this.#policies = informers.lister(HEALING_POLICIES);
  }

  forget(name: string): void {
    this.#losses.delete(name);
    this.#failures.delete(name);
    this.#heard.delete(name);
  }

  /** Keys that a change of a claim concerns: its volume, if that is lost or somebody wants to give it up. */
  concernedBy(claim: PersistentVolumeClaim): readonly string[] {
    const asks = claim.metadata?.annotations?.[GIVE_UP_ANNOTATION] !== undefined;
    const name = claim.spec?.volumeName ?? '';
    if (name === '') return [];
    const isNoted =
      this.#volumes.get(undefined, name)?.metadata?.annotations?.[GIVEN_UP_CLAIM_ANNOTATION] !== undefined;
    return asks || isNoted || this.#losses.has(name) ? [name] : [];
  }

  /** Keys that a change of a pod concerns. A pod that is gone may have been the last that had the claim. */
  lostOf(pod: Pod, isThere: boolean): readonly string[] {
    if (this.#losses.size === 0) return [];
    const names = claimsOf(pod).flatMap((name) => {
      const volume = this.#claims.get(namespaceOf(pod), name)?.spec?.volumeName ?? '';
      const loss = this.#losses.get(volume);
      return loss === undefined || (isThere && loss.told.has(uidOf(pod))) ? [] : [volume];
    });
    return [...new Set(names)];
  }

  /** Keys that a change of a policy of the namespace concerns. */
  lostIn(namespace: string): readonly string[] {
    return [...this.#losses.keys()].filter(
      (name) => this.#volumes.get(undefined, name)?.spec?.claimRef?.namespace === namespace,
    );
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const volume = this.#volumes.get(undefined, name);
    if (volume === undefined || !isLocalVolume(volume)) return undefined;
    const note = readClaimNote(volume);
    if (note !== undefined) return this.#replace(volume, note, context);
    const claim = this.#claimOf(volume);
    const scene = claim && this.#scene(volume, claim, this.#nodeOf(volume));
    const wait = await this.#tellLoss(volume, scene, context);
    if (scene === undefined || isDeleting(scene.claim)) return undefined;
    const wanted = scene.claim.metadata?.annotations?.[GIVE_UP_ANNOTATION];
    if (wanted !== undefined) return this.#answer(scene, wanted, context);
    return wait === undefined ? undefined : this.#byPolicy(scene, wait, context);
  }

  #claimOf(volume: PersistentVolume): PersistentVolumeClaim | undefined {
    const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
    const claim = this.#claims.get(namespace, name);
    if (claim === undefined || uidOf(claim) !== uid) return undefined;
    return claim.spec?.volumeName === nameOf(volume) ? claim : undefined;
  }

  #nodeOf(volume: PersistentVolume): Node | undefined {
    return this.#nodes.list().find((node) => isVolumeOnNode(volume, node));
  }

  #scene(volume: PersistentVolume, claim: PersistentVolumeClaim, node: Node | undefined): Scene {
    const pods = this.#pods
      .list(namespaceOf(claim))
      .filter((pod) => !isPodTerminal(pod) && claimsOf(pod).includes(nameOf(claim)) && pod.spec?.nodeName);
    const isElsewhere = ({ spec }: Pod): boolean => {
      const own = this.#nodes.get(undefined, spec?.nodeName ?? '');
      return own !== undefined && !isVolumeOnNode(volume, own);
    };
    return {
      volume,
      claim,
      node,
      where: whereabouts(volume, node),
      here: pods.filter((pod) => !isElsewhere(pod)),
      elsewhere: pods.filter(isElsewhere),
    };
  }

  /** Notes since when the node is lost, and tells claim, volume and pods once. @returns what is known of the loss, if there is one */
  async #tellLoss(
    volume: PersistentVolume,
    scene: Scene | undefined,
    context: ReconcileContext,
  ): Promise<Loss | undefined> {
    const name = nameOf(volume);
    const node = this.#nodeOf(volume);
    const where = whereabouts(volume, node);
    if (where === 'heard' || where === 'damaged') {
      await this.#tellReturn(volume, scene, context);
      return undefined;
    }
    const { mono, wall } = this.#clock.now();
    const since = lostSince(volume, node, wall);
    const known = this.#losses.get(name);
    const loss = known ?? {
      since: mono - (wall - since),
      sinceWall: since,
      seenAt: mono,
      sawFall: this.#heard.has(name),
      told: new Map<string, string>(),
    };
    this.#losses.set(name, loss);
    if (volume.metadata?.annotations?.[NODE_LOST_SINCE_ANNOTATION] === undefined)
      await this.#annotate(volume, { [NODE_LOST_SINCE_ANNOTATION]: formatTime(loss.sinceWall) }, context);
    if (scene !== undefined) this.#tell(scene, loss);
    return loss;
  }

  #tell(scene: Scene, { told, sinceWall: since }: Loss): void {
    const policy = this.#policyFor(scene);
    const message = lostMessage(scene, since, policy && { name: policy.name, givesUpAt: since + policy.afterMs });
    for (const object of [scene.volume, scene.claim, ...this.#waiting(scene)]) {
      const uid = uidOf(object);
      if (told.get(uid) === message) continue;
      told.set(uid, message);
      this.#events.event(referenceTo(object), 'Warning', 'VolumeNodeLost', message);
    }
  }

  /** Pods that the loss concerns: those that were there, and those that wait for a node. */
  #waiting({ claim, here }: Scene): readonly Pod[] {
    const pending = this.#pods
      .list(namespaceOf(claim))
      .filter((pod) => !isPodTerminal(pod) && !pod.spec?.nodeName && claimsOf(pod).includes(nameOf(claim)));
    return [...here, ...pending];
  }

  async #tellReturn(volume: PersistentVolume, scene: Scene | undefined, context: ReconcileContext): Promise<void> {
    const name = nameOf(volume);
    this.#losses.delete(name);
    this.#heard.add(name);
    if (volume.metadata?.annotations?.[NODE_LOST_SINCE_ANNOTATION] === undefined) return;
    await this.#annotate(volume, { [NODE_LOST_SINCE_ANNOTATION]: null }, context);
    const message = `node "${nodeNameOf(volume, this.#nodeOf(volume))}" is heard again, with volume "${name}" on its disk`;
    for (const object of [volume, ...(scene === undefined ? [] : [scene.claim])])
      this.#events.event(referenceTo(object), 'Normal', 'VolumeNodeBack', message);
  }

  /** The answer to a person. A request that is refused is removed, so that it does not act on the day the node fails. */
  async #answer(scene: Scene, wanted: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const fresh = await this.#look(scene, context);
    if (fresh === undefined) return undefined;
    const why = whyKept(fresh, wanted);
    if (why === undefined) return this.#begin(fresh, 'request', 'a person', context);
    const { claim } = fresh;
    await context.write({
      verb: 'patch',
      resource: PERSISTENT_VOLUME_CLAIMS,
      namespace: namespaceOf(claim),
      name: nameOf(claim),
      type: 'merge',
      patch: { metadata: { uid: uidOf(claim), annotations: { [GIVE_UP_ANNOTATION]: null } } },
    });
    this.#events.event(referenceTo(claim), 'Warning', 'GiveUpRefused', `the volume is not given up: ${why}`);
    return undefined;
  }

  #policyFor({ claim, here }: Scene): ReturnType<typeof giveUpPolicyFor> {
    const inForce = this.#policies.list(namespaceOf(claim)).filter((policy) => !isDeleting(policy));
    return giveUpPolicyFor(this.#waiting({ claim, here } as Scene), inForce);
  }

  async #byPolicy(scene: Scene, loss: Loss, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const policy = this.#policyFor(scene);
    if (policy === undefined) return undefined;
    const { mono } = this.#clock.now();
    // A process that has just begun has not had the time to hear anybody.
    const grace = loss.sawFall ? 0 : Math.min(policy.afterMs, LOST_NODE_RESTART_GRACE_MS);
    const dueAt = Math.max(loss.since + policy.afterMs, loss.seenAt + grace);
    if (mono < dueAt) return { requeueAfterMs: dueAt - mono };
    const again = { requeueAfterMs: GIVE_UP_CHECK_MS };
    const nodes = this.#nodes.list();
    const heard = nodes.filter(isHeard).length;
    const silent = nodes.filter((node) => whereabouts(scene.volume, node) === 'silent').length;
    if (!isSilenceTheirs({ heard, silent })) return again;
    const fresh = await this.#look(scene, context);
    if (fresh === undefined) return again;
    const isLost = fresh.where === 'silent' || fresh.where === 'gone';
    if (!isLost || whyKept(fresh, nameOf(fresh.volume)) !== undefined) return again;
    return this.#begin(fresh, 'policy', `HealingPolicy "${policy.name}"`, context);
  }

  /** The same as the server itself knows it: nothing is given up for what a cache shows. Undefined: it is another volume by now. */
  async #look({ volume, claim }: Scene, { signal }: ReconcileContext): Promise<Scene | undefined> {
    const [volumeNow, claimNow, node] = await Promise.all([
      this.#orMissing(this.#client.get(PERSISTENT_VOLUMES, undefined, nameOf(volume), signal)),
      this.#orMissing(this.#client.get(PERSISTENT_VOLUME_CLAIMS, namespaceOf(claim), nameOf(claim), signal)),
      this.#nodeNow(volume, signal),
    ]);
    if (volumeNow === undefined || claimNow === undefined) return undefined;
    const isSame = uidOf(volumeNow) === uidOf(volume) && uidOf(claimNow) === uidOf(claim);
    return isSame && !isDeleting(claimNow) ? this.#scene(volumeNow, claimNow, node) : undefined;
  }

  async #nodeNow(volume: PersistentVolume, signal: AbortSignal): Promise<Node | undefined> {
    const known = this.#nodeOf(volume);
    if (known !== undefined) return this.#orMissing(this.#client.get(NODES, undefined, nameOf(known), signal));
    const { items } = await this.#client.list(NODES, {}, signal);
    return items.find((node) => isVolumeOnNode(volume, node));
  }

  async #orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #begin(
    { volume, claim, node, where }: Scene,
    cause: 'request' | 'policy',
    by: string,
    context: ReconcileContext,
  ): Promise<undefined> {
    // A node that is heard forgets a folder that it does not have. All other folders stay where they are.
    const keepsFolder = !(where === 'damaged' && isFolderLost(volume, node));
    const isDeleted = volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
    await this.#annotate(
      volume,
      {
        [GIVEN_UP_CLAIM_ANNOTATION]: formatClaimNote(claim, { by, keepsFolder }),
        ...(isDeleted && keepsFolder && { [GIVE_UP_ANNOTATION]: 'true' }),
      },
      context,
    );
    this.#givenUp.inc({ cause });
    const host = nodeNameOf(volume, node);
    const data = keepsFolder
      ? `what is in its folder ${volume.spec?.local?.path} stays on the disk of node "${host}"`
      : `its folder is not on node "${host}" any more`;
    const rest = isDeleted ? '' : ', and the volume stays, too, because its reclaim policy is Retain';
    const message = `${by} gave volume "${nameOf(volume)}" of claim ${namespacedName(claim)} up: ${data}${rest}. The claim gets a new, empty volume`;
    for (const object of [volume, claim]) this.#events.event(referenceTo(object), 'Warning', 'VolumeGivenUp', message);
    // The note is a change of the volume, and brings the key back.
    return undefined;
  }

  async #replace(
    known: PersistentVolume,
    note: GivenUpClaim,
    context: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const { signal } = context;
    const volume = await this.#orMissing(this.#client.get(PERSISTENT_VOLUMES, undefined, nameOf(known), signal));
    if (volume === undefined || readClaimNote(volume) === undefined) return undefined;
    const { claimRef } = volume.spec ?? {};
    // Somebody else's note: it may name any claim.
    if (claimRef?.namespace !== note.namespace || claimRef.name !== note.name) return this.#done(volume, context);
    const claim = await this.#orMissing(this.#client.get(PERSISTENT_VOLUME_CLAIMS, note.namespace, note.name, signal));
    if (claim === undefined || uidOf(claim) !== note.uid) {
      const why = claim === undefined && note.claim ? await this.#makeAnew(volume, note.claim, context) : undefined;
      if (why !== undefined) {
        this.#tellFailure(volume, why);
        return { requeueAfterMs: GIVE_UP_CHECK_MS };
      }
      if (claim !== undefined) this.#tellReplaced(volume, claim);
      return this.#done(volume, context);
    }
    const scene = this.#scene(volume, claim, await this.#nodeNow(volume, signal));
    if (!isDeleting(claim)) {
      if (scene.where === 'heard') return this.#withdraw(scene, context);
      const options = { uid: note.uid };
      const { namespace, name } = note;
      await context.write({ verb: 'delete', resource: PERSISTENT_VOLUME_CLAIMS, namespace, name, options });
    }
    await this.#endPods(scene, context);
    return { requeueAfterMs: NODE_VOLUME_BACK_OFF.baseMs };
  }

  /** Pods of a node that is lost are gone for us at once: it ends them when it is back. On one that is heard they have their time. */
  async #endPods({ here, where }: Scene, context: ReconcileContext): Promise<void> {
    const isLost = where === 'silent' || where === 'gone';
    for (const pod of here) {
      if (!isLost && isDeleting(pod)) continue;
      const options = { uid: uidOf(pod), ...(isLost && { gracePeriodSeconds: 0 }) };
      await context.write({
        verb: 'delete',
        resource: PODS,
        namespace: namespaceOf(pod),
        name: nameOf(pod),
        options,
      });
    }
  }

  /** @returns why it could not be made; undefined: it is there, or its namespace is not */
  async #makeAnew(
    volume: PersistentVolume,
    object: PersistentVolumeClaim,
    context: ReconcileContext,
  ): Promise<string | undefined> {
    let made: KubeObject | undefined;
    try {
      made = await context.write({ verb: 'create', resource: PERSISTENT_VOLUME_CLAIMS, object });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      // A quota, or an admission webhook: its word is for a person.
      if (error instanceof StatusError && error.code >= 400 && error.code < 500) return error.message;
      throw error;
    }
    // The owner of the pods may have been quicker: a StatefulSet makes claims that it lacks.
    const { namespace, name = '' } = object.metadata ?? {};
    const claim =
      made ?? (await this.#orMissing(this.#client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name, context.signal)));
    if (claim !== undefined) this.#tellReplaced(volume, claim);
    return undefined;
  }

  #tellReplaced(volume: PersistentVolume, claim: KubeObject): void {
    const message = `the claim was made anew, since its volume "${nameOf(volume)}" on node "${volumeHost(volume)}" was given up: it gets a new, empty volume`;
    this.#events.event(referenceTo(claim), 'Normal', 'ClaimReplaced', message);
  }

  #tellFailure(volume: PersistentVolume, why: string): void {
    const { namespace, name } = volume.spec?.claimRef ?? {};
    const message = `claim ${namespace}/${name}, whose volume was given up, cannot be made anew yet: ${why}`;
    if (this.#failures.get(nameOf(volume)) === message) return;
    this.#failures.set(nameOf(volume), message);
    this.#events.event(referenceTo(volume), 'Warning', 'ClaimNotReplaced', message);
  }

  async #done(volume: PersistentVolume, context: ReconcileContext): Promise<undefined> {
    await this.#annotate(volume, { [GIVEN_UP_CLAIM_ANNOTATION]: null }, context);
    return undefined;
  }

  async #withdraw({ volume, claim, node }: Scene, context: ReconcileContext): Promise<undefined> {
    await this.#annotate(volume, { [GIVEN_UP_CLAIM_ANNOTATION]: null, [GIVE_UP_ANNOTATION]: null }, context);
    const message = `volume "${nameOf(volume)}" is not given up after all: node "${nodeNameOf(volume, node)}" is heard again`;
    for (const object of [volume, claim]) this.#events.event(referenceTo(object), 'Normal', 'GiveUpWithdrawn', message);
    return undefined;
  }

  async #annotate(
    volume: PersistentVolume,
    annotations: Readonly<Record<string, string | null>>,
    context: ReconcileContext,
  ): Promise<void> {
    await context.write({
      verb: 'patch',
      resource: PERSISTENT_VOLUMES,
      name: nameOf(volume),
      type: 'merge',
      patch: { metadata: { uid: uidOf(volume), annotations } },
    });
  }
}
