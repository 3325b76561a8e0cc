/**
 * Moves pods that ask for another node (condition `mendlet.dev/MoveRequested`): their owner remembers the node, then they are
 * evicted within disruption budgets; or they are told that they stay. Keys are pods.
 */
import {
  hasReason,
  isConditionTrue,
  isNotFound,
  MOVE_REQUESTED_CONDITION,
  MOVE_VERDICT,
  type MoveVerdict,
  nameOf,
  NAMESPACES,
  namespaceOf,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  StatusError,
  uidOf,
} from '../../api/index.ts';
import { type EventRecorder, type KubeClient, objectKey, referenceTo, type Informers } from '../../client/index.ts';
import { type Clock, type Counter, exponentialDelay } from '../../lib/index.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { annotatePod } from './annotate-pod.ts';
import { BLOCKED_MOVE_BACK_OFF, CROWDED_AGAIN_MS } from './limits.ts';
import { findMoveOwners, type MoveOwner, remember, rememberedFor } from './move-owners.ts';
import type { Refusals, Surroundings } from './other-nodes.ts';
import { type MoveWish, moveWishOf, planMove } from './plan-move.ts';

export interface MoveOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly informers: Informers;
  readonly events: EventRecorder;
  /** By result: moved, refused, blocked. */
  readonly moves: Counter;
  /** The scheduler's filters. Absent: that there is room elsewhere is taken for granted. */
  readonly refusals?: Refusals;
}

export function moveController(options: MoveOptions): Controller {
  const pods = options.informers.lister(PODS);
  const mover = new Mover(options);
  return {
    name: 'healing-move',
    // One after another: the owner's record about the first pod counts for the next one.
    concurrency: 1,
    sources: [
      source(PODS, ({ type, object }) =>
        type === 'apply' && isConditionTrue(object.status?.conditions, MOVE_REQUESTED_CONDITION)
          ? [objectKey(object)]
          : mover.forget(object),
      ),
      source(NODES, () => []),
    ],
    reconcile: async (key, context) => {
      const pod = pods.getByKey(key);
      const wish = pod && moveWishOf(pod);
      if (pod === undefined || wish === undefined || answeredId(pod) === wish.id) return undefined;
      return mover.answer(pod, wish, context);
    },
  };
}

class Mover {
  readonly #options: MoveOptions;
  /** UID of a pod → how often its budget forbade its eviction. */
  readonly #blocked = new Map<string, number>();
  /** UIDs of pods whose eviction was granted, until the lister shows it. */
  readonly #evicted = new Set<string>();

  constructor(options: MoveOptions) {
    this.#options = options;
  }

  forget(pod: Pod): readonly string[] {
    this.#blocked.delete(uidOf(pod));
    this.#evicted.delete(uidOf(pod));
    return [];
  }

  async answer(pod: Pod, wish: MoveWish, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { client, clock } = this.#options;
    if (this.#evicted.has(uidOf(pod))) return undefined;
    const found = await findMoveOwners(client, pod, context.signal);
    if (found.kind === 'gone') return undefined;
    if (found.kind === 'none') return this.#refuse(pod, wish, found.message, context);
    const now = clock.now().wall;
    const remembered = rememberedFor(pod, found.owners, now);
    const around = await this.#surroundings(pod, context.signal);
    const { refusals } = this.#options;
    const plan = planMove({
      pod,
      wish,
      remembered,
      around,
      leaving: this.#evicted,
      now,
      ...(refusals === undefined ? {} : { refusals }),
    });
    if (plan.kind === 'wait') return { requeueAfterMs: CROWDED_AGAIN_MS };
    if (plan.kind === 'stop') return this.#refuse(pod, wish, plan.message, context);
    // Written down first: if we end here, the pod goes on waiting, and its successors know the node.
    if (plan.entry !== undefined) await context.perform(remember(found.owners, plan.entry, now));
    return this.#evict(pod, wish, found.owners, context);
  }

  /** Moves are rare: objects that are not watched anyway are read on request. */
  async #surroundings(pod: Pod, signal: AbortSignal): Promise<Surroundings> {
    const { client, informers, refusals } = this.#options;
    const near = { nodes: informers.lister(NODES).list(), pods: informers.lister(PODS).list() };
    if (refusals === undefined) return { ...near, namespaces: [], claims: [], volumes: [] };
    const { items: namespaces } = await client.list(NAMESPACES, {}, signal);
    const claims: PersistentVolumeClaim[] = [];
    const volumes: PersistentVolume[] = [];
    for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
      if (persistentVolumeClaim === undefined) continue;
      const read = client.get(PERSISTENT_VOLUME_CLAIMS, namespaceOf(pod), persistentVolumeClaim.claimName, signal);
      const claim = await read.catch(unlessNotFound);
      if (claim === undefined) continue;
      claims.push(claim);
      const { volumeName = '' } = claim.spec ?? {};
      if (volumeName === '') continue;
      const volume = await client.get(PERSISTENT_VOLUMES, undefined, volumeName, signal).catch(unlessNotFound);
      if (volume !== undefined) volumes.push(volume);
    }
    return { ...near, namespaces, claims, volumes };
  }

  async #refuse(pod: Pod, { id }: MoveWish, message: string, context: ReconcileContext): Promise<undefined> {
    const verdict: MoveVerdict = { id, action: 'stop', message };
    await context.write(annotatePod(pod, { [MOVE_VERDICT]: JSON.stringify(verdict) }));
    this.#options.moves.inc({ result: 'refused' });
  }

  async #evict(
    pod: Pod,
    { cause }: MoveWish,
    owners: readonly MoveOwner[],
    { signal }: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    const { client, events, moves } = this.#options;
    const [namespace, name, uid] = [namespaceOf(pod), nameOf(pod), uidOf(pod)];
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { namespace, name },
      deleteOptions: { preconditions: { uid } },
    };
    const died = `${name} died on node ${pod.spec?.nodeName ?? ''} (${cause})`;
    try {
      await client.createSubresource(PODS, namespace, name, 'eviction', eviction, signal);
    } catch (error) {
      // Gone already, or another pod by now.
      if (isNotFound(error) || hasReason(error, 'Conflict')) return undefined;
      if (!(error instanceof StatusError) || error.code !== 429) throw error;
      moves.inc({ result: 'blocked' });
      const text = `${died} and should move to another node: ${error.message}`;
      events.event(referenceTo(pod), 'Warning', 'HealingMoveBlocked', text);
      return { requeueAfterMs: this.#nextTryMs(uid) };
    }
    this.#evicted.add(uid);
    moves.inc({ result: 'moved' });
    const about = [pod, ...owners.slice(0, 1).map(({ object }) => object)];
    for (const object of about) {
      events.event(referenceTo(object), 'Normal', 'HealingMove', `${died}: moving it to another node`);
    }
    return undefined;
  }

  #nextTryMs(uid: string): number {
    const before = this.#blocked.get(uid) ?? 0;
    this.#blocked.set(uid, before + 1);
    return exponentialDelay(BLOCKED_MOVE_BACK_OFF, before + 1);
  }
}

function unlessNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}

/** The wish that was answered last. */
function answeredId({ metadata }: Pod): unknown {
  try {
    return (JSON.parse(metadata?.annotations?.[MOVE_VERDICT] ?? '{}') as Partial<MoveVerdict>).id;
  } catch {
    return undefined;
  }
}
