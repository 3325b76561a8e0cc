/**
 * Sets of completion indexes of a job, written short: "1,3-5,7" (upstream's orderedIntervals). In memory they are intervals
 * in order, none touching the next. Pure.
 */

/** From `first` to `last`, both included. */
export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

export type JobIndexes = readonly IndexInterval[];

/** Malformed parts, and indexes not below `completions`, are left out. For values that the server checked and wrote itself. */
export function parseJobIndexes(text: string | undefined, completions: number): JobIndexes {
  const intervals: IndexInterval[] = [];
  for (const part of (text ?? '').split(',')) {
    const [first, last = first] = part.split('-').map(toIndex);
    if (first === undefined || last === undefined || first >= completions || last < first) continue;
    intervals.push({ first, last: Math.min(last, completions - 1) });
  }
  return mergeJobIndexes(intervals, []);
}

/** "1,3-5,7"; two neighbours are listed singly, as upstream does. */
export function formatJobIndexes(indexes: JobIndexes): string {
  return indexes
    .map(({ first, last }) => {
      if (first === last) return `${first}`;
      return first + 1 === last ? `${first},${last}` : `${first}-${last}`;
    })
    .join(',');
}

/** All of both. */
export function mergeJobIndexes(one: JobIndexes, other: JobIndexes): JobIndexes {
  const merged: { first: number; last: number }[] = [];
  for (const { first, last } of [...one, ...other].toSorted((a, b) => a.first - b.first)) {
    const end = merged.at(-1);
    if (end === undefined || first > end.last + 1) merged.push({ first, last });
    else end.last = Math.max(end.last, last);
  }
  return merged;
}

export function jobIndexesOf(list: Iterable<number>): JobIndexes {
  return mergeJobIndexes(
    [...list].map((index) => ({ first: index, last: index })),
    [],
  );
}

/** How many. */
export function countJobIndexes(indexes: JobIndexes): number {
  return indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

export function hasJobIndex(indexes: JobIndexes, index: number): boolean {
  let low = 0;
  let high = indexes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((indexes[middle]?.last ?? 0) >= index) high = middle;
    else low = middle + 1;
  }
  const found = indexes[low];
  return found !== undefined && found.first <= index;
}

/** How many are in both. */
export function countCommonJobIndexes(one: JobIndexes, other: JobIndexes): number {
  let common = 0;
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const [a, b] = [one[i] as IndexInterval, other[j] as IndexInterval];
    common += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
    if (a.last < b.last) i += 1;
    else j += 1;
  }
  return common;
}

/** The first `count` indexes below `completions` that are not in `taken`. */
export function firstFreeJobIndexes(taken: JobIndexes, count: number, completions: number): number[] {
  const free: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; candidate < first && candidate < completions && free.length < count; candidate += 1) free.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return free;
}

/**
 * Checks a text that a client wrote (upstream: validateIndexesFormat).
 * @returns how many indexes it names, or its problem
 */
export function checkJobIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let total = 0;
  let previous = -1;
  for (const part of text.split(',')) {
    const interval = checkInterval(part, completions);
    if (typeof interval === 'string') return interval;
    const { first, last } = interval;
    if (previous >= first) return `non-increasing order, previous: ${previous}, current: ${first}`;
    total += last - first + 1;
    previous = last;
  }
  return total;
}

function checkInterval(part: string, completions: number): IndexInterval | string {
  const limits = part.split('-');
  if (limits.length > 2) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return `the fragment ${JSON.stringify(part)} ${rule}`;
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    const index = toIndex(limit);
    if (index === undefined) return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
    if (index >= completions) return `too large index: ${JSON.stringify(limit)}`;
    numbers.push(index);
  }
  const [first = 0, last = first] = numbers;
  if (numbers.length > 1 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return { first, last };
}

function toIndex(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
