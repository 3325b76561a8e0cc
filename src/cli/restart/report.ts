/** What became of a workload's restart, in words. Pure. */
import { MAX_NAMED } from './limits.ts';
import { secondsText } from './outcome.ts';

export interface WorkloadReport {
  /** "deploy/web" */
  readonly target: string;
  /** Names of pods. */
  readonly restarted: readonly string[];
  /** Needed no restart: they began after the time that was asked for. */
  readonly skipped: readonly string[];
  /** Replaced or gone meanwhile; what took their place is new. */
  readonly replaced: readonly string[];
  readonly failed: readonly string[];
  /** Asked for, and not waited for any longer. */
  readonly going: readonly string[];
  readonly notBegun: readonly string[];
  /** Why it did not go on; absent: it came to its end. */
  readonly stoppedBecause?: string;
  /** What to type to go on. */
  readonly goOn: string;
  readonly tookMs: number;
}

/** Lines without their ends. */
export function reportLines(report: WorkloadReport): readonly string[] {
  const { target, restarted, skipped, replaced, failed, tookMs, stoppedBecause } = report;
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
    ['going on', report.going],
    ['not begun', report.notBegun],
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
