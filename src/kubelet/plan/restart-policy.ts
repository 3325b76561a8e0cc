/**
 * Decides whether a container that ended is started again. Upstream: ShouldContainerBeRestarted, KEP-5307 for rules, KEP-753
 * for sidecars.
 */
import type { Container, ContainerRestartRule, Pod } from '../../api/index.ts';

export type ContainerKind = 'init' | 'sidecar' | 'app' | 'ephemeral';

/** An init container with restartPolicy Always is a sidecar: it starts in order and then stays. */
export function initContainerKind(container: Container): 'init' | 'sidecar' {
  return container.restartPolicy === 'Always' ? 'sidecar' : 'init';
}

export function podRestartPolicy(pod: Pod): string {
  return pod.spec?.restartPolicy ?? 'Always';
}

/** The policy in force for one container: its own, else the pod's. */
export function containerRestartPolicy(pod: Pod, container: Container): string {
  return container.restartPolicy ?? podRestartPolicy(pod);
}

/** Is a container that ended with `exitCode` started again? The first rule that matches decides, then the policy. */
export function restartsAfterExit(pod: Pod, container: Container, kind: ContainerKind, exitCode: number): boolean {
  if (kind === 'ephemeral') return false;
  if (kind === 'sidecar' || matchingRule(container, exitCode) !== undefined) return true;
  const policy = containerRestartPolicy(pod, container);
  if (policy === 'Never') return false;
  // An init container that succeeded is done under every policy.
  if (policy === 'OnFailure' || kind === 'init') return exitCode !== 0;
  return true;
}

/** Does an end with `exitCode` restart all containers of the pod (KEP-5532)? */
export function restartsAllAfterExit(container: Container, exitCode: number): boolean {
  return matchingRule(container, exitCode)?.action === 'RestartAllContainers';
}

/** Some exit of some container restarts all (upstream: AllContainersCouldRestart). */
export function mayRestartAll(pod: Pod): boolean {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  return containers.some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );
}

/** Is a container killed for a failed liveness or startup probe started again? Rules look at exits only. */
export function restartsAfterProbeKill(pod: Pod, container: Container, kind: ContainerKind): boolean {
  if (kind === 'ephemeral') return false;
  return kind === 'sidecar' || containerRestartPolicy(pod, container) !== 'Never';
}

/** The first rule that matches; an action that is not known never does. */
function matchingRule(container: Container, exitCode: number): ContainerRestartRule | undefined {
  return container.restartPolicyRules?.find(
    ({ action, exitCodes }) =>
      (action === 'Restart' || action === 'RestartAllContainers') && matches(exitCodes, exitCode),
  );
}

function matches(
  exitCodes: { readonly operator?: string; readonly values?: readonly number[] } | undefined,
  exitCode: number,
): boolean {
  if (exitCodes === undefined) return false;
  const listed = (exitCodes.values ?? []).includes(exitCode);
  return exitCodes.operator === 'NotIn' ? !listed : listed;
}
