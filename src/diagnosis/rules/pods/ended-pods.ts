/** Rule: the pod was ended from outside: evicted, preempted, rejected by its node, or past its deadline. */
import { controllerOf, isConditionTrue } from '../../../api/index.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import { because } from '../../facts/words/innermost.ts';
import { isReplaced, type PodFacts } from '../../facts/pod/pod-facts.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

const REJECTIONS =
  /^(OutOf\w[\w.-]*|NodeAffinity|NodePorts|NodeName|UnexpectedAdmissionError|SysctlForbidden|TopologyAffinityError|Unexpected\w+|PodOSNotSupported|PodOSSelectorNodeLabelDoesNotMatch|InvalidNodeInfo|SupplementalGroupsPolicyNotSupported|AdmissionError|VolumeAttachmentLimitExceeded|PodFeatureUnsupported)$/;

/** Reasons of a rejection that lie in the pod's spec. */
const OF_THE_POD = /^(?:SysctlForbidden|PodOSNotSupported|PodFeatureUnsupported)$/;

export const endedPods: PodRule = (facts) => {
  const { pod, deleting } = facts;
  const { phase, reason = '' } = pod.status ?? {};
  if (phase !== 'Failed' || deleting) return NOTHING;
  if (reason === 'Evicted') return [evicted(facts)];
  if (reason === 'DeadlineExceeded') return [tooLong(facts)];
  if (reason === 'Terminated' || reason === 'NodeShutdown' || reason === 'Shutdown') return [shutDown(facts)];
  const target = facts.condition('DisruptionTarget');
  if (target?.status === 'True') return [disrupted(facts, target.reason ?? '', target.message ?? '')];
  return REJECTIONS.test(reason) ? [rejected(facts, reason)] : NOTHING;
};

function evicted(facts: PodFacts): RankedFinding {
  const message = (facts.pod.status?.message ?? '').trim();
  const [event] = eventsWith(facts.events, 'Evicted');
  const own = /exceeds? the (?:total )?limit|exceeds its local ephemeral storage limit|exceeded its/i.test(message);
  const pressure = /low on resource: (\S+?)\.?(?:\s|$)/.exec(message)?.[1];
  const { nodeName = '' } = facts.pod.spec ?? {};
  const why = own
    ? `it used more disk than it may${because(message)}`
    : pressure === undefined
      ? 'its node needed room'
      : `node ${nodeName} was low on ${pressure}`;
  return {
    ...base(facts),
    id: 'evicted',
    rank: 96,
    says: `pod ${facts.name} was evicted: ${why}${after(facts)}`,
    evidence: [
      statusQuote(facts, `Evicted: ${message}`),
      ...(event === undefined ? [] : [quoteEvent(event)]),
      ...limits(facts, message),
    ],
    try: own
      ? facts.commands.edit
      : [facts.commands.whyNode(nodeName), facts.commands.cluster('describe', `node/${nodeName}`)],
  };
}

/** Quotes the limit that the message names. */
function limits({ pod, containers }: PodFacts, message: string): readonly Quote[] {
  const volume = /EmptyDir volume "([^"]+)"/i.exec(message)?.[1];
  const index = (pod.spec?.volumes ?? []).findIndex(({ name }) => name === volume);
  const sizeLimit = pod.spec?.volumes?.[index]?.emptyDir?.sizeLimit;
  if (sizeLimit !== undefined)
    return [{ source: 'field', path: `spec.volumes[${index}].emptyDir.sizeLimit`, value: sizeLimit }];
  return containers.flatMap(({ path, spec }): readonly Quote[] => {
    const limit = spec.resources?.limits?.['ephemeral-storage'];
    return limit === undefined
      ? []
      : [{ source: 'field', path: `${path}.resources.limits.ephemeral-storage`, value: limit }];
  });
}

function tooLong(facts: PodFacts): RankedFinding {
  const seconds = facts.pod.spec?.activeDeadlineSeconds;
  return {
    ...base(facts),
    id: 'deadline-exceeded',
    rank: 96,
    says: `pod ${facts.name} was ended because it took longer than its ${seconds ?? '?'}s${after(facts)}`,
    evidence: [
      statusQuote(facts, `DeadlineExceeded: ${facts.pod.status?.message ?? ''}`),
      { source: 'field', path: 'spec.activeDeadlineSeconds', value: String(seconds) },
    ],
    try: facts.commands.edit,
  };
}

function shutDown(facts: PodFacts): RankedFinding {
  const { reason = '', message = '' } = facts.pod.status ?? {};
  return {
    ...base(facts),
    id: 'node-shutdown',
    rank: 95,
    says: `pod ${facts.name} was ended by the shutdown of its node${after(facts)}`,
    evidence: [statusQuote(facts, `${reason}: ${message}`)],
    try: [facts.commands.whyNode(facts.pod.spec?.nodeName ?? '')],
  };
}

const DISRUPTIONS: Readonly<Record<string, string>> = {
  PreemptionByScheduler: 'to make room for a pod of higher priority',
  DeletionByTaintManager: 'because of a taint of its node',
  EvictionByEvictionAPI: 'by an eviction that somebody asked for',
  DeletionByPodGC: 'because its node is gone',
  TerminationByKubelet: 'by its node',
};

function disrupted(facts: PodFacts, reason: string, message: string): RankedFinding {
  return {
    ...base(facts),
    id: 'disrupted',
    rank: 94,
    says: `pod ${facts.name} was ended ${DISRUPTIONS[reason] ?? 'from outside'}${after(facts)}`,
    evidence: [{ source: 'field', path: 'status.conditions[DisruptionTarget]', value: `${reason}: ${message}` }],
    try: [facts.commands.kubectl('get', 'pods', '-o', 'wide')],
  };
}

function rejected(facts: PodFacts, reason: string): RankedFinding {
  const { nodeName = '' } = facts.pod.spec ?? {};
  const [event] = eventsWith(facts.events, reason);
  return {
    ...base(facts),
    id: 'rejected',
    rank: 96,
    says: `node ${nodeName} refused pod ${facts.name}: ${reason}${because(facts.pod.status?.message)}${after(facts)}`,
    evidence: [
      statusQuote(facts, `${reason}: ${facts.pod.status?.message ?? ''}`),
      ...(event === undefined ? [] : [quoteEvent(event)]),
    ],
    try: OF_THE_POD.test(reason)
      ? facts.commands.edit
      : [facts.commands.cluster('describe', `node/${nodeName}`), facts.commands.whyNode(nodeName)],
  };
}

function statusQuote(_facts: PodFacts, value: string): Quote {
  return { source: 'field', path: 'status.reason', value };
}

function jobOf({ pod }: PodFacts): string | undefined {
  const owner = controllerOf(pod);
  return owner?.kind === 'Job' ? owner.name : undefined;
}

/** Whether the pod's job has failed, so that it makes no more pods. */
function hasFailed({ evidence }: PodFacts): boolean {
  const job = evidence.owners.find(({ kind }) => kind === 'Job');
  return isConditionTrue(job?.status?.conditions, 'Failed');
}

function after(facts: PodFacts): string {
  if (!isReplaced(facts)) return ', and nothing replaces it';
  const job = jobOf(facts);
  if (job !== undefined) {
    return hasFailed(facts) ? `, and job/${job} has given up` : `; job/${job} makes another within its backoffLimit`;
  }
  return facts.owner === undefined ? '' : `; ${facts.commands.target} replaces it`;
}

function base(facts: PodFacts) {
  const replaced = isReplaced(facts) && !hasFailed(facts);
  return { severity: replaced ? ('warning' as const) : ('critical' as const), topic: 'phase' };
}
