/**
 * Keeps the number of pods of scalable objects by what their pods use: each autoscaler looks at its target every 15 s (upstream's
 * period), reads metrics.k8s.io, and writes the target's scale.
 */
import {
  equalJson,
  type HorizontalPodAutoscaler,
  HORIZONTAL_POD_AUTOSCALERS,
  type KubeObject,
  namespaceOf,
  parseApiVersion,
  PODS,
  type ResourceRow,
  type Scale,
} from '../../api/index.ts';
import { type EventRecorder, type Informers, type KubeClient, objectKey, referenceTo } from '../../client/index.ts';
import { type Clock, errorMessage } from '../../lib/index.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { AUTOSCALER_PERIOD_MS } from '../limits.ts';
import { statusPatch } from '../status-patch.ts';
import { fetchForeign } from './foreign-metrics.ts';
import { planScaling, withAutoscalerCondition } from './plan-scaling.ts';
import { POD_METRICS, samplesOf } from './pod-metrics.ts';
import type { ScalingHistory } from './scaling-history.ts';
import type { Measured } from './scaling-input.ts';
import { type Selection, selectPods, SelectorTracker } from './select-pods.ts';

export interface AutoscalerParts {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** A target that was found. */
interface Target {
  readonly row: ResourceRow;
  readonly scale: Scale;
}

/** Why there is nothing to scale. */
interface Failure {
  readonly problem: string;
}

/** What is remembered of all autoscalers: by key. */
interface Memory {
  readonly histories: Map<string, ScalingHistory>;
  readonly selectors: SelectorTracker;
}

/** Keys are those of autoscalers. */
export function horizontalPodAutoscalerController(parts: AutoscalerParts): Controller {
  const scalers = parts.informers.lister(HORIZONTAL_POD_AUTOSCALERS);
  const pods = parts.informers.lister(PODS);
  const memory: Memory = { histories: new Map(), selectors: new SelectorTracker() };
  return {
    name: 'horizontal-pod-autoscaler',
    sources: [
      source(HORIZONTAL_POD_AUTOSCALERS, (change) => {
        const previous = 'previous' in change ? change.previous : undefined;
        // Its own status must not make it look again.
        const isSame =
          change.type === 'apply' && previous !== undefined && equalJson(previous.spec, change.object.spec);
        return isSame ? [] : [objectKey(change.object)];
      }),
      source(PODS, () => []),
    ],
    reconcile: async (key, context) => {
      const scaler = scalers.getByKey(key);
      if (scaler === undefined || scaler.metadata?.deletionTimestamp !== undefined) {
        memory.histories.delete(key);
        memory.selectors.forget(key);
        return undefined;
      }
      const found = await findTarget(parts, scaler, context.signal);
      if ('problem' in found) return fail(parts, scaler, found, context);
      const selection = selectPods(memory.selectors, key, found.scale, pods.list(namespaceOf(scaler)));
      const known = { target: found, selection, history: memory.histories.get(key) };
      memory.histories.set(key, await scaleTarget(parts, scaler, known, context));
      return { requeueAfterMs: AUTOSCALER_PERIOD_MS };
    },
  };
}

async function fail(
  { clock, events }: AutoscalerParts,
  scaler: HorizontalPodAutoscaler,
  { problem }: Failure,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const reason = 'FailedGetScale';
  events.event(referenceTo(scaler), 'Warning', reason, problem);
  const message = `the HPA controller was unable to get the target's current scale: ${problem}`;
  const conditions = withAutoscalerCondition(
    scaler.status?.conditions,
    ['AbleToScale', 'False', reason, message],
    clock.now().wall,
  );
  await writeStatus(
    scaler,
    { ...scaler.status, desiredReplicas: scaler.status?.desiredReplicas ?? 0, conditions },
    context,
  );
  return { requeueAfterMs: AUTOSCALER_PERIOD_MS };
}

async function writeStatus(scaler: HorizontalPodAutoscaler, status: object, context: ReconcileContext): Promise<void> {
  const patch = statusPatch(HORIZONTAL_POD_AUTOSCALERS, scaler, status);
  if (patch !== undefined) await context.write(patch);
}

async function findTarget(
  { informers, client }: AutoscalerParts,
  scaler: HorizontalPodAutoscaler,
  signal: AbortSignal,
): Promise<Target | Failure> {
  const reference = scaler.spec?.scaleTargetRef;
  const { group, version } = parseApiVersion(reference?.apiVersion ?? '');
  const rows = await kindsOf(informers);
  const ofKind = rows.filter((row) => row.group === group && row.kind === reference?.kind);
  const row = ofKind.find((each) => each.version === version) ?? ofKind[0];
  if (row === undefined) {
    informers.kinds.refreshSoon();
    return { problem: `no matches for kind ${JSON.stringify(reference?.kind)} in group ${JSON.stringify(group)}` };
  }
  try {
    const options = { subresource: 'scale' };
    const scale = (await client.get(row, namespaceOf(scaler), reference?.name ?? '', signal, options)) as Scale;
    return { row, scale };
  } catch (error) {
    if (signal.aborted) throw error;
    return { problem: errorMessage(error) };
  }
}

async function kindsOf({ kinds }: Informers): Promise<readonly ResourceRow[]> {
  return kinds.rows.length === 0 ? await kinds.refresh() : kinds.rows;
}

interface Known {
  readonly target: Target;
  readonly selection: Selection;
  readonly history: ScalingHistory | undefined;
}

/** Resolves to what is remembered from now on. */
async function scaleTarget(
  parts: AutoscalerParts,
  scaler: HorizontalPodAutoscaler,
  { target, selection, history }: Known,
  context: ReconcileContext,
): Promise<ScalingHistory> {
  const { clock, events } = parts;
  const { row, scale } = target;
  const { pods, problem: selectorProblem } = selection;
  const measured =
    selectorProblem === undefined
      ? await measure(parts, scaler, scale.status?.selector ?? '', context.signal)
      : NOT_MEASURED;
  const plan = planScaling({
    autoscaler: scaler,
    current: scale.spec?.replicas ?? 0,
    seen: scale.status?.replicas ?? 0,
    pods,
    ...(selectorProblem && { selectorProblem }),
    measured,
    history,
    now: clock.now().wall,
  });
  if (plan.rescale !== undefined) {
    const { replicas, reason } = plan.rescale;
    try {
      await parts.client.update(row, scaled(scale, replicas), 'scale', context.signal);
    } catch (error) {
      const problem = `New size: ${replicas}; reason: ${reason}; error: ${errorMessage(error)}`;
      const message = `the HPA controller was unable to update the target scale: ${errorMessage(error)}`;
      events.event(referenceTo(scaler), 'Warning', 'FailedRescale', problem);
      const conditions = withAutoscalerCondition(
        scaler.status?.conditions,
        ['AbleToScale', 'False', 'FailedUpdateScale', message],
        clock.now().wall,
      );
      await writeStatus(scaler, { ...scaler.status, conditions }, context);
      throw error;
    }
  }
  for (const { type, reason, message } of plan.events) events.event(referenceTo(scaler), type, reason, message);
  await writeStatus(scaler, plan.status, context);
  return plan.history;
}

function scaled(scale: Scale, replicas: number): KubeObject {
  const next: Scale = { ...scale, spec: { ...scale.spec, replicas } };
  return next;
}

const NOT_MEASURED: Measured = { resources: { ok: false, problem: 'nothing was asked' }, values: new Map() };
const OF_RESOURCES: readonly string[] = ['Resource', 'ContainerResource'];

/** Each API is asked only when a metric needs it. */
async function measure(
  { client, informers }: AutoscalerParts,
  scaler: HorizontalPodAutoscaler,
  podSelector: string,
  signal: AbortSignal,
): Promise<Measured> {
  const namespace = namespaceOf(scaler);
  const specs = scaler.spec?.metrics ?? [];
  const resources = specs.some(({ type }) => OF_RESOURCES.includes(type))
    ? await measureResources(client, namespace, podSelector, signal)
    : NOT_MEASURED.resources;
  const question = { namespace, podSelector, kinds: await kindsOf(informers) };
  return { resources, values: await fetchForeign(client, specs, question, signal) };
}

async function measureResources(
  client: KubeClient,
  namespace: string,
  labelSelector: string,
  signal: AbortSignal,
): Promise<Measured['resources']> {
  try {
    const { items } = await client.list(POD_METRICS, { namespace, labelSelector }, signal);
    return { ok: true, samplesOf: (resource, container) => samplesOf(items, resource, container) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { ok: false, problem: `unable to fetch metrics from resource metrics API: ${errorMessage(error)}` };
  }
}
