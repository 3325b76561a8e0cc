/** The facts of a workload for its rules: the pods that it wants, has and lacks, for all kinds alike. */
import type { DaemonSet, Deployment, Job, ReplicaSet, StatefulSet } from '../../api/index.ts';
import { isConditionTrue } from '../../api/index.ts';
import type { WorkloadEvidence } from '../evidence/workload-evidence.ts';
import { plural, shellWord } from '../facts/words/text.ts';
import { isRollingOut, totalPods, updatedPods } from './rollout-progress.ts';
import { byPlace } from './surplus-pods.ts';

export interface WorkloadFacts {
  readonly evidence: WorkloadEvidence;
  readonly now: number;
  readonly namespace: string;
  readonly name: string;
  /** "deployment/web" */
  readonly target: string;
  readonly kind: string;
  readonly wanted: number;
  readonly wantedPath: string;
  /** The number of pods that should exist and do not. */
  readonly missing: number;
  /** Pods that are ready, and not about to go. */
  readonly ready: number;
  /** Pods of an older template are still to be replaced, and nobody holds that. */
  readonly rollingOut: boolean;
  /** The number of pods that are to go, as their StatefulSet was scaled down. */
  readonly surplus: number;
  /** A job that is over. */
  readonly ended?: 'Complete' | 'Failed';
  readonly kubectl: (...words: readonly string[]) => string;
  readonly cluster: (...words: readonly string[]) => string;
}

interface Counts {
  readonly wanted: number;
  readonly wantedPath: string;
  readonly made: number;
  readonly ready: number;
}

export function workloadFacts(evidence: WorkloadEvidence): WorkloadFacts {
  const { workload, now, namespaceFlag } = evidence;
  const { name = '', namespace = 'default' } = workload.metadata ?? {};
  const kind = workload.kind ?? '';
  const counts = countsOf(evidence);
  const flag = namespaceFlag === '' ? [] : [namespaceFlag];
  const conditions = workload.status?.conditions;
  const job = kind === 'Job';
  const ended =
    job && isConditionTrue(conditions, 'Complete')
      ? 'Complete'
      : job && isConditionTrue(conditions, 'Failed')
        ? 'Failed'
        : undefined;
  return {
    evidence,
    now,
    namespace,
    name,
    kind,
    target: `${kind.toLowerCase()}/${name}`,
    wanted: counts.wanted,
    wantedPath: counts.wantedPath,
    missing: ended === undefined ? Math.max(0, counts.wanted - counts.made) : 0,
    ready: counts.ready,
    rollingOut: isRollingOut(workload, counts.wanted),
    surplus: byPlace(evidence).surplus.length,
    ended,
    kubectl: (...words) => ['kubectl', ...flag, ...words.map(shellWord)].join(' '),
    cluster: (...words) => ['kubectl', ...words.map(shellWord)].join(' '),
  };
}

function countsOf({ workload, pods: all }: WorkloadEvidence): Counts {
  // A pod that is to go, and is still there, stands for none that is wanted.
  const { wanted: pods } = byPlace({ workload, pods: all });
  const made = pods.filter(({ status, metadata }) => status?.phase !== 'Failed' && !metadata?.deletionTimestamp).length;
  const ready = pods.filter(
    ({ status, metadata }) => !metadata?.deletionTimestamp && isConditionTrue(status?.conditions, 'Ready'),
  ).length;
  if (workload.kind === 'Job') {
    const { spec, status } = workload as Job;
    const left = (spec?.completions ?? 1) - (status?.succeeded ?? 0);
    const wanted = spec?.suspend === true ? 0 : Math.max(0, Math.min(spec?.parallelism ?? 1, left));
    const active = pods.filter(({ status: own }) => own?.phase === 'Pending' || own?.phase === 'Running').length;
    return { wanted, wantedPath: 'spec.parallelism', made: active, ready };
  }
  if (workload.kind === 'DaemonSet') {
    const { status } = workload as DaemonSet;
    return { wanted: status?.desiredNumberScheduled ?? 0, wantedPath: 'status.desiredNumberScheduled', made, ready };
  }
  const { spec } = workload as Deployment | ReplicaSet | StatefulSet;
  return { wanted: spec?.replicas ?? 1, wantedPath: 'spec.replicas', made, ready };
}

/** A job that its parallelism keeps from starting pods. */
export function isHeldJob({ kind, ended, evidence }: Pick<WorkloadFacts, 'kind' | 'ended' | 'evidence'>): boolean {
  if (kind !== 'Job' || ended !== undefined) return false;
  const { spec } = evidence.workload as Job;
  return spec?.parallelism === 0 && spec.suspend !== true;
}

/** "3/5 ready", "Failed (BackoffLimitExceeded)" */
export function workloadState(facts: WorkloadFacts): string {
  const { evidence, ended, kind, ready, wanted } = facts;
  if (ended !== undefined) {
    const reason = evidence.workload.status?.conditions?.find(({ type }) => type === ended)?.reason;
    return reason === undefined || reason === '' ? ended : `${ended} (${reason})`;
  }
  if (kind === 'Job') {
    const { spec, status } = evidence.workload as Job;
    if (spec?.suspend === true) return 'Suspended';
    const done = `${status?.succeeded ?? 0}/${spec?.completions ?? 1} completions`;
    if (isHeldJob(facts)) return `Held (parallelism 0), ${done}`;
    return `${done}, ${status?.active ?? 0} active, ${status?.failed ?? 0} failed`;
  }
  const more = facts.surplus === 0 ? '' : `, ${plural(facts.surplus, 'pod')} to go`;
  if (wanted === 0) return kind === 'DaemonSet' ? 'wants a pod on no node' : `scaled to 0${more}`;
  const { workload } = evidence;
  const left = facts.rollingOut
    ? `, its rollout goes on: ${updatedPods(workload)} of ${plural(totalPods(workload, wanted), 'pod')} new`
    : '';
  return `${Math.min(ready, wanted)}/${wanted} ready${left}${more}`;
}
