/** What is wrong with a pod. Pure. */
import {
  type ContainerStatus,
  controllerOf,
  findCondition,
  HEALING_CONDITION,
  HEALING_STATE,
  HEALING_STOPPED_CONDITION,
  isBackOffReason,
  isDeleting,
  parseHealingState,
  type Pod,
  VOLUME_PROBLEM,
} from '../../api/index.ts';
import { parseTime, visibleLine } from '../../lib/index.ts';
import { isPodReady, isPodTerminal } from '../pods/pod-state.ts';
import { CRASHES_AGAIN, STEADY_MS } from './limits.ts';
import { type Subject, toldCause, type Trouble } from './trouble.ts';

type Found = Pick<Trouble, 'trigger' | 'weight' | 'cause'> & Partial<Pick<Trouble, 'since' | 'until'>>;

/** The troubles of a pod; at most one of each trigger. None of a pod that is on its way out, or is over. */
export function podTroubles(pod: Pod): readonly Trouble[] {
  if (isDeleting(pod) || isPodTerminal(pod)) return [];
  const subject = subjectOf(pod);
  const { name = '' } = pod.metadata ?? {};
  const found = [gaveUp(pod), needsHuman(pod), ...unwell(pod), dataAtRisk(pod)].filter((each) => each !== undefined);
  return found
    .filter(({ trigger }, at) => found.findIndex((other) => other.trigger === trigger) === at)
    .map((each) => ({
      ...each,
      cause: toldCause(each.cause),
      subject,
      ...(subject.kind === 'Pod' ? {} : { pod: name }),
    }));
}

/** The workload of a pod. A ReplicaSet of a Deployment has the hash of its template at the end of its name. */
export function subjectOf(pod: Pod): Subject {
  const { name = '', namespace = '', labels = {} } = pod.metadata ?? {};
  const given = controllerOf(pod);
  if (given === undefined || given.kind === 'Node') return { kind: 'Pod', namespace, name };
  // No server checks these but for their presence.
  const owner = { kind: visibleLine(given.kind).slice(0, 63), name: visibleLine(given.name).slice(0, 253) };
  const end = `-${labels['pod-template-hash'] ?? ''}`;
  if (owner.kind === 'ReplicaSet' && end !== '-' && owner.name.endsWith(end))
    return { kind: 'Deployment', namespace, name: owner.name.slice(0, -end.length) };
  return { kind: owner.kind, namespace, name: owner.name };
}

/** A rule that stops a pod is its author's call for a person; any other end of the ladder means that nothing helped. */
function stopped({ status }: Pod, byRule: boolean): Omit<Found, 'trigger'> | undefined {
  const condition = findCondition(status?.conditions, HEALING_STOPPED_CONDITION);
  if (condition?.status !== 'True' || (condition.reason === 'RuleStop') !== byRule) return undefined;
  const cause = condition.message ?? 'its healing ladder is at its end';
  return { weight: 'now', cause, ...sinceOf(condition) };
}

function gaveUp(pod: Pod): Found | undefined {
  const found = stopped(pod, false);
  return found && { trigger: 'GaveUp', ...found };
}

function needsHuman(pod: Pod): Found | undefined {
  const trigger = 'NeedsHuman';
  const byRule = stopped(pod, true);
  if (byRule !== undefined) return { trigger, ...byRule };
  const healing = findCondition(pod.status?.conditions, HEALING_CONDITION);
  if (healing?.status === 'Unknown' && healing.reason === 'InvalidPolicy') {
    const cause = `its healing policy is not used: ${healing.message ?? 'it is invalid'}`;
    return { trigger, weight: 'now', cause, ...sinceOf(healing) };
  }
  return unscheduled(pod) ?? stuck(pod) ?? crashing(pod);
}

function unscheduled({ status, metadata }: Pod): Found | undefined {
  const condition = findCondition(status?.conditions, 'PodScheduled');
  if (condition?.status !== 'False' || condition.reason === 'SchedulingGated') return undefined;
  const since = parseTime(metadata?.creationTimestamp);
  const cause = `no node takes it: ${condition.message ?? condition.reason ?? 'no reason told'}`;
  return { trigger: 'NeedsHuman', weight: 'patience', cause, ...(since === undefined ? {} : { since }) };
}

/** A container whose start fails. */
function stuck(pod: Pod): Found | undefined {
  for (const { name, state } of statusesOf(pod)) {
    const { reason, message } = state?.waiting ?? {};
    if (reason === undefined || !isBackOffReason(reason) || reason === 'CrashLoopBackOff') continue;
    const cause = `container ${name} does not start: ${reason}${message === undefined ? '' : `: ${message}`}`;
    return { trigger: 'NeedsHuman', weight: 'patience', cause };
  }
  return undefined;
}

/** A container that waits for its next life, or has begun it lately after several. */
function crashing(pod: Pod): Found | undefined {
  for (const { name, state, lastState, restartCount } of statusesOf(pod)) {
    const ended = state?.terminated ?? lastState?.terminated;
    const started = parseTime(state?.running?.startedAt);
    const waits = state?.waiting?.reason === 'CrashLoopBackOff';
    const again = started !== undefined && restartCount >= CRASHES_AGAIN && (ended?.exitCode ?? 0) !== 0;
    if (!waits && !again) continue;
    const how = ended === undefined ? '' : `: exit code ${ended.exitCode} (${ended.reason ?? 'Error'})`;
    const since = parseTime(parseHealingState(pod.metadata?.annotations?.[HEALING_STATE])?.since);
    return {
      trigger: 'NeedsHuman',
      weight: 'patience',
      cause: `container ${name} ends again and again, ${restartCount} restarts so far${how}`,
      ...(since === undefined ? {} : { since }),
      ...(again && !waits ? { until: started + STEADY_MS } : {}),
    };
  }
  return undefined;
}

/** A pod that is not ready is not recovered. */
function unwell(pod: Pod): readonly Found[] {
  if (isPodReady(pod)) return [];
  const hold = { weight: 'hold', cause: 'not ready' } as const;
  return [
    { trigger: 'GaveUp', ...hold },
    { trigger: 'NeedsHuman', ...hold },
  ];
}

function dataAtRisk({ status }: Pod): Found | undefined {
  const condition = findCondition(status?.conditions, VOLUME_PROBLEM);
  if (condition?.status !== 'True') return undefined;
  const cause = `${condition.reason ?? 'VolumeProblem'}: ${condition.message ?? 'a volume of it does not work'}`;
  return { trigger: 'DataAtRisk', weight: 'now', cause, ...sinceOf(condition) };
}

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function sinceOf({ lastTransitionTime }: { readonly lastTransitionTime?: string | null }): { readonly since?: number } {
  const since = parseTime(lastTransitionTime);
  return since === undefined ? {} : { since };
}
