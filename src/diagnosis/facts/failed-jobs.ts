/** Tells with data that is not there which Job, that has failed, may have been meant to make it. Pure. */
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import type { RankedFinding } from '../finding.ts';
import type { PodFacts } from './pod-facts.ts';
import { controllerOf, isConditionTrue, type Job } from '../../api/index.ts';

/** Findings about what somebody else should have made. */
const LACKS = new Set(['missing-data']);
const MAX_SAYS = 200;

/** Names of Jobs that prepare data for others. */
const PREPARES = /migrat|schema|seed|init|set-?up|bootstrap|import|create|fixtures?|\bdb\b/i;

/** The only Job that has failed, or has failed so far, else the only one of them whose name says that it prepares data; undefined: there is none. */
export function failedJobMeant(jobs: readonly Job[]): Job | undefined {
  const failed = jobs.filter(
    ({ status }) =>
      isConditionTrue(status?.conditions, 'Failed') || ((status?.failed ?? 0) > 0 && (status?.succeeded ?? 0) === 0),
  );
  const named = failed.filter(({ metadata }) => PREPARES.test(metadata?.name ?? ''));
  const [job, ...more] = named.length > 0 ? named : failed;
  return more.length > 0 ? undefined : job;
}

/** Whether the Jobs of the namespace may tell more: a container lacks data, and its pod is of no Job itself. */
export function failedJobWanted({ pod }: Pick<PodEvidence, 'pod'>, found: readonly RankedFinding[]): boolean {
  return controllerOf(pod)?.kind !== 'Job' && found.some(({ id }) => LACKS.has(id));
}

/** The findings; the first that lacks data names the Job. */
export function withFailedJob(
  { evidence, commands }: PodFacts,
  found: readonly RankedFinding[],
): readonly RankedFinding[] {
  const { failedJob } = evidence;
  const first = failedJob === undefined ? undefined : found.find(({ id }) => LACKS.has(id));
  if (failedJob === undefined || first === undefined) return found;
  const { name, says = '' } = failedJob;
  const why = says.length <= MAX_SAYS ? says : `${says.slice(0, MAX_SAYS - 1)}…`;
  return found.map((finding) =>
    finding === first
      ? {
          ...finding,
          says: `${finding.says}; job/${name}, which may be meant to make it, has failed${why === '' ? '' : `: ${why}`}`,
          evidence: [...finding.evidence, { source: 'object', object: `job/${name}`, says: 'has failed' }],
          try: [...finding.try, commands.kubectl('logs', `job/${name}`)],
        }
      : finding,
  );
}
