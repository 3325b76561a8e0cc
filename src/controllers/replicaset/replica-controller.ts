/**
 * Keeps the number of a set's pods: for replica sets and replication controllers alike. Upstream: ReplicaSetController.
 *
 *   claim pods ─► plan (`plan-replicas.ts`) ─► create, or delete ─► write the status, once
 */
import {
  controllerOf,
  isConditionTrue,
  isDeleting,
  type ParsedLabelSelector,
  type Pod,
  PODS,
  RESOURCE_QUOTAS,
  namespaceOf,
  nameOf,
  uidOf,
} from '../../api/index.ts';
import {
  objectKey,
  referenceTo,
  type EventRecorder,
  type KubeClient,
  type Lister,
  type Informers,
} from '../../client/index.ts';
import { type Clock, errorMessage } from '../../lib/index.ts';
import { BY_CONTROLLER } from '../indexes.ts';
import { claim } from '../ownership/claim.ts';
import { cachedSelector, concernedOwners } from '../ownership/concerned-owners.ts';
import { inheritAvoidedNodes } from '../pods/inherit-avoided-nodes.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { isPodActive, isPodTerminating } from '../pods/pod-state.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { slowStart, type SlowStartResult } from '../slow-start.ts';
import { statusPatch } from '../status-patch.ts';
import { type FailedPodBackOff, NO_BACK_OFF } from './failed-pod-back-off.ts';
import { planReplicas, type ReplicaPlan } from './plan-replicas.ts';
import { countReplicas } from './replica-counts.ts';
import type { Replicated, ReplicatedKind } from './replicated-kind.ts';

export interface ReplicaControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly informers: Informers;
  readonly events: EventRecorder;
}

/** Keys are `namespace/name` of the sets. */
export function replicaController<T extends Replicated>(
  kind: ReplicatedKind<T>,
  options: ReplicaControllerOptions,
): Controller {
  const owners = options.informers.lister(kind.resource);
  const reconciler = new ReplicaReconciler(kind, options);
  const { selectorOf } = reconciler;
  return {
    name: kind.name,
    sources: [
      source(kind.resource, ({ key }) => [key]),
      source(PODS, (change) => concernedOwners(kind.resource, owners, selectorOf, change)),
      source(RESOURCE_QUOTAS, ({ object }) => refusedIn(owners, namespaceOf(object))),
    ],
    reconcile: (key, context) => reconciler.reconcile(key, context),
  };
}

/** Sets that could not make their pods: a quota that changed may let them, and their next try may be a quarter of an hour away. */
function refusedIn(owners: Lister<Replicated>, namespace: string): readonly string[] {
  return owners
    .list(namespace)
    .filter(({ status }) => isConditionTrue(status?.conditions, 'ReplicaFailure'))
    .map(objectKey);
}

class ReplicaReconciler<T extends Replicated> {
  readonly selectorOf: (owner: T) => ParsedLabelSelector | undefined;
  readonly #kind: ReplicatedKind<T>;
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #owners: Lister<T>;
  readonly #pods: Lister<Pod>;
  /** Key → the back-off of the set with this UID; only sets whose pods failed. */
  readonly #backOffs = new Map<string, { readonly uid: string; readonly state: FailedPodBackOff }>();

  constructor(kind: ReplicatedKind<T>, options: ReplicaControllerOptions) {
    const { client, clock, informers } = options;
    this.#kind = kind;
    this.selectorOf = cachedSelector((owner) => kind.selectorOf(owner));
    this.#client = client;
    this.#clock = clock;
    this.#events = options.events;
    this.#owners = informers.lister(kind.resource);
    this.#pods = informers.lister(PODS);
  }

  async reconcile(key: string, context: ReconcileContext): Promise<ReconcileResult | void> {
    const owner = this.#owners.getByKey(key);
    if (owner === undefined) {
      this.#backOffs.delete(key);
      return undefined;
    }
    const { owned, pending } = await claim({
      client: this.#client,
      context,
      ownerResource: this.#kind.resource,
      owner,
      selector: this.selectorOf(owner),
      resource: PODS,
      candidates: this.#candidates(owner),
    });
    if (pending) return undefined;
    const plan = this.#plan(key, owner, owned);
    const error = await this.#carryOut(owner, plan, context);
    const nextAvailableInMs = await this.#writeStatus(owner, owned, error, context);
    if (error !== undefined) throw error;
    return earliest(plan.waitMs, nextAvailableInMs);
  }

  /** Its own pods, and the orphans that it may adopt. */
  #candidates(owner: T): readonly Pod[] {
    const namespace = namespaceOf(owner);
    const orphans = this.#pods.byIndex(BY_CONTROLLER, '').filter((pod) => namespaceOf(pod) === namespace);
    return [...this.#pods.byIndex(BY_CONTROLLER, uidOf(owner)), ...orphans];
  }

  #plan(key: string, owner: T, owned: readonly Pod[]): ReplicaPlan {
    const known = this.#backOffs.get(key);
    const view = {
      desired: owner.spec?.replicas ?? 1,
      ending: isDeleting(owner),
      owned,
      related: () => this.#related(owner),
      backOff: known?.uid === uidOf(owner) ? known.state : NO_BACK_OFF,
    };
    const plan = planReplicas(view, this.#clock.now());
    const { backOff, told } = plan;
    if (backOff.failures === 0 && backOff.seen.size === 0) this.#backOffs.delete(key);
    else this.#backOffs.set(key, { uid: uidOf(owner), state: backOff });
    if (told !== undefined) this.#events.event(referenceTo(owner), 'Warning', 'BackOff', told);
    return plan;
  }

  /** @returns the first error, if any */
  async #carryOut(owner: T, { create, remove }: ReplicaPlan, context: ReconcileContext): Promise<unknown> {
    const made = create === 0 ? undefined : await this.#create(owner, create, context);
    const gone = remove.length === 0 ? undefined : await this.#delete(owner, remove, context);
    return made?.errors[0] ?? gone?.errors[0];
  }

  #create(owner: T, count: number, context: ReconcileContext): Promise<SlowStartResult> {
    const { resource } = this.#kind;
    const fresh = podFromTemplate(resource, owner, owner.spec?.template);
    const pod = inheritAvoidedNodes(fresh, owner, this.#clock.now().wall);
    const about = referenceTo(owner);
    return slowStart(Array.from({ length: count }), async () => {
      try {
        const created = await context.write({ verb: 'create', resource: PODS, object: pod });
        if (created !== undefined)
          this.#events.event(about, 'Normal', 'SuccessfulCreate', `Created pod: ${nameOf(created)}`);
      } catch (error) {
        this.#tellFailure(about, 'FailedCreate', `Error creating: ${errorMessage(error)}`, context);
        throw error;
      }
    });
  }

  #delete(owner: T, chosen: readonly Pod[], context: ReconcileContext): Promise<SlowStartResult> {
    const about = referenceTo(owner);
    return slowStart(chosen, async (pod) => {
      const [namespace, name, uid] = [namespaceOf(pod), nameOf(pod), uidOf(pod)];
      try {
        const deleted = await context.write({ verb: 'delete', resource: PODS, namespace, name, options: { uid } });
        if (deleted !== undefined) this.#events.event(about, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
      } catch (error) {
        this.#tellFailure(about, 'FailedDelete', `Error deleting: ${errorMessage(error)}`, context);
        throw error;
      }
    });
  }

  #tellFailure(
    about: ReturnType<typeof referenceTo>,
    reason: string,
    message: string,
    { signal }: ReconcileContext,
  ): void {
    if (!signal.aborted) this.#events.event(about, 'Warning', reason, message);
  }

  /** Pods of all sets that have the same controller: a rollout must not empty a node. */
  #related(owner: T): readonly Pod[] {
    const above = controllerOf(owner)?.uid;
    const siblings = above === undefined ? [owner] : this.#owners.byIndex(BY_CONTROLLER, above);
    return siblings.flatMap((sibling) => this.#pods.byIndex(BY_CONTROLLER, uidOf(sibling)));
  }

  async #writeStatus(
    owner: T,
    owned: readonly Pod[],
    error: unknown,
    context: ReconcileContext,
  ): Promise<number | undefined> {
    const { spec, status, metadata } = owner;
    const { status: next, nextAvailableInMs } = countReplicas({
      before: status ?? {},
      generation: metadata?.generation ?? 0,
      desired: spec?.replicas ?? 1,
      minReadySeconds: spec?.minReadySeconds ?? 0,
      templateLabels: spec?.template?.metadata?.labels,
      pods: {
        active: owned.filter(isPodActive),
        ...(this.#kind.countsTerminating ? { terminating: owned.filter(isPodTerminating) } : {}),
      },
      failure: error === undefined ? undefined : errorMessage(error),
      now: this.#clock.now().wall,
    });
    const patch = statusPatch(this.#kind.resource, owner, next);
    if (patch !== undefined) await context.write(patch);
    return nextAvailableInMs;
  }
}

function earliest(...waits: readonly (number | undefined)[]): ReconcileResult | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : { requeueAfterMs: Math.min(...known) };
}
