/** The facts about a death that the ladder considers, and the rule of the policy that matches it. Pure. */
import type { ResolvedCurve, ResolvedHealingPolicy, ResolvedRule } from '../../../api/index.ts';
import type { ContainerView } from '../container-view.ts';
import type { Death } from '../pod-memory.ts';

export interface DeathFacts {
  readonly container: string;
  readonly containerId: string;
  readonly exitCode: number;
  readonly reason: string;
  /** The probe whose failure led to the kill. */
  readonly probe?: 'Liveness' | 'Startup';
}

const PROBES = { liveness: 'Liveness', startup: 'Startup' } as const;

export function deathFacts({ container, memory }: ContainerView, death: Death): DeathFacts {
  const cause = memory.kill?.containerId === death.containerId ? memory.kill.cause : undefined;
  const probe = cause === 'liveness' || cause === 'startup' ? PROBES[cause] : undefined;
  const { containerId, exitCode, reason } = death;
  return { container: container.name, containerId, exitCode, reason, ...(probe === undefined ? {} : { probe }) };
}

/** The first that fits. */
export function ruleFor({ rules }: ResolvedHealingPolicy, death: DeathFacts): ResolvedRule | undefined {
  return rules.find((rule) => fits(rule, death));
}

function fits({ containers, onExitCodes, onOutOfMemory, onProbeFailure }: ResolvedRule, death: DeathFacts): boolean {
  if (containers !== undefined && !containers.includes(death.container)) return false;
  if (onExitCodes !== undefined && onExitCodes.values.includes(death.exitCode) !== (onExitCodes.operator === 'In'))
    return false;
  if (onOutOfMemory && death.reason !== OUT_OF_MEMORY) return false;
  return onProbeFailure === undefined || (death.probe !== undefined && onProbeFailure.includes(death.probe));
}

/** The runtime's reason for a container whose main process was killed for memory. */
const OUT_OF_MEMORY = 'OOMKilled';

/** The curve on which a container is restarted after this death; undefined: Kubernetes' own. */
export function curveFor(policy: ResolvedHealingPolicy, death: DeathFacts): ResolvedCurve | undefined {
  const rule = ruleFor(policy, death);
  if (rule?.backOff !== undefined) return rule.backOff;
  // A probe's kill is no success, however well the process ended.
  const succeeded = death.exitCode === 0 && death.probe === undefined;
  return (succeeded ? policy.backOffAfterSuccess : undefined) ?? policy.backOff;
}

/** "container web exited with 137 (OOMKilled)", "container web failed its liveness probe". */
export function deathText({ container, exitCode, reason, probe }: DeathFacts): string {
  if (probe !== undefined) return `container ${container} failed its ${probe.toLowerCase()} probe`;
  const plain = reason === '' || reason === 'Error' || reason === 'Completed';
  return `container ${container} exited with ${exitCode}${plain ? '' : ` (${reason})`}`;
}
