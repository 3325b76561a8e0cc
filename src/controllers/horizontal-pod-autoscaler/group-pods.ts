/** Which pods of a target count, and how (upstream: groupPods of the replica calculator). Pure. */
import { findCondition, nameOf, type Pod } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';

/** What one pod uses of a resource: a sample of its metrics. */
export interface Sample {
  /** Thousandths of the resource's unit. */
  readonly milli: number;
  /** Wall ms: the end of the window. */
  readonly at: number;
  readonly windowMs: number;
}

/** By name of the pod. */
export type Samples = ReadonlyMap<string, Sample>;

/** For so long after its start a pod's cpu says more about the start than about the load (upstream: 5 min). */
export const CPU_INITIALIZATION_MS = 5 * 60_000;
/** A pod that was never ready this long after its start is not ready for the first time (upstream: 30 s). */
export const INITIAL_READINESS_MS = 30_000;

export interface GroupedPods {
  readonly ready: number;
  /** Not ready yet: their samples do not count, and a scale-up takes them for idle. */
  readonly unready: ReadonlySet<string>;
  /** Without a sample. */
  readonly missing: ReadonlySet<string>;
  /** Gone or going: they are no pods of the target any more. */
  readonly ignored: ReadonlySet<string>;
}

/** @param now wall ms */
export function groupPods(pods: readonly Pod[], samples: Samples, resource: string, now: number): GroupedPods {
  const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let ready = 0;
  for (const pod of pods) {
    const name = nameOf(pod);
    const sample = samples.get(name);
    if (pod.metadata?.deletionTimestamp !== undefined || pod.status?.phase === 'Failed') ignored.add(name);
    else if (pod.status?.phase === 'Pending') unready.add(name);
    else if (sample === undefined) missing.add(name);
    else if (resource === 'cpu' && isStarting(pod, sample, now)) unready.add(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

/** Only for cpu, which a start uses more of than the work behind it. */
function isStarting({ status }: Pod, sample: Sample, now: number): boolean {
  const condition = findCondition(status?.conditions, 'Ready');
  const started = parseTime(status?.startTime);
  if (condition === undefined || started === undefined) return true;
  const isUnready = condition.status === 'False';
  const changed = parseTime(condition.lastTransitionTime ?? undefined) ?? started;
  // One whole window must have been measured since it became ready.
  if (started + CPU_INITIALIZATION_MS > now) return isUnready || sample.at < changed + sample.windowMs;
  return isUnready && started + INITIAL_READINESS_MS > changed;
}
