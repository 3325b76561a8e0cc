/**
 * Gathers the evidence about a namespace, the pods of a selector, or the whole cluster. Whole lists are read once; only of pods
 * that do not look well the nodes are asked what they remember.
 */
import {
  controllerOf,
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  EVENTS,
  HORIZONTAL_POD_AUTOSCALERS,
  JOBS,
  type KubeObject,
  LEASES,
  matchesLabels,
  NAMESPACES,
  NODES,
  parseLabelSelector,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  SERVICES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
} from '../../api/index.ts';
import type { GroupEvidence, GroupParts, GroupScope, WorkloadObject } from '../../diagnosis/index.ts';
import { type Asker } from './ask.ts';
import { gatherAutoscaler, isOfWorkload } from './gather-autoscaler.ts';
import { gatherBudget } from './gather-budget.ts';
import { gatherClaimSubject } from './gather-claim.ts';
import { gatherCronJob } from './gather-cron-job.ts';
import { gatherNode } from './gather-node.ts';
import { gatherPod } from './gather-pod.ts';
import { gatherRemaining } from './gather-remaining.ts';
import { gatherServiceQuietly, isSelectedBy } from './gather-service-subject.ts';
import { gatherWorkload } from './gather-workload.ts';
import { isQuiet, urgency } from './urgency.ts';
import { MAX_DEEP_PODS, SMALL_GROUP } from './limits.ts';

/** Kinds that make pods and that nobody but a user makes. */
const TOP = [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, JOBS, REPLICA_SETS, REPLICATION_CONTROLLERS] as const;
const NAMESPACED = [
  ...TOP,
  PODS,
  EVENTS,
  CRON_JOBS,
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  HORIZONTAL_POD_AUTOSCALERS,
  SERVICES,
  ENDPOINT_SLICES,
] as const;
const WHOLE = [NODES, PERSISTENT_VOLUMES, STORAGE_CLASSES] as const;

/** @param flag the namespace flag of suggested commands, by namespace */
export async function gatherGroup(
  asker: Asker,
  scope: GroupScope,
  flag: (namespace: string) => string,
): Promise<GroupEvidence> {
  const namespace = scope.kind === 'cluster' ? undefined : scope.namespace;
  // A namespace that does not exist is the caller's error.
  const object =
    scope.kind === 'namespace'
      ? await asker.session.client.get(NAMESPACES, undefined, scope.namespace, asker.session.signal)
      : undefined;
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  await Promise.all([
    ...NAMESPACED.map((resource) =>
      asker.preload(`${resource.resource} ${where}`, resource as Resource<KubeObject>, namespace),
    ),
    ...WHOLE.map((resource) => asker.preload(resource.resource, resource as Resource<KubeObject>)),
    asker.preload('leases of nodes', LEASES as Resource<KubeObject>, 'kube-node-lease'),
  ]);
  const group = new Group(asker, {
    namespace,
    flag,
    ...(scope.kind === 'selector' ? { selector: scope.selector } : {}),
  });
  const pods = await group.pods();
  const parts = await group.parts(pods, scope.kind === 'cluster');
  const remaining = object === undefined ? undefined : await gatherRemaining(asker, object);
  return {
    now: asker.now,
    scope:
      scope.kind === 'namespace' && object !== undefined
        ? { ...scope, object, ...(remaining && { remaining }) }
        : scope,
    pods,
    parts,
    notLookedAt: asker.notLookedAt,
  };
}

interface GroupOptions {
  readonly namespace: string | undefined;
  readonly selector?: string;
  readonly flag: (namespace: string) => string;
}

class Group {
  readonly #asker: Asker;
  readonly #options: GroupOptions;

  constructor(asker: Asker, options: GroupOptions) {
    this.#asker = asker;
    this.#options = options;
  }

  pods(): Promise<readonly Pod[]> {
    return this.#selected('pods', PODS);
  }

  async parts(pods: readonly Pod[], withNodes: boolean): Promise<GroupParts> {
    const { flag } = this.#options;
    const asker = this.#asker;
    const deep = await this.#deepPods(pods);
    const [tops, cronJobs, claims, budgets, autoscalers] = await Promise.all([
      Promise.all(TOP.map((resource) => this.#selected(resource.resource, resource as Resource<WorkloadObject>))),
      this.#selected('cronjobs', CRON_JOBS),
      this.#selected('persistentvolumeclaims', PERSISTENT_VOLUME_CLAIMS),
      this.#selected('poddisruptionbudgets', POD_DISRUPTION_BUDGETS),
      this.#selected('horizontalpodautoscalers', HORIZONTAL_POD_AUTOSCALERS),
    ]);
    const all = await this.#withOwners(tops.flat(), pods);
    const workloads = all.filter((object) => controllerOf(object) === undefined);
    const nodes = withNodes ? await asker.list('nodes', NODES, {}) : [];
    const isDeep = (pod: Pod): boolean => deep.has(pod.metadata?.uid ?? '');
    const gathered = await Promise.all(
      workloads.map((one) => gatherWorkload(asker, one, flag(namespaceOf(one)), { isDeep })),
    );
    const covered = new Set(gathered.flatMap((one) => one.pods.map(({ metadata }) => metadata?.uid)));
    const ofCronJobs = new Set(cronJobs.map(({ metadata }) => metadata?.uid));
    const jobs = all.filter((object) => ofCronJobs.has(controllerOf(object)?.uid));
    const cron = await Promise.all(
      cronJobs.map((one) => gatherCronJob(asker, one, jobs, flag(namespaceOf(one)), { isDeep })),
    );
    for (const { pods: own } of cron.flatMap((one) => one.jobs)) for (const pod of own) covered.add(pod.metadata?.uid);
    const bare = pods.filter((pod) => !covered.has(pod.metadata?.uid));
    return {
      workloads: gathered,
      barePods: await Promise.all(
        bare.map((pod) => gatherPod(asker, pod, { namespaceFlag: flag(namespaceOf(pod)), quiet: !isDeep(pod) })),
      ),
      cronJobs: cron,
      claims: await Promise.all(
        claims.map((one) =>
          gatherClaimSubject(asker, namespaceOf(one), one.metadata?.name ?? '', {
            namespaceFlag: flag(namespaceOf(one)),
            withUsage: false,
          }),
        ),
      ),
      autoscalers: await Promise.all(
        // The workloads tell of those that scale them.
        autoscalers
          .filter((one) => !gathered.some(({ workload }) => isOfWorkload(one, workload)))
          .map((one) => gatherAutoscaler(asker, one, flag(namespaceOf(one)))),
      ),
      services: await this.#services(pods),
      budgets: await Promise.all(budgets.map((one) => gatherBudget(asker, one, flag(namespaceOf(one)), { isDeep }))),
      nodes: await Promise.all(
        nodes.map(async (node) => ({
          now: asker.now,
          node: await gatherNode(asker, node.metadata?.name ?? ''),
          events: await asker.list('events of nodes', EVENTS, {
            fieldSelector: `involvedObject.kind=Node,involvedObject.name=${node.metadata?.name ?? ''}`,
          }),
          pods: [],
          looked: [],
          notLookedAt: [],
        })),
      ),
    };
  }

  /** With a selector, those that select one of its pods. */
  async #services(pods: readonly Pod[]): Promise<GroupParts['services']> {
    const { namespace, selector, flag } = this.#options;
    const all = await this.#asker.list('services', SERVICES, namespace === undefined ? {} : { namespace });
    const meant = all.filter(
      (service) =>
        service.spec?.type !== 'ExternalName' &&
        (selector === undefined || pods.some((pod) => isSelectedBy(service, pod))),
    );
    return await Promise.all(
      meant.map((service) => gatherServiceQuietly(this.#asker, service, flag(namespaceOf(service)))),
    );
  }

  /** The pods whose nodes are asked what they remember, by UID. */
  async #deepPods(pods: readonly Pod[]): Promise<ReadonlySet<string>> {
    const { namespace } = this.#options;
    const events = await this.#asker.list('events', EVENTS, namespace === undefined ? {} : { namespace });
    const warned = new Set(
      events.filter(({ type }) => type === 'Warning').map(({ involvedObject }) => involvedObject.uid ?? ''),
    );
    const unquiet = pods
      .filter((pod) => pods.length <= SMALL_GROUP || !isQuiet(pod) || warned.has(pod.metadata?.uid ?? ''))
      .toSorted((a, b) => urgency(b) - urgency(a));
    if (unquiet.length > MAX_DEEP_PODS) {
      this.#asker.note(
        `what nodes remember of ${unquiet.length - MAX_DEEP_PODS} pods, after the ${MAX_DEEP_PODS} that look worst`,
      );
    }
    return new Set(unquiet.slice(0, MAX_DEEP_PODS).map(({ metadata }) => metadata?.uid ?? ''));
  }

  /** With a selector the owners of its pods belong to the answer, whatever their own labels are. */
  async #withOwners(found: readonly WorkloadObject[], pods: readonly Pod[]): Promise<readonly WorkloadObject[]> {
    const { namespace, selector } = this.#options;
    if (selector === undefined) return found;
    const query = namespace === undefined ? {} : { namespace };
    const lists = await Promise.all(
      TOP.map((resource) => this.#asker.list(resource.resource, resource as Resource<WorkloadObject>, query)),
    );
    const all = lists.flat();
    const byUid = new Map(all.map((object) => [object.metadata?.uid, object]));
    const wanted = new Map(found.map((object) => [object.metadata?.uid, object]));
    for (const pod of pods) {
      // Owners may name each other in a circle: one that is known already ends the way up.
      let owner = byUid.get(controllerOf(pod)?.uid);
      while (owner !== undefined && !wanted.has(owner.metadata?.uid)) {
        wanted.set(owner.metadata?.uid, owner);
        owner = byUid.get(controllerOf(owner)?.uid);
      }
    }
    return [...wanted.values()];
  }

  async #selected<T extends KubeObject>(what: string, resource: Resource<T>): Promise<readonly T[]> {
    const { namespace, selector } = this.#options;
    const all = await this.#asker.list(what, resource, namespace === undefined ? {} : { namespace });
    if (selector === undefined) return all;
    const parsed = parseLabelSelector(selector);
    return all.filter(({ metadata }) => matchesLabels(parsed, metadata?.labels));
  }
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata?.namespace ?? 'default';
}
