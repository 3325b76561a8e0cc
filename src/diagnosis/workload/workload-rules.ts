/** The rules about workloads: stalled rollouts, failed jobs, pods that wait for others. */
import { type Deployment, findCondition, type Job, type StatefulSet } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { inactive } from '../autoscaler/autoscaler-rules.ts';
import { formatAge, plural, quotable, shellWord } from '../facts/words/text.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { NORMAL_START_MS } from '../limits.ts';
import { NOTHING } from '../rule.ts';
import { createFailed } from './create-failed.ts';
import { noNodeMatches } from './no-node-matches.ts';
import { oldPodEnds } from './old-pod-ends.ts';
import { rolloutHolder, updatedPods } from './rollout-progress.ts';
import { scaleDownEnds, scaleDownWaits } from './scale-down.ts';
import { isHeldJob, type WorkloadFacts } from './workload-facts.ts';

export type WorkloadRule = (facts: WorkloadFacts) => readonly RankedFinding[];

const progressDeadline: WorkloadRule = (facts) => {
  const condition = findCondition(facts.evidence.workload.status?.conditions, 'Progressing');
  if (facts.kind !== 'Deployment' || condition?.status !== 'False' || condition.reason !== 'ProgressDeadlineExceeded') {
    return NOTHING;
  }
  return [
    {
      id: 'progress-deadline',
      severity: 'critical',
      // The findings of its pods say why, and rank higher.
      rank: 20,
      topic: 'rollout',
      says: `the rollout of ${facts.target} has not come on within its deadline`,
      evidence: [conditionQuote('Progressing', condition)],
      try: [
        ...(hasOlderRevision(facts) ? [facts.kubectl('rollout', 'undo', facts.target)] : []),
        facts.kubectl('rollout', 'history', facts.target),
      ],
    },
  ];
};

/** The first rollout has nothing to go back to. */
function hasOlderRevision({ evidence }: WorkloadFacts): boolean {
  return Number(evidence.workload.metadata?.annotations?.['deployment.kubernetes.io/revision'] ?? 2) > 1;
}

const JOB_ENDS: Readonly<Record<string, string>> = {
  PodFailurePolicy: 'was failed by its pod failure policy',
  FailedIndexes: 'ended with indexes that failed',
};
/** The ends for which a limit is to blame; its value follows. */
const LIMITED_ENDS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  BackoffLimitExceeded: ['has given up after more failures of its pods than its', ' allows'],
  DeadlineExceeded: ['took longer than its', ''],
  MaxFailedIndexesExceeded: ['has given up after more failed indexes than its', ' allows'],
};
/** Upstream's defaults, which the server writes into each Job. */
const JOB_DEFAULTS: Readonly<Record<string, number>> = { backoffLimit: 6 };

const JOB_FIELDS: Readonly<Record<string, 'backoffLimit' | 'activeDeadlineSeconds' | 'maxFailedIndexes'>> = {
  BackoffLimitExceeded: 'backoffLimit',
  DeadlineExceeded: 'activeDeadlineSeconds',
  MaxFailedIndexesExceeded: 'maxFailedIndexes',
};

/** "took longer than its activeDeadlineSeconds of 30s" */
function endText({ spec, status }: Job, reason: string): string {
  const field = JOB_FIELDS[reason];
  const [before, after] = LIMITED_ENDS[reason] ?? [];
  if (field !== undefined && before !== undefined) {
    const value = spec?.[field] ?? JOB_DEFAULTS[field];
    const unit = field === 'activeDeadlineSeconds' ? 's' : '';
    return `${before} ${field}${value === undefined ? '' : ` of ${value}${unit}`}${after ?? ''}`;
  }
  if (reason === 'FailedIndexes' && status?.failedIndexes) return `ended with failed indexes ${status.failedIndexes}`;
  return JOB_ENDS[reason] ?? `failed (${reason})`;
}

const jobFailed: WorkloadRule = (facts) => {
  const condition = findCondition(facts.evidence.workload.status?.conditions, 'Failed');
  if (facts.ended !== 'Failed' || condition === undefined) return NOTHING;
  const { spec, status } = facts.evidence.workload as Job;
  const reason = condition.reason ?? '';
  const limit = JOB_FIELDS[reason];
  const field: readonly Quote[] =
    limit === undefined ? [] : [{ source: 'field', path: `spec.${limit}`, value: String(spec?.[limit] ?? 'default') }];
  return [
    {
      id: 'job-failed',
      severity: 'critical',
      rank: 30,
      topic: 'job',
      says: `${facts.target} ${endText(facts.evidence.workload as Job, reason)}`,
      evidence: [
        conditionQuote('Failed', condition),
        ...field,
        { source: 'field', path: 'status.failed', value: String(status?.failed ?? 0) },
      ],
      // Without a pod only its node has what it said.
      try:
        facts.evidence.pods.length === 0
          ? [['mendlet history', shellWord(facts.target), facts.evidence.namespaceFlag].join(' ').trimEnd()]
          : [facts.kubectl('logs', facts.target), facts.kubectl('get', 'pods', '-l', `job-name=${facts.name}`)],
    },
  ];
};

/** A StatefulSet makes the next pod only when the ones before are ready. */
const ordered: WorkloadRule = (facts) => {
  const { workload, pods } = facts.evidence;
  if (facts.kind !== 'StatefulSet' || facts.missing === 0) return NOTHING;
  if ((workload as StatefulSet).spec?.podManagementPolicy === 'Parallel') return NOTHING;
  const unready = pods.find(({ status }) => findCondition(status?.conditions, 'Ready')?.status !== 'True');
  if (unready === undefined) return NOTHING;
  return [
    {
      id: 'ordered-start',
      severity: 'warning',
      rank: 15,
      topic: 'order',
      says: `${facts.target} does not make its next pod before ${unready.metadata?.name ?? ''} is ready`,
      evidence: [{ source: 'field', path: 'spec.podManagementPolicy', value: 'OrderedReady' }],
      try: [],
    },
  ];
};

/** Somebody holds the rollout, and pods of an older template are still there. */
const held: WorkloadRule = (facts) => {
  const { workload } = facts.evidence;
  const holder = rolloutHolder(workload);
  const updated = updatedPods(workload);
  if (holder === undefined || facts.wanted === 0 || updated >= facts.wanted) return NOTHING;
  return [
    {
      id: 'rollout-held',
      severity: 'info',
      // What its pods say comes first.
      rank: 12,
      topic: 'rollout',
      says: `the rollout of ${facts.target} is held ${holder.how}: ${updated} of ${facts.wanted} pods have its newest template`,
      evidence: [
        { source: 'field', path: holder.path, value: holder.value },
        { source: 'field', path: 'status.updatedReplicas', value: String(updated) },
      ],
      try:
        facts.kind === 'Deployment'
          ? [facts.kubectl('rollout', 'resume', facts.target)]
          : [facts.kubectl('get', 'pods', '-o', 'wide')],
    },
  ];
};

function isSuspendedJob(workload: WorkloadFacts['evidence']['workload']): boolean {
  return workload.kind === 'Job' && (workload as Job).spec?.suspend === true;
}

/** A job that may start no pod; like one that is suspended it is held, but its spec says so less plainly. */
const jobHeld: WorkloadRule = (facts) => {
  if (isSuspendedJob(facts.evidence.workload))
    return [
      {
        id: 'job-held',
        severity: 'info',
        rank: 12,
        topic: 'job',
        says: `${facts.target} is suspended (spec.suspend: true), and starts no pod until that is false`,
        evidence: [{ source: 'field', path: 'spec.suspend', value: 'true' }],
        try: [facts.kubectl('patch', facts.target, '-p', '{"spec":{"suspend":false}}')],
      },
    ];
  if (!isHeldJob(facts)) return NOTHING;
  const { spec, status } = facts.evidence.workload as Job;
  const all = spec?.completions;
  const left = all === undefined ? '' : `, with ${all - (status?.succeeded ?? 0)} of ${plural(all, 'completion')} left`;
  return [
    {
      id: 'job-held',
      severity: 'info',
      rank: 12,
      topic: 'job',
      says: `${facts.target} is held: spec.parallelism is 0, so it starts no pod${left}`,
      evidence: [{ source: 'field', path: 'spec.parallelism', value: '0' }],
      try: [facts.kubectl('patch', facts.target, '-p', '{"spec":{"parallelism":1}}')],
    },
  ];
};

/** The finding that is the cause of whatever its pods say. */
export const NO_SUCH_NODE = 'no-such-node';

/**
 * The template is fixed to a node that is not there. Its pods are removed soon after they were made, so none of them may be
 * there to say so.
 */
const noSuchNode: WorkloadRule = (facts) => {
  const { fixedNode, looked, workload } = facts.evidence;
  if (fixedNode?.missing !== true || facts.wanted === 0 || facts.ended !== undefined) return NOTHING;
  const isTold = looked.some(
    ({ pod, node }) =>
      node?.name === fixedNode.name && pod.status?.phase !== 'Failed' && !pod.metadata?.deletionTimestamp,
  );
  if (isTold) return NOTHING;
  const { name } = fixedNode;
  const template = workload.spec?.template;
  return [
    {
      id: NO_SUCH_NODE,
      severity: 'critical',
      rank: 98,
      topic: 'node',
      says: `the template of ${facts.target} is fixed to node ${name} (spec.nodeName), and there is no such node: its pods never run, and are removed and made again`,
      evidence: [
        { source: 'object', object: `node/${name}`, says: 'not found' },
        { source: 'field', path: 'spec.template.spec.nodeName', value: template?.spec?.nodeName ?? name },
      ],
      try: [facts.cluster('get', 'nodes'), facts.kubectl('edit', facts.target)],
    },
  ];
};

/** So many evictions within this time are a loop, although a fresh pod always stands in for the last. */
const EVICTION_LOOP = 3;
const EVICTION_LOOP_MS = 10 * 60_000;
/** What a pod's own limit ended: the next one comes there, too. */
const OF_OWN_LIMIT = /exceeds? the (?:total )?limit|exceeds its local ephemeral storage limit|exceeded its/i;

const evictedOften: WorkloadRule = (facts) => {
  const { evidence, now, kind, ready, wanted, target } = facts;
  if (kind === 'Job' || ready < wanted) return NOTHING;
  const madeAt = ({ metadata }: Pod): number => parseTime(metadata?.creationTimestamp ?? undefined) ?? 0;
  const evicted = evidence.pods
    .filter(({ status }) => status?.phase === 'Failed' && status.reason === 'Evicted')
    .filter((pod) => now - madeAt(pod) <= EVICTION_LOOP_MS)
    .toSorted((a, b) => madeAt(b) - madeAt(a));
  const [newest] = evicted;
  const enough = OF_OWN_LIMIT.test(newest?.status?.message ?? '') ? 1 : EVICTION_LOOP;
  if (newest === undefined || evicted.length < enough) return NOTHING;
  const names = evicted.map(({ metadata }) => metadata?.name ?? '');
  const message = quotable((newest.status?.message ?? '').trim()).replace(/\.+$/, '');
  return [
    {
      id: 'evicted',
      severity: 'warning',
      rank: 60,
      topic: 'pods',
      says: `${evicted.length === 1 ? `pod ${names[0] ?? ''} of ${target} was evicted` : `${evicted.length} pods of ${target} were evicted one after the other`} within ${formatAge(now - Math.min(...evicted.map(madeAt)))}${message === '' ? '' : `: ${message}`}`,
      evidence: evicted.slice(0, 2).map(
        ({ metadata, status }): Quote => ({
          source: 'field',
          of: `pod/${metadata?.name ?? ''}`,
          path: 'status.reason',
          value: `Evicted: ${(status?.message ?? '').trim()}`,
        }),
      ),
      try: [facts.kubectl('describe', `pod/${names[0] ?? ''}`), facts.kubectl('edit', target)],
      pods: names,
    },
  ];
};

/** Ready is not yet available: a long minReadySeconds looks like a rollout that stands still. */
const notYetAvailable: WorkloadRule = ({ evidence, kind, ready, wanted, target, kubectl }) => {
  const { spec, status } = evidence.workload as Deployment;
  const seconds = spec?.minReadySeconds ?? 0;
  const available = status?.availableReplicas ?? 0;
  if (!['Deployment', 'StatefulSet'].includes(kind) || ready < wanted || available >= wanted) return NOTHING;
  if (seconds * 1000 < NORMAL_START_MS) return NOTHING;
  return [
    {
      id: 'pods-starting',
      severity: 'info',
      rank: 10,
      topic: 'pods',
      says: `${target} has ${available} of ${wanted} pods available: a pod counts only after it was ready for ${seconds}s (minReadySeconds)`,
      evidence: [
        { source: 'field', path: 'spec.minReadySeconds', value: String(seconds) },
        { source: 'field', path: 'status.availableReplicas', value: String(available) },
      ],
      try: [kubectl('rollout', 'status', target)],
    },
  ];
};

/** An autoscaler of the workload that cannot scale it. */
const autoscaled: WorkloadRule = ({ evidence, now, wanted, ready, kubectl }) =>
  (evidence.autoscalers ?? []).flatMap((autoscaler) =>
    inactive({ autoscaler, now, wanted, ready, commands: { kubectl } }),
  );

/** Rules about what the pods of a workload may explain. */
export const WORKLOAD_RULES: readonly WorkloadRule[] = [
  createFailed,
  progressDeadline,
  jobFailed,
  jobHeld,
  noSuchNode,
  ordered,
  scaleDownWaits,
  held,
];
/** Rules about what stands beside: no pod is the cause of it, and it explains no pod. */
export const RULES_BESIDE: readonly WorkloadRule[] = [
  autoscaled,
  noNodeMatches,
  evictedOften,
  notYetAvailable,
  oldPodEnds,
  scaleDownEnds,
];

function conditionQuote(
  type: string,
  { status, reason, message }: { readonly status: string; readonly reason?: string; readonly message?: string },
): Quote {
  const value = `${status} ${reason ?? ''}: ${message ?? ''}`;
  return { source: 'field', path: `status.conditions[${type}]`, value };
}
