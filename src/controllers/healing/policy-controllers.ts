/**
 * HealingPolicy objects → annotations of the pods that they select, and how many those are. An agent knows nothing of the
 * objects, so it may run below any API server.
 */
import {
  HEALING_POLICIES,
  HEALING_POLICY,
  HEALING_POLICY_FROM,
  isDeleting,
  nameOf,
  namespaceOf,
} from '../../api/index.ts';
import { type HealingPolicy, type Pod, PODS, equalJson } from '../../api/index.ts';
import { type Change, type Lister, objectKey, type Informers } from '../../client/index.ts';
import { type Clock, formatTime } from '../../lib/index.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { type Controller, source } from '../controller.ts';
import { statusPatch } from '../status-patch.ts';
import { annotatePod } from './annotate-pod.ts';
import { POLICY_STATUS_PERIOD_MS } from './limits.ts';
import { planPodPolicy } from './plan-pod-policy.ts';
import { planPolicyStatus } from './plan-policy-status.ts';
import { originOf, readPolicy, selects } from './read-policies.ts';

/** Keys are pods. */
export function policyController(informers: Informers): Controller {
  const policies = informers.lister(HEALING_POLICIES);
  const pods = informers.lister(PODS);
  const inForce = (namespace: string) => policies.list(namespace).filter((policy) => !isDeleting(policy));
  return {
    name: 'healing-policy',
    sources: [
      source(PODS, (change) => {
        if (change.type === 'delete' || !isNews(change)) return [];
        const isAnnotated = change.object.metadata?.annotations?.[HEALING_POLICY_FROM] !== undefined;
        return isAnnotated || policies.list(namespaceOf(change.object)).length > 0 ? [objectKey(change.object)] : [];
      }),
      source(HEALING_POLICIES, (change) => podsConcerned(change, pods)),
    ],
    reconcile: async (key, context) => {
      const pod = pods.getByKey(key);
      if (pod === undefined) return;
      const change = planPodPolicy(pod, inForce(namespaceOf(pod)).map(readPolicy));
      if (change !== undefined) await context.write(annotatePod(pod, change));
    },
  };
}

/** Keys are policies. */
export function policyStatusController(informers: Informers, clock: Clock): Controller {
  const policies = informers.lister(HEALING_POLICIES);
  const pods = informers.lister(PODS);
  /** Policy → mono ms of its last count. */
  const counted = new Map<string, number>();
  return {
    name: 'healing-policy-status',
    sources: [
      source(HEALING_POLICIES, ({ object }) => [objectKey(object)]),
      source(PODS, (change) =>
        change.type === 'delete' || isNews(change) ? policies.list(namespaceOf(change.object)).map(objectKey) : [],
      ),
    ],
    reconcile: async (key, context) => {
      const policy = policies.getByKey(key);
      if (policy === undefined || isDeleting(policy)) {
        counted.delete(key);
        return undefined;
      }
      const { mono, wall } = clock.now();
      const waitMs = (counted.get(key) ?? Number.NEGATIVE_INFINITY) + POLICY_STATUS_PERIOD_MS - mono;
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      const status = planPolicyStatus(policy, pods.list(namespaceOf(policy)), formatTime(wall));
      const operation = statusPatch(HEALING_POLICIES, policy, status);
      if (operation === undefined) return undefined;
      counted.set(key, mono);
      await context.write(operation);
      return undefined;
    },
  };
}

/** Whether a change of a pod may matter to it: most changes are of its status. */
function isNews(change: Extract<Change<Pod>, { type: 'apply' }>): boolean {
  const { object, previous } = change;
  if (previous === undefined) return true;
  const facts = (pod: Pod): unknown => [
    pod.metadata?.uid,
    pod.metadata?.labels,
    pod.metadata?.annotations?.[HEALING_POLICY],
    pod.metadata?.annotations?.[HEALING_POLICY_FROM],
    isDeleting(pod),
    isPodTerminal(pod),
  ];
  return !equalJson(facts(object), facts(previous));
}

/** The pods that it selects or selected, and those that heal by it. Its status concerns none. */
function podsConcerned(change: Change<HealingPolicy>, pods: Lister<Pod>): readonly string[] {
  const { object } = change;
  const previous = change.type === 'apply' ? change.previous : undefined;
  const now = readPolicy(object);
  const before = previous === undefined ? now : readPolicy(previous);
  if (previous !== undefined && now.from === before.from && isDeleting(object) === isDeleting(previous)) return [];
  const name = nameOf(object);
  return pods
    .list(namespaceOf(object))
    .filter(({ metadata }) => {
      const origin = originOf(metadata?.annotations?.[HEALING_POLICY_FROM]);
      return origin?.startsWith(`${name}/`) === true || [now, before].some((each) => selects(each, metadata?.labels));
    })
    .map(objectKey);
}
