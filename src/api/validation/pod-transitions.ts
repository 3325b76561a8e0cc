/**
 * Decides which ends of containers are final (upstream: ValidateContainerStateTransition): without a restart a terminated
 * container can't come back. In mendlet it comes back, whatever its restart policy, in a pod that is restarted in place.
 */
import { child, type FieldError, forbiddenField, index } from '../field-error.ts';
import { parseHealingState } from '../healing/healing-state.ts';
import { HEALING_STATE, RESTARTING_CONDITION } from '../healing/words.ts';
import type { Container, ContainerStatus, Pod, PodSpec } from '../types.gen.ts';

export function validateStateTransitions(pod: Pod, old: Pod): FieldError[] {
  const { spec } = old;
  if (spec === undefined || spec.restartPolicy === 'Always') return [];
  if (mayAllRestart(spec) || isRestarted(pod) || isRestarted(old)) return [];
  const path = 'status.containerStatuses';
  return validateTransitions(pod.status?.containerStatuses, old.status?.containerStatuses, spec, path);
}

/** One container's end restarts them all, those that are done included (KEP-5532). */
function mayAllRestart({ containers, initContainers = [] }: PodSpec): boolean {
  return [...(containers ?? []), ...initContainers].some((container) =>
    container.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers'),
  );
}

/**
 * A restart that somebody requested, or the ladder chose, is under way or has ended. An ended one counts, too: the server may
 * have been away during the whole restart.
 */
function isRestarted({ metadata, status }: Pod): boolean {
  if (status?.conditions?.some((condition) => condition.type === RESTARTING_CONDITION)) return true;
  const state = parseHealingState(metadata?.annotations?.[HEALING_STATE]);
  return (state?.restarts?.length ?? 0) > 0 || (state?.podRestarts ?? 0) > 0;
}

function validateTransitions(
  next: readonly ContainerStatus[] | undefined,
  old: readonly ContainerStatus[] | undefined,
  spec: PodSpec,
  path: string,
): FieldError[] {
  return (old ?? []).flatMap((status, position) => {
    const terminated = status.state?.terminated;
    if (terminated === undefined || mayRestart(spec, status.name, terminated.exitCode)) return [];
    const now = next?.find((entry) => entry.name === status.name);
    if (now === undefined || now.state?.terminated !== undefined) return [];
    return [forbiddenField(child(index(path, position), 'state'), 'may not be transitioned to non-terminated state')];
  });
}

function mayRestart(spec: PodSpec, name: string, exitCode: number): boolean {
  const own = spec.containers.find((container: Container) => container.name === name);
  const policy = own?.restartPolicy ?? spec.restartPolicy;
  if (policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)) return true;
  return (own?.restartPolicyRules?.length ?? 0) > 0;
}
