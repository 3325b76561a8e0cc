/** Carries out the plan of `planDeployment`, one step per reconcile: creates a replica set, scales sets, writes the status. */
import {
  AVOID_NODES,
  controllerOf,
  type Deployment,
  DEPLOYMENTS,
  findCondition,
  isAlreadyExists,
  isControlledBy,
  type KubeObject,
  labelSelectorOf,
  nameOf,
  namespaceOf,
  type Pod,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
  uidOf,
} from '../../api/index.ts';
import {
  type Change,
  type EventRecorder,
  keyOf,
  type KubeClient,
  type Lister,
  referenceTo,
  type Informers,
} from '../../client/index.ts';
import { type Clock, errorMessage } from '../../lib/index.ts';
import { BY_CONTROLLER } from '../indexes.ts';
import type { Operation } from '../operation.ts';
import { claim } from '../ownership/claim.ts';
import { cachedSelector, concernedOwners } from '../ownership/concerned-owners.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { statusPatch } from '../status-patch.ts';
import { REVISION } from './annotations.ts';
import { progressing, withCondition } from './conditions.ts';
import { progressDeadlineOf } from './deployment-status.ts';
import { type DeploymentPlan, planDeployment, type SetChange } from './plan-deployment.ts';
import { isSameTemplate } from './replica-sets.ts';
import { sizeOf } from './rollout-math.ts';

export interface DeploymentControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly informers: Informers;
  readonly events: EventRecorder;
}

const selectorOf = cachedSelector(({ spec }: Deployment) => labelSelectorOf(spec?.selector));

/** Keys are `namespace/name` of the deployments. */
export function deploymentController(options: DeploymentControllerOptions): Controller {
  const { informers } = options;
  const deployments = informers.lister(DEPLOYMENTS);
  const sets = informers.lister(REPLICA_SETS);
  const reconciler = new DeploymentReconciler(options);
  return {
    name: 'deployment',
    sources: [
      source(DEPLOYMENTS, ({ key }) => [key]),
      source(REPLICA_SETS, (change) => concernedOwners(DEPLOYMENTS, deployments, selectorOf, change)),
      source(PODS, (change) => waitingForEnd(deployments, sets, change)),
    ],
    reconcile: (key, context) => reconciler.reconcile(key, context),
  };
}

/**
 * A deployment with strategy Recreate waits for the end of its old pods; other deployments learn everything from their
 * replica sets.
 */
function waitingForEnd(
  deployments: Lister<Deployment>,
  sets: Lister<ReplicaSet>,
  { type, object }: Change<Pod>,
): readonly string[] {
  const above = controllerOf(object);
  if (above?.kind !== REPLICA_SETS.kind || (type === 'apply' && !isPodTerminal(object))) return [];
  const namespace = namespaceOf(object);
  const set = sets.get(namespace, above.name);
  const owner = set === undefined ? undefined : controllerOf(set);
  if (owner?.kind !== DEPLOYMENTS.kind) return [];
  const waits = deployments.get(namespace, owner.name)?.spec?.strategy?.type === 'Recreate';
  return waits ? [keyOf(namespace, owner.name)] : [];
}

class DeploymentReconciler {
  readonly #options: DeploymentControllerOptions;
  readonly #events: EventRecorder;
  readonly #deployments: Lister<Deployment>;
  readonly #sets: Lister<ReplicaSet>;
  readonly #pods: Lister<Pod>;
  /**
   * Key → the Progressing condition, and the mono ms since which we know it. Its own time is not used: it runs while nothing
   * works on the rollout (a suspended machine, a server that was away), and the deadline must not.
   */
  readonly #said = new Map<string, { readonly word: string; readonly since: number }>();

  constructor(options: DeploymentControllerOptions) {
    const { informers } = options;
    this.#options = options;
    this.#events = options.events;
    this.#deployments = informers.lister(DEPLOYMENTS);
    this.#sets = informers.lister(REPLICA_SETS);
    this.#pods = informers.lister(PODS);
  }

  async reconcile(key: string, context: ReconcileContext): Promise<ReconcileResult | void> {
    const deployment = this.#deployments.getByKey(key);
    if (deployment === undefined) {
      this.#said.delete(key);
      return undefined;
    }
    const { owned, pending } = await claim({
      client: this.#options.client,
      context,
      ownerResource: DEPLOYMENTS,
      owner: deployment,
      selector: selectorOf(deployment),
      resource: REPLICA_SETS,
      candidates: this.#candidates(deployment),
    });
    if (pending) return undefined;
    const plan = planDeployment({
      deployment,
      sets: owned,
      hasPods: (set) => this.#pods.byIndex(BY_CONTROLLER, uidOf(set)).some((pod) => !isPodTerminal(pod)),
      quietMs: this.#quietMs(key, deployment),
      now: this.#options.clock.now().wall,
    });
    return this.#carryOut(plan, deployment, context);
  }

  /** Its own sets, and the orphans that it may adopt. */
  #candidates(deployment: Deployment): readonly ReplicaSet[] {
    const namespace = namespaceOf(deployment);
    const orphans = this.#sets.byIndex(BY_CONTROLLER, '').filter((set) => namespaceOf(set) === namespace);
    return [...this.#sets.byIndex(BY_CONTROLLER, uidOf(deployment)), ...orphans];
  }

  #quietMs(key: string, deployment: Deployment): number {
    const { mono } = this.#options.clock.now();
    const { reason = '', lastUpdateTime = '' } = findCondition(deployment.status?.conditions, 'Progressing') ?? {};
    const word = `${uidOf(deployment)} ${reason} ${lastUpdateTime}`;
    const known = this.#said.get(key);
    if (known?.word === word) return mono - known.since;
    this.#said.set(key, { word, since: mono });
    return 0;
  }

  async #carryOut(
    plan: DeploymentPlan,
    deployment: Deployment,
    context: ReconcileContext,
  ): Promise<ReconcileResult | undefined> {
    if (plan.create !== undefined && !(await this.#create(plan.create, deployment, context))) return undefined;
    for (const change of plan.changes) await this.#change(change, deployment, context);
    await context.perform(plan.deletes.map(deletion));
    if (plan.forgetful.length > 0 && (await this.#hasForgotten(deployment, context)))
      await context.perform(plan.forgetful.map(forgetting));
    const { revision } = plan;
    const metadata = revision === undefined ? undefined : { annotations: { [REVISION]: revision } };
    const patch = statusPatch(DEPLOYMENTS, deployment, plan.status, metadata);
    if (patch !== undefined) await context.write(patch);
    return plan.checkInMs === undefined ? undefined : { requeueAfterMs: plan.checkInMs };
  }

  /** Avoided nodes are written to deployment and set at the same time: here the set may be seen first. */
  async #hasForgotten(deployment: Deployment, { signal }: ReconcileContext): Promise<boolean> {
    const { client } = this.#options;
    const [namespace, name] = [namespaceOf(deployment), nameOf(deployment)];
    const there = await client.get(DEPLOYMENTS, namespace, name, signal, { metadataOnly: true });
    return uidOf(there) === uidOf(deployment) && there.metadata?.annotations?.[AVOID_NODES] === undefined;
  }

  /** False: the name is taken by something else, and there will be another one. */
  async #create(set: ReplicaSet, deployment: Deployment, context: ReconcileContext): Promise<boolean> {
    try {
      const created = await context.write({ verb: 'create', resource: REPLICA_SETS, object: set }, { ownName: true });
      if (created !== undefined && sizeOf(set) > 0)
        this.#tell(deployment, `Scaled up replica set ${nameOf(set)} from 0 to ${sizeOf(set)}`);
      return created !== undefined;
    } catch (error) {
      if (isAlreadyExists(error)) return this.#meetNamesake(set, deployment, context);
      if (!context.signal.aborted) await this.#tellFailure(set, deployment, error, context);
      throw error;
    }
  }

  /** Its own set, which the lister does not show yet, or an unlucky hash. */
  async #meetNamesake(set: ReplicaSet, deployment: Deployment, context: ReconcileContext): Promise<boolean> {
    const { client } = this.#options;
    const there = await client.get(REPLICA_SETS, namespaceOf(set), nameOf(set), context.signal);
    if (isControlledBy(there, deployment) && isSameTemplate(there.spec?.template, set.spec?.template)) return true;
    const { status = {} } = deployment;
    const patch = statusPatch(DEPLOYMENTS, deployment, { ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
    if (patch !== undefined) await context.write(patch);
    return false;
  }

  async #tellFailure(
    set: ReplicaSet,
    deployment: Deployment,
    error: unknown,
    context: ReconcileContext,
  ): Promise<void> {
    const message = `Failed to create new replica set ${JSON.stringify(nameOf(set))}: ${errorMessage(error)}`;
    this.#events.event(referenceTo(deployment), 'Warning', 'ReplicaSetCreateError', message);
    if (progressDeadlineOf(deployment) === undefined) return;
    const { status = {} } = deployment;
    const words = progressing('False', 'ReplicaSetCreateError', message);
    const conditions = withCondition(status.conditions ?? [], words, this.#options.clock.now().wall);
    const patch = statusPatch(DEPLOYMENTS, deployment, { ...status, conditions });
    if (patch !== undefined) await context.write(patch);
  }

  async #change(change: SetChange, deployment: Deployment, context: ReconcileContext): Promise<void> {
    const { set, replicas } = change;
    const written = await context.write(patchOf(change));
    if (written === undefined || replicas === undefined) return;
    const way = replicas > sizeOf(set) ? 'up' : 'down';
    this.#tell(deployment, `Scaled ${way} replica set ${nameOf(set)} from ${sizeOf(set)} to ${replicas}`);
  }

  #tell(deployment: KubeObject, message: string): void {
    this.#events.event(referenceTo(deployment), 'Normal', 'ScalingReplicaSet', message);
  }
}

function patchOf({ set, replicas, minReadySeconds, annotations }: SetChange): Operation {
  const spec = {
    ...(replicas === undefined ? {} : { replicas }),
    ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
  };
  return {
    verb: 'patch',
    resource: REPLICA_SETS,
    namespace: namespaceOf(set),
    name: nameOf(set),
    type: 'merge',
    patch: {
      metadata: { uid: uidOf(set), ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
      ...(Object.keys(spec).length === 0 ? {} : { spec }),
    },
  };
}

function forgetting(set: ReplicaSet): Operation {
  return {
    verb: 'patch',
    resource: REPLICA_SETS,
    namespace: namespaceOf(set),
    name: nameOf(set),
    type: 'merge',
    patch: { metadata: { uid: uidOf(set), annotations: { [AVOID_NODES]: null } } },
  };
}

function deletion(set: ReplicaSet): Operation {
  return {
    verb: 'delete',
    resource: REPLICA_SETS,
    namespace: namespaceOf(set),
    name: nameOf(set),
    options: { uid: uidOf(set), propagationPolicy: 'Background' },
  };
}
