/** Which of the pods that nodes remember belong to a workload, those that are gone included. Pure. */
import type { PodHistoryIndex } from '../../api/index.ts';
import type { GroupKind } from './history-target.ts';

export type IndexEntry = PodHistoryIndex['items'][number] & { readonly nodeName: string };

/** What makes the pods of a workload. */
export interface Makers {
  readonly kind: GroupKind;
  readonly name: string;
  /** The objects that make pods, as far as they are there: the ReplicaSets of a Deployment, the Jobs of a CronJob. */
  readonly there: readonly { readonly name: string; readonly uid: string }[];
}

/** The characters of generated names. */
const SUFFIX = '[bcdfghjklmnpqrstvwxz2456789]';

/**
 * @param alive UIDs of the pods of the workload that are there
 */
export function isMember(makers: Makers, alive: ReadonlySet<string>, { metadata, owner }: IndexEntry): boolean {
  if (makers.kind === 'Namespace' || alive.has(metadata.uid)) return true;
  if (owner === undefined) return hasNameOf(makers, metadata.name);
  if (makers.there.some(({ uid }) => uid === owner.uid)) return true;
  return isGoneMaker(makers, owner);
}

/** A ReplicaSet that was removed for the limit of revisions, or a Job that was for the limit of its history. */
function isGoneMaker({ kind, name, there }: Makers, owner: { readonly kind: string; readonly name: string }): boolean {
  // One that is there has another UID: it is of another object of that name.
  if (there.some((one) => one.name === owner.name) || !owner.name.startsWith(`${name}-`)) return false;
  const rest = owner.name.slice(name.length + 1);
  if (kind === 'Deployment') return owner.kind === 'ReplicaSet' && new RegExp(`^${SUFFIX}+$`).test(rest);
  return kind === 'CronJob' && owner.kind === 'Job' && /^\d+$/.test(rest);
}

/** For records of before owners were recorded: only a maker that is there is believed. */
function hasNameOf({ kind, there }: Makers, pod: string): boolean {
  return there.some(({ name }) => {
    if (!pod.startsWith(`${name}-`)) return false;
    const rest = pod.slice(name.length + 1);
    return kind === 'StatefulSet' ? /^\d+$/.test(rest) : new RegExp(String.raw`^(?:\d+-)?${SUFFIX}{5}$`).test(rest);
  });
}

/** Those to ask for, bounded: pods that are there first, then those gone last. */
export function newestFirst(entries: readonly IndexEntry[], alive: ReadonlySet<string>): readonly IndexEntry[] {
  const key = ({ metadata, goneAt }: IndexEntry): string => (alive.has(metadata.uid) ? '~~' : (goneAt ?? '~'));
  return entries.toSorted((a, b) => (key(a) < key(b) ? 1 : key(a) > key(b) ? -1 : 0));
}
