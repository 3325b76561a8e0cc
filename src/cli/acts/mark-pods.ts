/** Pause, resume and try-now: each writes one annotation on the pods that are meant, and their agents do the rest. */
import {
  type ContainerStatus,
  findCondition,
  HEALING_PAUSED,
  HEALING_PAUSED_CONDITION,
  HEALING_PAUSED_FROM,
  hasReason,
  isDeleting,
  isNotFound,
  nameOf,
  PAUSABLE_KINDS,
  pausedFrom,
  pauseOf,
  pauseText,
  type Pod,
  PODS,
  StatusError,
  TRY_NOW,
  uidOf,
} from '../../api/index.ts';
import { errorMessage, formatMicroTime, mapLimit } from '../../lib/index.ts';
import { type ActContext, type ActResult, type ActTarget, actTargetText } from './acts.ts';
import { CONFIRM_EVERY_MS, CONFIRM_MS, MAX_NAMED, PODS_AT_ONCE } from './limits.ts';
import { hasEnded, subjectPods, workloadResource } from './subject-pods.ts';

/** @param reason shown wherever the pause is; absent: none @throws StatusError, ConnectionError */
export async function pausePods(context: ActContext, target: ActTarget, reason?: string): Promise<ActResult> {
  const mayHaveNone = PAUSABLE_KINDS.includes(target.kind);
  const pods = await eligible(context, target, mayHaveNone);
  if ('ok' in pods) return pods;
  const value = reason === undefined || reason.trim() === '' ? 'true' : reason;
  const later = await pauseWorkload(context, target, value);
  if (pods.length === 0 && later.problem !== undefined) return { ok: false, words: later.problem };
  const from: Annotations = later.holds ? { [HEALING_PAUSED_FROM]: pausedFrom(target.kind, target.name) } : {};
  await annotate(context, target, pods, { [HEALING_PAUSED]: value, ...from });
  const silent = await unconfirmed(context, target, pods, 'True');
  const which = later.holds ? `${whichText(target, pods)}, and of those that it gets later,` : whichText(target, pods);
  const words = `${actTargetText(target)}: healing of ${which} is paused: what dies stays as it died until it is resumed`;
  const but =
    later.problem === undefined ? words : `${words}. Pods that it gets later are not paused: ${later.problem}`;
  return { ok: true, words: withSilent(but, silent) };
}

/** @throws StatusError, ConnectionError */
export async function resumePods(context: ActContext, target: ActTarget): Promise<ActResult> {
  const isWorkload = PAUSABLE_KINDS.includes(target.kind);
  const pods = await eligible(context, target, isWorkload);
  if ('ok' in pods) return pods;
  const wasPaused = await resumeWorkload(context, target);
  const paused = pods.filter((pod) => pauseOf(pod) !== undefined);
  if (paused.length === 0 && !wasPaused) return { ok: true, words: `${actTargetText(target)}: healing is not paused` };
  // A pod of a paused workload that is resumed alone keeps the name of its workload: that is how it stays so.
  const from: Annotations = isWorkload ? { [HEALING_PAUSED_FROM]: null } : {};
  const marked = pods.filter((pod) => paused.includes(pod) || (isWorkload && isMarked(pod)));
  await annotate(context, target, marked, { [HEALING_PAUSED]: null, ...from });
  const silent = await unconfirmed(context, target, paused, 'False');
  return {
    ok: true,
    words: withSilent(`${actTargetText(target)}: healing of ${whichText(target, paused)} goes on`, silent),
  };
}

/** Null removes one. */
type Annotations = Readonly<Record<string, string | null>>;

function isMarked({ metadata }: Pod): boolean {
  return metadata?.annotations?.[HEALING_PAUSED_FROM] !== undefined;
}

/** Marks the workload itself, so that pods which it gets later are paused, too. Who may not do that pauses those that are there. */
async function pauseWorkload(
  { client, signal }: ActContext,
  { kind, namespace, name }: ActTarget,
  value: string,
): Promise<{ readonly holds: boolean; readonly problem?: string }> {
  const resource = workloadResource(kind);
  if (resource === undefined || !PAUSABLE_KINDS.includes(kind)) return { holds: false };
  try {
    const patch = { metadata: { annotations: { [HEALING_PAUSED]: value } } };
    await client.patch(resource, namespace, name, 'merge', patch, undefined, signal);
    return { holds: true };
  } catch (error) {
    if (!hasReason(error, 'Forbidden')) throw error;
    return { holds: false, problem: errorMessage(error) };
  }
}

/** Whether it was paused. @throws StatusError, ConnectionError */
async function resumeWorkload({ client, signal }: ActContext, { kind, namespace, name }: ActTarget): Promise<boolean> {
  const resource = workloadResource(kind);
  if (resource === undefined || !PAUSABLE_KINDS.includes(kind)) return false;
  const workload = await client.get(resource, namespace, name, signal);
  if (pauseText(workload) === undefined) return false;
  const patch = { metadata: { annotations: { [HEALING_PAUSED]: null } } };
  await client.patch(resource, namespace, name, 'merge', patch, undefined, signal);
  return true;
}

/** @throws StatusError, ConnectionError */
export async function tryPodsNow(context: ActContext, target: ActTarget): Promise<ActResult> {
  const pods = await eligible(context, target);
  if ('ok' in pods) return pods;
  const waiting = pods.flatMap((pod) => waitsOf(pod).map((status) => ({ pod, status })));
  const those = pods.filter((pod) => waiting.some((each) => each.pod === pod));
  if (those.length === 0) return { ok: true, words: `${actTargetText(target)}: nothing of it waits` };
  await annotate(context, target, those, { [TRY_NOW]: formatMicroTime(context.clock.now().wall) });
  const named = waiting.map(({ pod, status }) => waitText(target, pod, status));
  return { ok: true, words: `${actTargetText(target)}: tried now: ${listed(named)}` };
}

/** The pods that can be marked, or why there are none. */
async function eligible(
  context: ActContext,
  target: ActTarget,
  mayHaveNone = false,
): Promise<readonly Pod[] | ActResult> {
  const pods = await subjectPods(context.client, target, context.signal);
  const text = actTargetText(target);
  const no = (why: string): ActResult => ({ ok: false, words: `${text}: ${why}` });
  if (pods.length === 0) return mayHaveNone ? [] : no('it has no pods');
  if (target.kind !== 'Pod') {
    const own = pods.filter((pod) => refusalOf(pod) === undefined);
    return own.length === 0 && !mayHaveNone ? no(refusalOf(pods[0] ?? {}) ?? 'it has no pods') : own;
  }
  const refusal = pods.map(refusalOf).find((each) => each !== undefined);
  return refusal === undefined ? pods : no(refusal);
}

function refusalOf(pod: Pod): string | undefined {
  if (isDeleting(pod)) return 'it is being deleted';
  return hasEnded(pod) ? `it has ended (${pod.status?.phase ?? ''})` : undefined;
}

/** A pod that has gone meanwhile is no error in a workload. */
async function annotate(
  { client, signal }: ActContext,
  target: ActTarget,
  pods: readonly Pod[],
  annotations: Annotations,
): Promise<void> {
  await mapLimit(pods, PODS_AT_ONCE, async (pod) => {
    // The UID: another pod of the same name is not meant.
    const patch = { metadata: { uid: uidOf(pod), annotations } };
    try {
      await client.patch(PODS, target.namespace, nameOf(pod), 'merge', patch, undefined, signal);
    } catch (error) {
      if (target.kind === 'Pod' || !isReplaced(error)) throw error;
    }
  });
}

function isReplaced(error: unknown): boolean {
  return isNotFound(error) || (error instanceof StatusError && error.code === 409);
}

/** Names of the pods whose agents have not said within a short time that they know. */
async function unconfirmed(
  { client, clock, signal }: ActContext,
  target: ActTarget,
  pods: readonly Pod[],
  wanted: 'True' | 'False',
): Promise<readonly string[]> {
  // A pod that never had the condition gets none for the end of a pause that its agent did not notice.
  let open = pods.filter((pod) => wanted === 'True' || conditionOf(pod)?.status === 'True').map(nameOf);
  const until = clock.now().mono + CONFIRM_MS;
  while (open.length > 0 && clock.now().mono < until && !signal.aborted) {
    await clock.sleep(CONFIRM_EVERY_MS, signal).catch(() => {});
    const seen = await mapLimit(open, PODS_AT_ONCE, async (name) => {
      const pod = await client.get(PODS, target.namespace, name, signal).catch(ifGone);
      return pod === undefined || conditionOf(pod)?.status === wanted ? [] : [name];
    });
    open = seen.flat();
  }
  return open;
}

function ifGone(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

function conditionOf({ status }: Pod) {
  return findCondition(status?.conditions, HEALING_PAUSED_CONDITION);
}

function withSilent(words: string, silent: readonly string[]): string {
  if (silent.length === 0) return words;
  return `${words}. Not confirmed yet by the agents of ${listed(silent)}; only mendlet's agent knows pauses`;
}

/** Containers that are to run and wait. */
function waitsOf({ status }: Pod): readonly ContainerStatus[] {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  return [...initContainerStatuses, ...containerStatuses].filter(
    ({ state }) => state?.waiting !== undefined && state.waiting.reason !== 'PodInitializing',
  );
}

function waitText({ kind }: ActTarget, pod: Pod, { name, state }: ContainerStatus): string {
  const of = kind === 'Pod' ? '' : ` of pod/${nameOf(pod)}`;
  return `container ${name}${of} (${state?.waiting?.reason ?? 'waiting'})`;
}

function whichText({ kind }: ActTarget, pods: readonly Pod[]): string {
  if (kind === 'Pod') return 'the pod';
  if (pods.length === 0) return 'its pods (it has none now)';
  return pods.length === 1 ? 'its pod' : `its ${pods.length} pods`;
}

function listed(texts: readonly string[]): string {
  const more = texts.length - MAX_NAMED;
  return more > 0 ? `${texts.slice(0, MAX_NAMED).join(', ')} and ${more} more` : texts.join(', ');
}
