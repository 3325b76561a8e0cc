/** Runs DaemonSets: reads the state, plans (`planDaemonSet`), carries the plan out, and reports. Keys are sets. */
import {
  CONTROLLER_REVISIONS,
  type ControllerRevision,
  DAEMON_SET_COUNTS,
  DAEMON_SETS,
  type DaemonSet,
  type DaemonSetStatus,
  equalJson,
  isDeleting,
  labelSelectorOf,
  nameOf,
  namespacedName,
  namespaceOf,
  type Node,
  NODES,
  type Pod,
  PODS,
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
import { type Clock, errorMessage } from '../../lib/index.ts';
import { ensureRevision } from '../history/ensure-revision.ts';
import { ownedRevisions } from '../history/owned-revisions.ts';
import { surplusRevisions } from '../history/plan-history.ts';
import { recordsSame, revisionData } from '../history/revision.ts';
import { BY_CONTROLLER } from '../indexes.ts';
import { DAEMON_BURST } from '../limits.ts';
import { claim as claimObjects } from '../ownership/claim.ts';
import { cachedSelector, concernedOwners } from '../ownership/concerned-owners.ts';
import { FailedPodBackOff } from '../pods/failed-pod-back-off.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { slowStart } from '../slow-start.ts';
import { HASH_LABEL, hashOf, newDaemonPod } from './daemon-pod.ts';
import { nodeFitness } from './node-fitness.ts';
import { type DaemonSetPlan, planDaemonSet } from './plan-daemon-set.ts';

export interface DaemonSetControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly informers: Informers;
  readonly events: EventRecorder;
}

export function daemonSetController(options: DaemonSetControllerOptions): Controller {
  const sets = options.informers.lister(DAEMON_SETS);
  const selectorOf = cachedSelector<DaemonSet>((set) => labelSelectorOf(set.spec?.selector));
  const worker = new DaemonSetWorker(options);
  return {
    name: 'daemonset',
    sources: [
      source(DAEMON_SETS, ({ key }) => [key]),
      source(NODES, (change) => setsOfNode(change, sets)),
      source(PODS, (change) => concernedOwners(DAEMON_SETS, sets, selectorOf, change)),
      source(CONTROLLER_REVISIONS, (change) => concernedOwners(DAEMON_SETS, sets, selectorOf, change)),
    ],
    reconcile: (key, context) => worker.reconcile(key, context),
  };
}

/** Those that a node's coming, going or change concerns; a heartbeat concerns none. */
function setsOfNode(change: Change<Node>, sets: Lister<DaemonSet>): readonly string[] {
  const { type, object: node } = change;
  const before = type === 'apply' ? change.previous : undefined;
  if (before === undefined) return sets.list().map(namespacedName);
  const same =
    equalJson(before.metadata?.labels, node.metadata?.labels) && equalJson(before.spec?.taints, node.spec?.taints);
  if (same) return [];
  return sets
    .list()
    .filter((set) => !equalJson(nodeFitness(set, before), nodeFitness(set, node)))
    .map(namespacedName);
}

class DaemonSetWorker {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #events: EventRecorder;
  readonly #sets: Lister<DaemonSet>;
  readonly #nodes: Lister<Node>;
  readonly #pods: Lister<Pod>;
  readonly #revisions: Lister<ControllerRevision>;
  readonly #backOff = new FailedPodBackOff();
  /** Set → UID and generation that its back-off is for: another template resets it. */
  readonly #backOffOf = new Map<string, string>();

  constructor({ client, clock, informers, events }: DaemonSetControllerOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#events = events;
    this.#sets = informers.lister(DAEMON_SETS);
    this.#nodes = informers.lister(NODES);
    this.#pods = informers.lister(PODS);
    this.#revisions = informers.lister(CONTROLLER_REVISIONS);
  }

  async reconcile(key: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const set = this.#sets.getByKey(key);
    // For a set that is being deleted the garbage collector alone decides about its pods and history.
    if (set === undefined || isDeleting(set)) {
      this.#forget(key);
      return undefined;
    }
    const selector = labelSelectorOf(set.spec?.selector);
    const shared = { client: this.#client, context, resource: DAEMON_SETS, owner: set };
    const history = await ownedRevisions({ ...shared, lister: this.#revisions, selector });
    const pods = await this.#claimPods(set, context);
    if (history.pending || pods === undefined) return undefined;
    const { sorted } = history;
    const { template } = set.spec ?? {};
    const { revision, collisionCount } = await ensureRevision({
      ...shared,
      sorted,
      template,
      collisionCount: set.status?.collisionCount ?? 0,
      hashLabel: HASH_LABEL,
    });
    const wanted = revisionData(template);
    const equal = [...sorted.filter((each) => recordsSame(each, wanted)), revision];
    this.#renewBackOff(key, set);
    const plan = planDaemonSet({
      set,
      nodes: this.#nodes.list(),
      pods,
      hashes: new Set(equal.map(revisionHash)),
      collisionCount,
      failureWaitMs: (nodeName) => this.#backOff.waitMs(key, nodeName, this.#clock.now().mono),
      now: this.#clock.now().wall,
    });
    const errors = await this.#carryOut(key, set, plan, revisionHash(revision), context);
    await this.#tell(set, plan.status, context);
    await this.#truncate(set, sorted, equal, pods, context);
    if (errors.length > 0) throw errors[0];
    return plan.wakeAfterMs === undefined ? undefined : { requeueAfterMs: plan.wakeAfterMs };
  }

  #forget(key: string): void {
    this.#backOff.forget(key);
    this.#backOffOf.delete(key);
  }

  #renewBackOff(key: string, set: DaemonSet): void {
    const whose = `${uidOf(set)}/${set.metadata?.generation ?? 0}`;
    if (this.#backOffOf.get(key) !== whose) this.#backOff.forget(key);
    this.#backOffOf.set(key, whose);
    this.#backOff.keep(key, new Set(this.#nodes.list().map(nameOf)));
  }

  /** Its own pods; undefined while some are being adopted or released. */
  async #claimPods(set: DaemonSet, context: ReconcileContext): Promise<readonly Pod[] | undefined> {
    const orphans = this.#pods.byIndex(BY_CONTROLLER, '').filter((pod) => namespaceOf(pod) === namespaceOf(set));
    const { owned, pending } = await claimObjects({
      client: this.#client,
      context,
      ownerResource: DAEMON_SETS,
      owner: set,
      selector: labelSelectorOf(set.spec?.selector),
      resource: PODS,
      candidates: [...this.#pods.byIndex(BY_CONTROLLER, uidOf(set)), ...orphans],
    });
    return pending ? undefined : owned;
  }

  /** The errors of what failed. Deletions are not held up by creations that fail. */
  async #carryOut(
    key: string,
    set: DaemonSet,
    plan: DaemonSetPlan,
    hash: string,
    context: ReconcileContext,
  ): Promise<readonly unknown[]> {
    for (const { pod, nodeName } of plan.ended) {
      const failed = pod.status?.phase === 'Failed';
      const what = `Found ${failed ? 'failed' : 'succeeded'} daemon pod ${namespacedName(pod)} on node ${nodeName}`;
      if (failed) {
        this.#backOff.next(key, nodeName, this.#clock.now().mono);
        this.#say(set, 'Warning', 'FailedDaemonPod', `${what}, will try to kill it`);
      } else this.#say(set, 'Normal', 'SucceededDaemonPod', `${what}, will try to delete it`);
    }
    const created = await slowStart(plan.create.slice(0, DAEMON_BURST), (nodeName) =>
      this.#create(set, nodeName, hash, context),
    );
    const deleted = await slowStart(plan.delete.slice(0, DAEMON_BURST), (pod) => this.#delete(set, pod, context));
    return [...created.errors, ...deleted.errors];
  }

  async #create(set: DaemonSet, nodeName: string, hash: string, context: ReconcileContext): Promise<void> {
    try {
      const object = newDaemonPod(set, nodeName, hash);
      const written = await context.write({ verb: 'create', resource: PODS, object }, { ownName: true });
      if (written !== undefined) this.#say(set, 'Normal', 'SuccessfulCreate', `Created pod: ${nameOf(written)}`);
    } catch (error) {
      this.#say(set, 'Warning', 'FailedCreate', `Error creating: ${errorMessage(error)}`);
      throw error;
    }
  }

  async #delete(set: DaemonSet, pod: Pod, context: ReconcileContext): Promise<void> {
    const [namespace, name] = [namespaceOf(pod), nameOf(pod)];
    try {
      const options = { uid: uidOf(pod) };
      const written = await context.write({ verb: 'delete', resource: PODS, namespace, name, options });
      if (written !== undefined) this.#say(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    } catch (error) {
      this.#say(set, 'Warning', 'FailedDelete', `Error deleting: ${errorMessage(error)}`);
      throw error;
    }
  }

  #say(set: DaemonSet, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.event(referenceTo(set), type, reason, message);
  }

  async #tell(set: DaemonSet, status: DaemonSetStatus, context: ReconcileContext): Promise<void> {
    const before = (set.status ?? {}) as Readonly<Record<string, unknown>>;
    const changes = DAEMON_SET_COUNTS.flatMap((name) =>
      status[name] === before[name] ? [] : [[name, status[name] ?? null] as const],
    );
    if (changes.length === 0) return;
    await context.write({
      verb: 'patch',
      resource: DAEMON_SETS,
      namespace: namespaceOf(set),
      name: nameOf(set),
      type: 'merge',
      subresource: 'status',
      patch: { metadata: { uid: uidOf(set) }, status: Object.fromEntries(changes) },
    });
  }

  async #truncate(
    set: DaemonSet,
    sorted: readonly ControllerRevision[],
    newest: readonly ControllerRevision[],
    pods: readonly Pod[],
    context: ReconcileContext,
  ): Promise<void> {
    const hashes = new Set(pods.map(hashOf));
    const live = new Set([
      ...newest.map(nameOf),
      ...sorted.filter((revision) => hashes.has(revisionHash(revision))).map(nameOf),
    ]);
    for (const revision of surplusRevisions(sorted, live, set.spec?.revisionHistoryLimit)) {
      const [namespace, name, uid] = [namespaceOf(revision), nameOf(revision), uidOf(revision)];
      await context.write({ verb: 'delete', resource: CONTROLLER_REVISIONS, namespace, name, options: { uid } });
    }
  }
}

function revisionHash(revision: ControllerRevision): string {
  return revision.metadata?.labels?.[HASH_LABEL] ?? nameOf(revision);
}
