/** Whether a container that ended is started again. Upstream: ShouldContainerBeRestarted, KEP-5307 for rules, KEP-753 for sidecars. */
import type { Container, Pod } from '../../api/index.ts';

export type ContainerKind = 'init' | 'sidecar' | 'app';

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
  for (const rule of container.restartPolicyRules ?? []) {
    if (rule.action === 'Restart' && matches(rule.exitCodes, exitCode)) return true;
  }
  const policy = containerRestartPolicy(pod, container);
  if (kind === 'sidecar') return true;
  if (policy === 'Never') return false;
  // An init container that succeeded is done under every policy.
  if (policy === 'OnFailure' || kind === 'init') return exitCode !== 0;
  return true;
}

/** Is a container killed for a failed liveness or startup probe started again? Rules look at exits only. */
export function restartsAfterProbeKill(pod: Pod, container: Container, kind: ContainerKind): boolean {
  return kind === 'sidecar' || containerRestartPolicy(pod, container) !== 'Never';
}

function matches(
  exitCodes: { readonly operator?: string; readonly values?: readonly number[] } | undefined,
  exitCode: number,
): boolean {
  if (exitCodes === undefined) return false;
  const listed = (exitCodes.values ?? []).includes(exitCode);
  return exitCodes.operator === 'NotIn' ? !listed : listed;
}
