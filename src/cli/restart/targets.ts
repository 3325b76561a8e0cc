/** Parses the targets of `restart`: pods and workloads, written as for kubectl. Pure. */
import { UsageError } from '../usage-error.ts';

export const WORKLOAD_KINDS = ['deployment', 'statefulset', 'daemonset', 'replicaset'] as const;
export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];
export type TargetKind = 'pod' | WorkloadKind;

export interface Target {
  readonly kind: TargetKind;
  readonly name: string;
}

export interface WorkloadTarget extends Target {
  readonly kind: WorkloadKind;
}

/** All objects of a kind, or those that a selector matches. */
export interface TargetSet {
  readonly kind: TargetKind;
  /** Absent: all. */
  readonly selector?: string;
}

export type Targets =
  | { readonly kind: 'named'; readonly targets: readonly Target[] }
  | { readonly kind: 'set'; readonly set: TargetSet };

/** Singular, plural and short names, as in kubectl. */
const NAMES: Readonly<Record<TargetKind, readonly string[]>> = {
  pod: ['pod', 'pods', 'po'],
  deployment: ['deployment', 'deployments', 'deploy'],
  statefulset: ['statefulset', 'statefulsets', 'sts'],
  daemonset: ['daemonset', 'daemonsets', 'ds'],
  replicaset: ['replicaset', 'replicasets', 'rs'],
};
const SHORT: Readonly<Record<TargetKind, string>> = {
  pod: 'pod',
  deployment: 'deploy',
  statefulset: 'sts',
  daemonset: 'ds',
  replicaset: 'rs',
};
const WANTED = 'a pod, deployment, statefulset, daemonset or replicaset';

/** "pod/web", "deploy/web": the target as a user types it. */
export function targetText({ kind, name }: Target): string {
  return `${SHORT[kind]}/${name}`;
}

/**
 * "pod/a deploy/b", "pod a b", or a kind alone beside -l or --all.
 * @throws UsageError
 */
export function parseTargets(
  args: readonly string[],
  { selector, all }: { readonly selector?: string; readonly all: boolean },
): Targets {
  if (selector !== undefined && all) throw new UsageError('-l and --all exclude each other: leave out one.');
  if (selector !== undefined || all) return parseSet(args, selector);
  const [first] = args;
  if (first === undefined) throw new UsageError('Name what to restart, for instance pod/web or deploy/web.');
  const targets = first.includes('/') ? args.map(slashed) : listed(first, args.slice(1));
  return { kind: 'named', targets: targets.filter((one, index) => firstIndexOf(targets, one) === index) };
}

function parseSet(args: readonly string[], selector: string | undefined): Targets {
  const flag = selector === undefined ? '--all' : '-l';
  const [kindName = 'pods', ...more] = args;
  if (more.length > 0 || kindName.includes('/')) {
    throw new UsageError(`${flag} goes with a kind alone, for instance "deploy ${flag}": leave out the names.`);
  }
  const set = { kind: kindOf(kindName), ...(selector === undefined ? {} : { selector }) };
  return { kind: 'set', set };
}

function listed(kindName: string, names: readonly string[]): readonly Target[] {
  if (names.length === 0 && findKindOf(kindName) === undefined) {
    throw new UsageError(`"${kindName}" is not a kind: say what it is, for instance pod/${kindName}.`);
  }
  const kind = kindOf(kindName);
  if (names.length === 0) throw new UsageError(`Name the ${kind}, or give -l or --all.`);
  const slash = names.find((name) => name.includes('/'));
  if (slash !== undefined)
    throw new UsageError(`"${slash}" after "${kindName}": write either "${kindName} NAME" or "${kindName}/NAME".`);
  return names.map((name) => ({ kind, name }));
}

function slashed(text: string): Target {
  const [kindName = '', name = '', ...more] = text.split('/');
  if (kindName === '' || name === '' || more.length > 0) {
    throw new UsageError(`"${text}" names nothing: write KIND/NAME, for instance pod/web.`);
  }
  return { kind: kindOf(kindName), name };
}

function firstIndexOf(targets: readonly Target[], { kind, name }: Target): number {
  return targets.findIndex((each) => each.kind === kind && each.name === name);
}

/** Accepts "deployments.apps" and "deployment.v1.apps", too. @throws UsageError */
function kindOf(text: string): TargetKind {
  const kind = findKindOf(text);
  if (kind === undefined) throw new UsageError(`"${text}" cannot be restarted: give ${WANTED}.`);
  return kind;
}

function findKindOf(text: string): TargetKind | undefined {
  const [word = '', ...group] = text.toLowerCase().split('.');
  const found = (Object.keys(NAMES) as TargetKind[]).find((kind) => NAMES[kind].includes(word));
  const groups = found === 'pod' ? ['', 'v1'] : ['', 'apps', 'v1.apps'];
  return groups.includes(group.join('.')) ? found : undefined;
}
