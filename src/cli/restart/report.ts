/** Prints the result of a workload's restart. Pure. */
import { MAX_NAMED } from './limits.ts';
import { secondsText } from './outcome.ts';

export interface WorkloadReport {
  /** "deploy/web" */
  readonly target: string;
  readonly pods: ReportedPods;
  /** Why the restart of the workload stopped early; absent: it was completed. */
  readonly stoppedBecause?: string;
  /** The command line that continues. */
  readonly goOn: string;
  readonly tookMs: number;
}

/** Names of pods, by what became of them. */
export interface ReportedPods {
  readonly restarted: readonly string[];
  /** Pods that needed no restart, because they began after the given time. */
  readonly skipped: readonly string[];
  /** Pods that were replaced or deleted meanwhile. */
  readonly replaced: readonly string[];
  readonly failed: readonly string[];
  /** Pods whose restart was requested and is not waited for any more. */
  readonly going: readonly string[];
  readonly notBegun: readonly string[];
}

/** Lines without line ends. */
export function reportLines(report: WorkloadReport): readonly string[] {
  const { target, pods, tookMs, stoppedBecause } = report;
  const { restarted, skipped, replaced, failed, going, notBegun } = pods;
  const extras = [
    ...(skipped.length > 0 ? [`${skipped.length} needed no restart`] : []),
    ...(replaced.length > 0 ? [`${replaced.length} replaced meanwhile`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ];
  const count = `${podsText(restarted.length)} restarted in place`;
  const head = `${target}: ${[count, ...extras].join(', ')} (${secondsText(tookMs)})`;
  if (stoppedBecause === undefined && failed.length === 0) return [head];
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['restarted', restarted],
    ['failed', failed],
    ['going on', going],
    ['not begun', notBegun],
  ];
  return [
    head,
    ...(stoppedBecause === undefined ? [] : [`stopped: ${stoppedBecause}`]),
    ...lists.filter(([, names]) => names.length > 0).map(([what, names]) => `  ${what}: ${namesText(names)}`),
    `go on with: ${report.goOn}`,
  ];
}

export function podsText(count: number): string {
  return count === 1 ? '1 pod' : `${count} pods`;
}

function namesText(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
