/** Turns the arguments and flags of `restart` into options, and refuses flags that contradict each other. Pure. */
import { formatDurationMs, type PodRestartSpec, type RestartScope } from '../../api/index.ts';
import type { ClusterChoice } from '../cluster-session.ts';
import { UsageError } from '../usage-error.ts';
import { DEFAULT_TIMEOUT_MS } from './limits.ts';
import type { MaxUnavailable } from './flag-values.ts';
import { parseTargets, type TargetKind, type Targets } from './targets.ts';

/** The flags as commander parses them. */
export interface RestartFlags extends ClusterChoice {
  readonly scope?: RestartScope;
  readonly container?: string;
  readonly reason?: string;
  readonly force?: boolean;
  readonly gracePeriod?: number;
  readonly notBefore?: string;
  readonly emptyDirs?: readonly string[];
  readonly selector?: string;
  readonly all?: boolean;
  readonly parallel?: number;
  readonly maxUnavailable?: MaxUnavailable;
  readonly keepGoing?: boolean;
  readonly wait?: boolean;
  /** ms */
  readonly timeout?: number;
}

export interface RestartOptions {
  readonly targets: Targets;
  /** The spec of each request; the pod's name is added later. */
  readonly spec: PodRestartSpec;
  readonly parallel: number;
  readonly maxUnavailable?: MaxUnavailable;
  readonly keepGoing: boolean;
  readonly wait: boolean;
  /** Time limit for one pod. */
  readonly timeoutMs: number;
  /** The call as it would be typed again, without its targets: "-n prod --scope containers". */
  readonly flagsText: string;
}

/** @throws UsageError */
export function restartOptions(args: readonly string[], flags: RestartFlags): RestartOptions {
  const { selector, all = false } = flags;
  const targets = parseTargets(args, { all, ...(selector === undefined ? {} : { selector }) });
  checkScope(flags);
  checkKinds(flags, kindsOf(targets));
  return {
    targets,
    spec: specOf(flags),
    parallel: flags.parallel ?? 1,
    ...(flags.maxUnavailable === undefined ? {} : { maxUnavailable: flags.maxUnavailable }),
    keepGoing: flags.keepGoing ?? false,
    wait: flags.wait ?? true,
    timeoutMs: flags.timeout ?? DEFAULT_TIMEOUT_MS,
    flagsText: flagsText(flags),
  };
}

function kindsOf(targets: Targets): readonly TargetKind[] {
  return targets.kind === 'set' ? [targets.set.kind] : targets.targets.map(({ kind }) => kind);
}

function checkScope({ scope, container, emptyDirs }: RestartFlags): void {
  if (container !== undefined && scope !== undefined && scope !== 'container') {
    throw new UsageError(`-c names one container: leave it out, or --scope ${scope}.`);
  }
  const chosen = scope ?? (container === undefined ? 'pod' : 'container');
  if (emptyDirs !== undefined && chosen !== 'pod') {
    throw new UsageError(`--empty-dirs goes with --scope pod: in scope ${chosen} the volumes stay in use.`);
  }
}

function checkKinds({ maxUnavailable, parallel, wait }: RestartFlags, kinds: readonly TargetKind[]): void {
  const hasPods = kinds.includes('pod');
  const hasWorkloads = kinds.some((kind) => kind !== 'pod');
  if (maxUnavailable !== undefined && !hasWorkloads) {
    throw new UsageError('--max-unavailable is a workload’s budget; for pods give --parallel.');
  }
  if (parallel !== undefined && !hasPods) {
    throw new UsageError('--parallel is for pods; a workload has a budget: --max-unavailable.');
  }
  if (wait === false && hasWorkloads) {
    throw new UsageError('--no-wait goes with pods alone: a workload’s pods are restarted one after another.');
  }
}

function specOf(flags: RestartFlags): PodRestartSpec {
  const { container, reason, force, gracePeriod, notBefore, emptyDirs } = flags;
  return {
    scope: flags.scope ?? (container === undefined ? 'pod' : 'container'),
    ...(container === undefined ? {} : { container }),
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(reason === undefined ? {} : { reason }),
    ...(gracePeriod === undefined ? {} : { gracePeriodSeconds: gracePeriod }),
    ...(force === true ? { force } : {}),
    ...(emptyDirs === undefined ? {} : { emptyDirs: [...emptyDirs] }),
  };
}

/** The flags as text, without --not-before, which the caller adds. */
function flagsText(flags: RestartFlags): string {
  const { namespace, context, kubeconfig, scope, container, emptyDirs, gracePeriod, maxUnavailable, reason, timeout } =
    flags;
  const values: readonly (readonly [string, string | number | undefined])[] = [
    ['-n', namespace],
    ['--context', context],
    ['--kubeconfig', kubeconfig],
    ['--scope', scope],
    ['-c', container],
    ['--empty-dirs', emptyDirs?.join(',').replace('*', 'all')],
    ['--grace-period', gracePeriod],
    ['--max-unavailable', maxUnavailable?.text],
    ['--reason', reason],
    ['--timeout', timeout === undefined ? undefined : formatDurationMs(timeout)],
  ];
  const given = values.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${quoted(String(value))}`]));
  if (flags.force === true) given.push('--force');
  if (flags.keepGoing === true) given.push('--keep-going');
  return given.join(' ');
}

function quoted(text: string): string {
  return /^[\w./:@%,=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
