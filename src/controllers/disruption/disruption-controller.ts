/** Keeps the status of each PodDisruptionBudget: how many of its pods may be taken away now. */
import {
  controllerOf,
  equalJson,
  type KubeObject,
  type Labels,
  labelSelectorOf,
  matchesLabels,
  namespaceOf,
  type ParsedLabelSelector,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  PODS,
  SelectorError,
} from '../../api/index.ts';
import { type EventRecorder, objectKey, referenceTo, type Informers, type KubeClient } from '../../client/index.ts';
import type { Clock } from '../../lib/index.ts';
import { isPodReady, isPodTerminal } from '../pods/pod-state.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { FOREIGN_SCALE_PERIOD_MS } from '../limits.ts';
import { askScales } from './ask-scale.ts';
import { type FindScaled, foreignOwners, replicasOf, SCALED } from './expected-pods.ts';
import { countsByScale, planBudget } from './plan-budget.ts';
import { isSameStatus } from '../status-patch.ts';
import { staleInMs, takeBack } from './stale-disruption.ts';

/** Marks the key of a pod that may have been spared. */
const POD_KEY = 'pod ';

export interface DisruptionParts {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** Keys are budgets, and pods that were to be disrupted. */
export function disruptionController({ informers, client, clock, events }: DisruptionParts): Controller {
  const budgets = informers.lister(POD_DISRUPTION_BUDGETS);
  const pods = informers.lister(PODS);
  const scaled = new Map(SCALED.map((row) => [row, informers.lister<KubeObject>(row)]));
  const find: FindScaled = (row, namespace, name) => scaled.get(row)?.get(namespace, name);
  const selectorOf = selectorCache();
  const budgetKeys = (namespace: string, ...labels: readonly (Labels | undefined)[]): readonly string[] =>
    budgets
      .list(namespace)
      .filter((budget) => {
        const selector = selectorOf(budget);
        return selector !== undefined && labels.some((each) => matchesLabels(selector, each));
      })
      .map(objectKey);

  const syncBudget = async (key: string, context: ReconcileContext): Promise<ReconcileResult | void> => {
    const budget = budgets.getByKey(key);
    if (budget === undefined) return undefined;
    const selector = selectorOf(budget);
    const own = pods
      .list(namespaceOf(budget))
      .filter((pod) => selector !== undefined && matchesLabels(selector, pod.metadata?.labels));
    return keepStatus({ informers, client, clock, events }, { budget, pods: own, find }, context);
  };

  const syncPod = async (key: string, context: ReconcileContext): Promise<ReconcileResult | void> => {
    const pod = pods.getByKey(key);
    const now = clock.now().wall;
    const waitMs = pod === undefined ? undefined : staleInMs(pod, now);
    if (pod === undefined || waitMs === undefined) return undefined;
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    await context.write(takeBack(pod, now));
    return undefined;
  };

  return {
    name: 'disruption-controller',
    sources: [
      source(POD_DISRUPTION_BUDGETS, ({ object }) => [objectKey(object)]),
      source(PODS, (change) => {
        const { object } = change;
        const previous = 'previous' in change ? change.previous : undefined;
        const stale = change.type === 'apply' && staleInMs(object, clock.now().wall) !== undefined;
        const keys = stale ? [`${POD_KEY}${objectKey(object)}`] : [];
        if (change.type === 'apply' && previous !== undefined && !matters(object, previous)) return keys;
        const labels = [object.metadata?.labels, ...(previous === undefined ? [] : [previous.metadata?.labels])];
        return [...keys, ...budgetKeys(namespaceOf(object), ...labels)];
      }),
      ...SCALED.map((row) =>
        source<KubeObject>(row, (change) => {
          const previous = 'previous' in change ? change.previous : undefined;
          const { object } = change;
          if (previous !== undefined && replicasOf(previous) === replicasOf(object)) return [];
          return budgetKeys(namespaceOf(object), templateLabels(object));
        }),
      ),
    ],
    reconcile: (key, context) =>
      key.startsWith(POD_KEY) ? syncPod(key.slice(POD_KEY.length), context) : syncBudget(key, context),
  };
}

interface Counted {
  readonly budget: PodDisruptionBudget;
  /** Those that its selector matches. */
  readonly pods: readonly Pod[];
  readonly find: FindScaled;
}

async function keepStatus(
  { informers, client, clock, events }: DisruptionParts,
  { budget, pods, find }: Counted,
  context: ReconcileContext,
): Promise<ReconcileResult | void> {
  const owners = countsByScale(budget) ? foreignOwners(pods) : [];
  const asked = await askScales({ client, informers }, namespaceOf(budget), owners, context.signal);
  const plan = planBudget({ budget, pods, scales: { find, asked }, now: clock.now().wall });
  const { status, recheckAfterMs = Infinity } = plan;
  if (!isSameStatus(POD_DISRUPTION_BUDGETS, status, budget.status)) {
    for (const { type, reason, message, pod } of plan.events)
      events.event(referenceTo(pod ?? budget), type, reason, message);
    // Its version is the precondition: an eviction that was granted meanwhile must not be forgotten.
    const object = { ...budget, status } as KubeObject;
    await context.write({ verb: 'update', resource: POD_DISRUPTION_BUDGETS, object, subresource: 'status' });
  }
  // Nobody tells when the scale of another kind changes.
  const requeueAfterMs = Math.min(recheckAfterMs, owners.length === 0 ? Infinity : FOREIGN_SCALE_PERIOD_MS);
  return requeueAfterMs === Infinity ? undefined : { requeueAfterMs };
}

/** The inputs of a budget's counts. */
function matters(pod: Pod, previous: Pod): boolean {
  return !equalJson(countedBy(pod), countedBy(previous));
}

function countedBy(pod: Pod): unknown {
  const { labels, deletionTimestamp } = pod.metadata ?? {};
  const controller = controllerOf(pod)?.uid;
  return {
    labels,
    controller,
    deleting: deletionTimestamp !== undefined,
    ready: isPodReady(pod),
    over: isPodTerminal(pod),
  };
}

function templateLabels(object: KubeObject): Labels | undefined {
  const { spec } = object as { readonly spec?: { readonly template?: { readonly metadata?: { labels?: Labels } } } };
  return spec?.template?.metadata?.labels;
}

/** The selectors of budgets, parsed once. Undefined for one that matches nothing. */
function selectorCache(): (budget: PodDisruptionBudget) => ParsedLabelSelector | undefined {
  const parsed = new WeakMap<PodDisruptionBudget, { readonly selector: ParsedLabelSelector | undefined }>();
  return (budget) => {
    const known = parsed.get(budget);
    if (known !== undefined) return known.selector;
    const selector = parse(budget);
    parsed.set(budget, { selector });
    return selector;
  };
}

function parse(budget: PodDisruptionBudget): ParsedLabelSelector | undefined {
  try {
    return labelSelectorOf(budget.spec?.selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
