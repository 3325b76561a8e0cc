/** Parses what `history` is asked about: a pod, a workload or a namespace. Pure. */
import { UsageError } from '../usage-error.ts';
import { findKind, type WhyWorkload } from '../why/target.ts';
import { podTarget } from './pod-target.ts';

export type GroupKind = Exclude<WhyWorkload, 'ReplicationController'> | 'CronJob' | 'Namespace';

export type HistoryTarget =
  | { readonly kind: 'Pod'; readonly name: string }
  | { readonly kind: GroupKind; readonly name: string };

const GROUPS: readonly string[] = [
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'Namespace',
];
const WANTED = 'pod/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME, job/NAME, cronjob/NAME or ns/NAME';

/** "pod/web", "web" or "deploy web". @throws UsageError */
export function historyTarget(args: readonly string[]): HistoryTarget {
  const [first = '', second, ...more] = args;
  const slash = first.indexOf('/');
  if (more.length > 0 || (second !== undefined && slash !== -1)) throw new UsageError(`One at a time: ${WANTED}.`);
  if (second === undefined && slash === -1) return { kind: 'Pod', name: podTarget(args) };
  const [word, name] = second === undefined ? [first.slice(0, slash), first.slice(slash + 1)] : [first, second];
  const kind = findKind(word);
  if (kind === undefined || (kind !== 'Pod' && !GROUPS.includes(kind)))
    throw new UsageError(`"${word}" has no deaths of its own: give ${WANTED}.`);
  if (kind === 'Pod') return { kind, name: podTarget([name]) };
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) throw new UsageError(`"${name}" is not the name of a ${word}.`);
  return { kind: kind as GroupKind, name };
}
