/** Pause, resume and try-now: each writes one annotation on the pods that are meant, and their agents do the rest. */
import {
  type ContainerStatus,
  findCondition,
  HEALING_PAUSED,
  HEALING_PAUSED_CONDITION,
  isDeleting,
  isNotFound,
  nameOf,
  pauseOf,
  type Pod,
  PODS,
  StatusError,
  TRY_NOW,
  uidOf,
} from '../../api/index.ts';
import { formatMicroTime, mapLimit } from '../../lib/index.ts';
import { type ActContext, type ActResult, type ActTarget, actTargetText } from './acts.ts';
import { CONFIRM_EVERY_MS, CONFIRM_MS, MAX_NAMED, PODS_AT_ONCE } from './limits.ts';
import { hasEnded, subjectPods } from './subject-pods.ts';

/** The annotation that a static pod's mirror has: its manifest on the node is what counts. */
const MIRROR = 'kubernetes.io/config.mirror';

/** @param reason shown wherever the pause is; absent: none @throws StatusError, ConnectionError */
export async function pausePods(context: ActContext, target: ActTarget, reason?: string): Promise<ActResult> {
  const pods = await eligible(context, target);
  if ('ok' in pods) return pods;
  const value = reason === undefined || reason.trim() === '' ? 'true' : reason;
  await annotate(context, target, pods, HEALING_PAUSED, value);
  const silent = await unconfirmed(context, target, pods, 'True');
  const words = `${actTargetText(target)}: healing of ${whichText(target, pods)} is paused: what dies stays as it died until it is resumed`;
  return { ok: true, words: withSilent(words, silent) };
}

/** @throws StatusError, ConnectionError */
export async function resumePods(context: ActContext, target: ActTarget): Promise<ActResult> {
  const pods = await eligible(context, target);
  if ('ok' in pods) return pods;
  const paused = pods.filter((pod) => pauseOf(pod) !== undefined);
  if (paused.length === 0) return { ok: true, words: `${actTargetText(target)}: healing is not paused` };
  await annotate(context, target, paused, HEALING_PAUSED, null);
  const silent = await unconfirmed(context, target, paused, 'False');
  return {
    ok: true,
    words: withSilent(`${actTargetText(target)}: healing of ${whichText(target, paused)} goes on`, silent),
  };
}

/** @throws StatusError, ConnectionError */
export async function tryPodsNow(context: ActContext, target: ActTarget): Promise<ActResult> {
  const pods = await eligible(context, target);
  if ('ok' in pods) return pods;
  const waiting = pods.flatMap((pod) => waitsOf(pod).map((status) => ({ pod, status })));
  const those = pods.filter((pod) => waiting.some((each) => each.pod === pod));
  if (those.length === 0) return { ok: true, words: `${actTargetText(target)}: nothing of it waits` };
  await annotate(context, target, those, TRY_NOW, formatMicroTime(context.clock.now().wall));
  const named = waiting.map(({ pod, status }) => waitText(target, pod, status));
  return { ok: true, words: `${actTargetText(target)}: tried now: ${listed(named)}` };
}

/** The pods that can be marked, or why there are none. */
async function eligible(context: ActContext, target: ActTarget): Promise<readonly Pod[] | ActResult> {
  const pods = await subjectPods(context.client, target, context.signal);
  const text = actTargetText(target);
  const no = (why: string): ActResult => ({ ok: false, words: `${text}: ${why}` });
  if (pods.length === 0) return no('it has no pods');
  if (target.kind !== 'Pod') {
    const own = pods.filter((pod) => refusalOf(pod) === undefined);
    return own.length === 0 ? no(refusalOf(pods[0] ?? {}) ?? 'it has no pods') : own;
  }
  const refusal = pods.map(refusalOf).find((each) => each !== undefined);
  return refusal === undefined ? pods : no(refusal);
}

function refusalOf(pod: Pod): string | undefined {
  if (pod.metadata?.annotations?.[MIRROR] !== undefined)
    return 'it is a static pod: write the annotation into its manifest on the node';
  if (isDeleting(pod)) return 'it is being deleted';
  return hasEnded(pod) ? `it has ended (${pod.status?.phase ?? ''})` : undefined;
}

/** A pod that has gone meanwhile is no error in a workload. */
async function annotate(
  { client, signal }: ActContext,
  target: ActTarget,
  pods: readonly Pod[],
  name: string,
  value: string | null,
): Promise<void> {
  await mapLimit(pods, PODS_AT_ONCE, async (pod) => {
    // The UID: another pod of the same name is not meant.
    const patch = { metadata: { uid: uidOf(pod), annotations: { [name]: value } } };
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
  return pods.length === 1 ? 'its pod' : `its ${pods.length} pods`;
}

function listed(texts: readonly string[]): string {
  const more = texts.length - MAX_NAMED;
  return more > 0 ? `${texts.slice(0, MAX_NAMED).join(', ')} and ${more} more` : texts.join(', ');
}
