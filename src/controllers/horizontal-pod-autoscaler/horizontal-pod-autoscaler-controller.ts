/**
 * Keeps the number of pods of scalable objects by what their pods use: each autoscaler looks at its target every 15 s (upstream's
 * period), reads metrics.k8s.io, and writes the target's scale.
 */
import {
  equalJson,
  type HorizontalPodAutoscaler,
  HORIZONTAL_POD_AUTOSCALERS,
  type KubeObject,
  matchesLabels,
  namespaceOf,
  parseApiVersion,
  parseLabelSelector,
  type Pod,
  PODS,
  type ResourceRow,
  type Scale,
  SelectorError,
} from '../../api/index.ts';
import { type EventRecorder, type Informers, type KubeClient, objectKey, referenceTo } from '../../client/index.ts';
import { type Clock, errorMessage } from '../../lib/index.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { AUTOSCALER_PERIOD_MS } from '../limits.ts';
import { statusPatch } from '../status-patch.ts';
import { type Measured, planScaling, withAutoscalerCondition } from './plan-scaling.ts';
import { POD_METRICS, samplesOf } from './pod-metrics.ts';
import type { ScalingHistory } from './scaling-history.ts';

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
  readonly pods: readonly Pod[];
  /** Its selector as text. */
  readonly selector: string;
}

/** Why there is nothing to scale, as its event and its condition name it. */
interface Failure {
  readonly condition: 'AbleToScale' | 'ScalingActive';
  readonly reason: string;
  readonly problem: string;
  readonly message: string;
}

/** Keys are those of autoscalers. */
export function horizontalPodAutoscalerController(parts: AutoscalerParts): Controller {
  const scalers = parts.informers.lister(HORIZONTAL_POD_AUTOSCALERS);
  const pods = parts.informers.lister(PODS);
  const histories = new Map<string, ScalingHistory>();
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
        histories.delete(key);
        return undefined;
      }
      const found = await findTarget(parts, scaler, (namespace) => pods.list(namespace), context.signal);
      if ('problem' in found) return fail(parts, scaler, found, context);
      const next = await scaleTarget(parts, scaler, { target: found, history: histories.get(key) }, context);
      histories.set(key, next);
      return { requeueAfterMs: AUTOSCALER_PERIOD_MS };
    },
  };
}

async function fail(
  { clock, events }: AutoscalerParts,
  scaler: HorizontalPodAutoscaler,
  { condition, reason, problem, message }: Failure,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  events.event(referenceTo(scaler), 'Warning', reason, problem);
  const conditions = withAutoscalerCondition(
    scaler.status?.conditions,
    [condition, 'False', reason, message],
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
  podsIn: (namespace: string) => readonly Pod[],
  signal: AbortSignal,
): Promise<Target | Failure> {
  const reference = scaler.spec?.scaleTargetRef;
  const { group, version } = parseApiVersion(reference?.apiVersion ?? '');
  const rows = informers.kinds.rows.length === 0 ? await informers.kinds.refresh() : informers.kinds.rows;
  const ofKind = rows.filter((row) => row.group === group && row.kind === reference?.kind);
  const row = ofKind.find((each) => each.version === version) ?? ofKind[0];
  const namespace = namespaceOf(scaler);
  if (row === undefined) {
    informers.kinds.refreshSoon();
    return noScale(`no matches for kind ${JSON.stringify(reference?.kind)} in group ${JSON.stringify(group)}`);
  }
  let scale: Scale;
  try {
    const options = { subresource: 'scale' };
    scale = (await client.get(row, namespace, reference?.name ?? '', signal, options)) as Scale;
  } catch (error) {
    return noScale(errorMessage(error));
  }
  const selector = scale.status?.selector ?? '';
  if (selector === '') return noSelector('selector is required', "the HPA target's scale is missing a selector");
  try {
    const parsed = parseLabelSelector(selector);
    const pods = podsIn(namespace).filter((pod) => matchesLabels(parsed, pod.metadata?.labels));
    return { row, scale, pods, selector };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const problem = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
    return noSelector(problem, problem);
  }
}

function noScale(problem: string): Failure {
  const message = `the HPA controller was unable to get the target's current scale: ${problem}`;
  return { condition: 'AbleToScale', reason: 'FailedGetScale', problem, message };
}

function noSelector(problem: string, message: string): Failure {
  return { condition: 'ScalingActive', reason: 'InvalidSelector', problem, message };
}

interface Known {
  readonly target: Target;
  readonly history: ScalingHistory | undefined;
}

/** Resolves to what is remembered from now on. */
async function scaleTarget(
  parts: AutoscalerParts,
  scaler: HorizontalPodAutoscaler,
  { target, history }: Known,
  context: ReconcileContext,
): Promise<ScalingHistory> {
  const { clock, events } = parts;
  const { row, scale, pods, selector } = target;
  const plan = planScaling({
    autoscaler: scaler,
    current: scale.spec?.replicas ?? 0,
    seen: scale.status?.replicas ?? 0,
    pods,
    measured: await measure(parts, namespaceOf(scaler), selector, context.signal),
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

async function measure(
  { client }: AutoscalerParts,
  namespace: string,
  labelSelector: string,
  signal: AbortSignal,
): Promise<Measured> {
  try {
    const { items } = await client.list(POD_METRICS, { namespace, labelSelector }, signal);
    return { ok: true, samplesOf: (resource, container) => samplesOf(items, resource, container) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { ok: false, problem: `unable to fetch metrics from resource metrics API: ${errorMessage(error)}` };
  }
}
