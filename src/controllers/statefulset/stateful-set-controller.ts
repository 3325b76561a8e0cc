/** Runs StatefulSets: reads the state, plans (`planStatefulSet`), carries the plan out, and reports. Keys are sets. */
import {
  CONTROLLER_REVISIONS,
  controllerOf,
  type ControllerRevision,
  isAlreadyExists,
  type KubeObject,
  isDeleting,
  labelSelectorOf,
  nameOf,
  namespacedName,
  namespaceOf,
  PERSISTENT_VOLUME_CLAIMS,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  STATEFUL_SETS,
  type StatefulSet,
  type StatefulSetStatus,
  uidOf,
} from '../../api/index.ts';
import {
  type Change,
  type EventRecorder,
  type KubeClient,
  type Lister,
  referenceTo,
  type Informers,
} from '../../client/index.ts';
import { assertNever, type Clock, errorMessage } from '../../lib/index.ts';
import { ensureRevision } from '../history/ensure-revision.ts';
import { ownedRevisions } from '../history/owned-revisions.ts';
import { sortRevisions, surplusRevisions } from '../history/plan-history.ts';
import { BY_CONTROLLER } from '../indexes.ts';
import { claim as claimObjects } from '../ownership/claim.ts';
import { cachedSelector, concernedOwners } from '../ownership/concerned-owners.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { slowStart } from '../slow-start.ts';
import { memberOf, ordinalIn, revisionNameOf } from './identity.ts';
import { planStatefulSet, type StatefulSetPlan, type Step } from './plan-stateful-set.ts';
import { SetBackOff } from './set-back-off.ts';

/** Label of a revision: the hash in its name. */
const HASH_LABEL = 'controller.kubernetes.io/hash';

export interface StatefulSetControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly informers: Informers;
  readonly events: EventRecorder;
}

export function statefulSetController(options: StatefulSetControllerOptions): Controller {
  const { informers } = options;
  const selectorOf = cachedSelector<StatefulSet>((set) => labelSelectorOf(set.spec?.selector));
  const worker = new StatefulSetWorker(options);
  const sets = informers.lister(STATEFUL_SETS);
  return {
    name: 'statefulset',
    sources: [
      source(STATEFUL_SETS, ({ key }) => [key]),
      source(PODS, (change) => both(change, (pod) => setsOfPod(pod, sets))),
      source(PERSISTENT_VOLUME_CLAIMS, ({ object }) => setsOfClaim(object, sets)),
      source(CONTROLLER_REVISIONS, (change) => concernedOwners(STATEFUL_SETS, sets, selectorOf, change)),
    ],
    reconcile: (key, context) => worker.reconcile(key, context),
  };
}

/** Keys of what an object is, and of what it was before: an owner that lost it must look, too. */
function both<T>(change: Change<T>, keysOf: (object: T) => readonly string[]): readonly string[] {
  const before = change.type === 'apply' && change.previous !== undefined ? keysOf(change.previous) : [];
  return [...new Set([...keysOf(change.object), ...before])];
}

/** The set that controls the pod, else the one that would call a pod of its own the same. */
function setsOfPod(pod: Pod, sets: Lister<StatefulSet>): readonly string[] {
  const owner = keyOfController(pod);
  if (owner !== undefined) return [owner];
  const member = memberOf(nameOf(pod));
  if (member === undefined) return [];
  const key = `${namespaceOf(pod)}/${member.parent}`;
  return sets.getByKey(key) === undefined ? [] : [key];
}

function keyOfController(object: KubeObject): string | undefined {
  const owner = controllerOf(object);
  return owner?.kind === STATEFUL_SETS.kind ? `${namespaceOf(object)}/${owner.name}` : undefined;
}

function setsOfClaim(claim: PersistentVolumeClaim, sets: Lister<StatefulSet>): readonly string[] {
  const member = memberOf(nameOf(claim));
  if (member === undefined) return [];
  return sets
    .list(namespaceOf(claim))
    .filter((set) =>
      (set.spec?.volumeClaimTemplates ?? []).some((template) => `${nameOf(template)}-${nameOf(set)}` === member.parent),
    )
    .map(namespacedName);
}

class StatefulSetWorker {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #sets: Lister<StatefulSet>;
  readonly #pods: Lister<Pod>;
  readonly #claims: Lister<PersistentVolumeClaim>;
  readonly #revisions: Lister<ControllerRevision>;
  readonly #backOff: SetBackOff;

  constructor({ client, clock, informers, events }: StatefulSetControllerOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#events = events;
    this.#sets = informers.lister(STATEFUL_SETS);
    this.#pods = informers.lister(PODS);
    this.#claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
    this.#revisions = informers.lister(CONTROLLER_REVISIONS);
    this.#backOff = new SetBackOff(clock, events);
  }

  async reconcile(key: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const set = this.#sets.getByKey(key);
    // For a set that is being deleted the garbage collector alone decides about its pods and history.
    if (set === undefined || isDeleting(set)) {
      this.#backOff.forget(key);
      return undefined;
    }
    const owned = await this.#claimPods(set, context);
    if (owned === undefined) return undefined;
    const selector = labelSelectorOf(set.spec?.selector);
    const shared = { client: this.#client, context, resource: STATEFUL_SETS, owner: set };
    const history = await ownedRevisions({ ...shared, lister: this.#revisions, selector });
    if (history.pending) return undefined;
    const { sorted } = history;
    const { revision: update, collisionCount } = await ensureRevision({
      ...shared,
      sorted,
      template: set.spec?.template,
      collisionCount: set.status?.collisionCount ?? 0,
      hashLabel: HASH_LABEL,
    });
    const current = sorted.find((revision) => nameOf(revision) === set.status?.currentRevision) ?? update;
    const namespace = namespaceOf(set);
    this.#backOff.look(key, set, owned);
    const plan = planStatefulSet({
      set,
      revisions: { current, update, collisionCount },
      pods: owned,
      foreignPod: (name) => this.#pods.get(namespace, name),
      claim: (name) => this.#claims.get(namespace, name),
      failureWaitMs: (name) => this.#backOff.waitMs(key, name),
      now: this.#clock.now().wall,
    });
    for (const step of plan.steps) if (step.kind === 'delete') this.#backOff.beforeDeletion(key, step.pod);
    const errors = await this.#carryOut(set, plan, context);
    await this.#tell(set, plan.status, context);
    const live = new Set([nameOf(current), nameOf(update), ...owned.map(revisionNameOf)]);
    await this.#truncate(set, sorted, live, context);
    if (errors.length > 0) throw errors[0];
    return plan.wakeAfterMs === undefined ? undefined : { requeueAfterMs: plan.wakeAfterMs };
  }

  /** Its own pods; undefined while some are being adopted or released. */
  async #claimPods(set: StatefulSet, context: ReconcileContext): Promise<readonly Pod[] | undefined> {
    const orphans = this.#pods.byIndex(BY_CONTROLLER, '').filter((pod) => namespaceOf(pod) === namespaceOf(set));
    const { owned, pending } = await claimObjects({
      client: this.#client,
      context,
      ownerResource: STATEFUL_SETS,
      owner: set,
      selector: labelSelectorOf(set.spec?.selector),
      resource: PODS,
      candidates: [...this.#pods.byIndex(BY_CONTROLLER, uidOf(set)), ...orphans].filter(
        (pod) => ordinalIn(set, pod) !== undefined,
      ),
    });
    return pending ? undefined : owned;
  }

  /** The errors of the steps that failed. */
  async #carryOut(set: StatefulSet, plan: StatefulSetPlan, context: ReconcileContext): Promise<readonly unknown[]> {
    if (plan.parallel) return (await slowStart(plan.steps, (step) => this.#do(set, step, context))).errors;
    try {
      for (const step of plan.steps) await this.#do(set, step, context);
      return [];
    } catch (error) {
      return [error];
    }
  }

  async #do(set: StatefulSet, step: Step, context: ReconcileContext): Promise<void> {
    const { namespace = '' } = set.metadata ?? {};
    switch (step.kind) {
      case 'create':
        return this.#tellOf('create', set, step.pod, async () => {
          await this.#makeClaims(set, step.pod, step.claims, context);
          return context.write({ verb: 'create', resource: PODS, object: step.pod }, { ownName: true });
        });
      case 'delete':
        return this.#tellOf('delete', set, step.pod, () => {
          const name = nameOf(step.pod);
          return context.write({ verb: 'delete', resource: PODS, namespace, name, options: { uid: uidOf(step.pod) } });
        });
      case 'label':
        return this.#tellOf('update', set, step.pod, () => {
          const patch = { metadata: { uid: uidOf(step.pod), labels: step.labels } };
          return context.write({
            verb: 'patch',
            resource: PODS,
            namespace,
            name: nameOf(step.pod),
            type: 'merge',
            patch,
          });
        });
      case 'claim':
        return this.#makeClaims(set, step.pod, step.claims, context);
      case 'own': {
        const { resourceVersion } = step.claim.metadata ?? {};
        const patch = { metadata: { uid: uidOf(step.claim), resourceVersion, ownerReferences: step.owners } };
        const name = nameOf(step.claim);
        await context.write({
          verb: 'patch',
          resource: PERSISTENT_VOLUME_CLAIMS,
          namespace,
          name,
          type: 'merge',
          patch,
        });
        return undefined;
      }
      case 'conflict': {
        const message = `PersistentVolumeClaim ${nameOf(step.claim)} has a conflicting OwnerReference that acts as a managing controller, the retention policy is ignored for this claim`;
        this.#events.event(referenceTo(set), 'Warning', 'ConflictingController', message);
        return undefined;
      }
      case 'complain':
        return this.#failed(step.verb, set, step.pod, step.message);
      default:
        return assertNever(step);
    }
  }

  async #makeClaims(
    set: StatefulSet,
    pod: Pod,
    claims: readonly PersistentVolumeClaim[],
    context: ReconcileContext,
  ): Promise<void> {
    for (const claim of claims) {
      const where = `Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)}`;
      try {
        const written = await context.write(
          { verb: 'create', resource: PERSISTENT_VOLUME_CLAIMS, object: claim },
          { ownName: true },
        );
        if (written === undefined) continue;
        const message = `create Claim ${nameOf(claim)} ${where} success`;
        this.#events.event(referenceTo(set), 'Normal', 'SuccessfulCreate', message);
      } catch (error) {
        if (!isAlreadyExists(error)) {
          const message = `create Claim ${nameOf(claim)} for ${where} failed error: ${errorMessage(error)}`;
          this.#events.event(referenceTo(set), 'Warning', 'FailedCreate', message);
        }
        throw error;
      }
    }
  }

  /** Carries it out and reports the result. An operation that another client has already done is not reported. */
  async #tellOf(
    verb: 'create' | 'update' | 'delete',
    set: StatefulSet,
    pod: Pod,
    work: () => Promise<KubeObject | undefined>,
  ): Promise<void> {
    try {
      if ((await work()) === undefined) return;
      const message = `${verb} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)} successful`;
      this.#events.event(referenceTo(set), 'Normal', `Successful${titled(verb)}`, message);
    } catch (error) {
      this.#failed(verb, set, pod, errorMessage(error));
      throw error;
    }
  }

  #failed(verb: 'create' | 'update' | 'delete', set: StatefulSet, pod: Pod, reason: string): void {
    const message = `${verb} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)} failed error: ${reason}`;
    this.#events.event(referenceTo(set), 'Warning', `Failed${titled(verb)}`, message);
  }

  async #tell(set: StatefulSet, status: StatefulSetStatus, context: ReconcileContext): Promise<void> {
    const { conditions: _, ...counted } = status;
    const before = (set.status ?? {}) as Readonly<Record<string, unknown>>;
    const changes = [...COUNTS].flatMap((name) =>
      counted[name] === before[name] ? [] : [[name, counted[name] ?? null] as const],
    );
    if (changes.length === 0) return;
    await context.write({
      verb: 'patch',
      resource: STATEFUL_SETS,
      namespace: namespaceOf(set),
      name: nameOf(set),
      type: 'merge',
      subresource: 'status',
      patch: { metadata: { uid: uidOf(set) }, status: Object.fromEntries(changes) },
    });
  }

  async #truncate(
    set: StatefulSet,
    sorted: readonly ControllerRevision[],
    live: ReadonlySet<string>,
    context: ReconcileContext,
  ): Promise<void> {
    const surplus = surplusRevisions(sortRevisions(sorted), live, set.spec?.revisionHistoryLimit);
    for (const revision of surplus) {
      const [namespace, name, uid] = [namespaceOf(revision), nameOf(revision), uidOf(revision)];
      await context.write({ verb: 'delete', resource: CONTROLLER_REVISIONS, namespace, name, options: { uid } });
    }
  }
}

/** The part of the status that the controller writes; conditions belong to others. */
const COUNTS = [
  'observedGeneration',
  'replicas',
  'readyReplicas',
  'currentReplicas',
  'updatedReplicas',
  'availableReplicas',
  'currentRevision',
  'updateRevision',
  'collisionCount',
] as const;

function titled(verb: string): string {
  return verb.slice(0, 1).toUpperCase() + verb.slice(1);
}
