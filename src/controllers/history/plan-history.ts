/** Which revision is the newest, and which ones the history no longer needs. Pure. */
import { type ControllerRevision, nameOf } from '../../api/index.ts';
import { recordsSame } from './revision.ts';

/** From the oldest to the newest: by number, then by age, then by name. */
export function sortRevisions(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  return revisions.toSorted(
    (a, b) =>
      a.revision - b.revision ||
      compare(a.metadata?.creationTimestamp ?? '', b.metadata?.creationTimestamp ?? '') ||
      compare(nameOf(a), nameOf(b)),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type Newest =
  /** The wanted template was recorded last. */
  | { readonly kind: 'recorded'; readonly revision: ControllerRevision }
  /** It was recorded once: a roll back makes it the newest again, under the next number. */
  | { readonly kind: 'renumber'; readonly revision: ControllerRevision; readonly number: number }
  | { readonly kind: 'missing'; readonly number: number };

/**
 * @param sorted the owner's revisions, from the oldest on
 * @param data what it wants now
 */
export function findNewest(sorted: readonly ControllerRevision[], data: unknown): Newest {
  const last = sorted.at(-1);
  const number = (last?.revision ?? 0) + 1;
  const equal = sorted.findLast((revision) => recordsSame(revision, data));
  if (equal === undefined) return { kind: 'missing', number };
  // Two may hold the same data; it only matters that no other came after.
  if (equal === last) return { kind: 'recorded', revision: equal };
  return { kind: 'renumber', revision: equal, number };
}

/**
 * The revisions beyond the limit, from the oldest on. Live ones (pods are made of them) are never among them and do not
 * count.
 * @param limit revisionHistoryLimit; undefined: no limit
 */
export function surplusRevisions(
  sorted: readonly ControllerRevision[],
  live: ReadonlySet<string>,
  limit: number | undefined,
): readonly ControllerRevision[] {
  if (limit === undefined || limit < 0) return [];
  const idle = sorted.filter((revision) => !live.has(nameOf(revision)));
  return idle.slice(0, Math.max(0, idle.length - limit));
}
