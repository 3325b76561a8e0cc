/** Which rule of a job's pod failure policy a failed pod meets: the first that fits. Pure. Upstream: matchPodFailurePolicy. */
import {
  type ContainerStatus,
  nameOf,
  namespaceOf,
  type Pod,
  type PodFailurePolicy,
  type PodFailurePolicyOnExitCodesRequirement,
  type PodFailurePolicyRule,
} from '../../api/index.ts';

export interface FailureVerdict {
  /** Count, also where no rule fits: towards the back-off limit. */
  readonly action: 'Count' | 'Ignore' | 'FailJob' | 'FailIndex';
  /** Why the job fails, for FailJob. */
  readonly message: string;
}

const COUNT: FailureVerdict = { action: 'Count', message: '' };

export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  for (const [position, rule] of (policy?.rules ?? []).entries()) {
    const why = matchRule(rule, pod);
    if (why === undefined) continue;
    const action = rule.action as FailureVerdict['action'];
    return { action, message: `${why} matching ${rule.action} rule at index ${position}` };
  }
  return COUNT;
}

function matchRule({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const name = `${namespaceOf(pod)}/${nameOf(pod)}`;
  const { status = {} } = pod;
  if (onExitCodes !== undefined) {
    const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
    const found = all.find((container) => matchesExitCode(container, onExitCodes));
    if (found === undefined) return undefined;
    return `Container ${found.name} for pod ${name} failed with exit code ${found.state?.terminated?.exitCode}`;
  }
  const condition = status.conditions?.find(({ type, status: value }) =>
    onPodConditions?.some((pattern) => pattern.type === type && (pattern.status ?? 'True') === value),
  );
  return condition === undefined ? undefined : `Pod ${name} has condition ${condition.type}`;
}

function matchesExitCode(
  { name, state }: ContainerStatus,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const code = state?.terminated?.exitCode;
  if (code === undefined || code === 0) return false;
  if (containerName !== undefined && containerName !== name) return false;
  return operator === 'In' ? values.includes(code) : operator === 'NotIn' && !values.includes(code);
}
