/** The days of one workload on several nodes become one. Pure. */
import { mergeSpans } from './recovery-figures.ts';
import type { BucketCount, DayState, WorkloadDay } from './types.ts';

/** From nothing to the worst. */
const RANKS: Readonly<Record<DayState, number>> = { '.': 0, o: 1, '?': 2, h: 3, d: 4, x: 5 };
const MAX_UIDS = 256;

export interface WorkloadName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * One day for each workload: the worst state of each bucket wins, counts, durations and figures are added. A bucket that only some
 * nodes have measured has the sum of these.
 * @param nameOf whose day it is, for callers that know more of owners than nodes do: `owners` and `pods` have the UIDs. Undefined: the
 *   node's own name for it
 */
export function mergeDays(
  days: readonly WorkloadDay[],
  nameOf: (day: WorkloadDay) => WorkloadName | undefined = () => undefined,
): readonly WorkloadDay[] {
  const groups = new Map<string, { readonly name: WorkloadName; readonly days: WorkloadDay[] }>();
  for (const day of days) {
    const { kind, namespace, name } = nameOf(day) ?? day;
    const key = JSON.stringify([kind, namespace, name]);
    const group = groups.get(key) ?? { name: { kind, namespace, name }, days: [] };
    groups.set(key, group);
    group.days.push(day);
  }
  return [...groups.values()].map(({ name, days: of }) => mergeGroup(name, of));
}

function mergeGroup(name: WorkloadName, days: readonly WorkloadDay[]): WorkloadDay {
  const [only] = days;
  if (only !== undefined && days.length === 1) return { ...only, ...name };
  const first = Math.min(...days.map((day) => day.first));
  const length = Math.max(...days.map((day) => day.first + day.states.length)) - first;
  return {
    ...name,
    owners: uidsOf(days.flatMap(({ owners }) => owners)),
    pods: uidsOf(days.flatMap(({ pods }) => pods)),
    first,
    states: worstStates(days, first, length),
    restarts: addedCounts(days, first, ({ restarts }) => restarts),
    deaths: addedCounts(days, first, ({ deaths }) => deaths),
    ...addedFigures(days, { first, length }, 'cpu'),
    ...addedFigures(days, { first, length }, 'memory'),
    recoveries: mergeSpans(days.flatMap(({ recoveries }) => recoveries)),
  };
}

function uidsOf(uids: readonly string[]): readonly string[] {
  return [...new Set(uids)].slice(-MAX_UIDS);
}

function worstStates(days: readonly WorkloadDay[], first: number, length: number): string {
  const states = Array.from({ length }, (): string => '.');
  for (const day of days) {
    for (let at = 0; at < day.states.length; at += 1) {
      const place = day.first - first + at;
      states[place] = worseState(states[place] ?? '.', day.states[at] ?? '.');
    }
  }
  return states.join('');
}

/** The worse of two states; a letter that is none counts as unknown. */
export function worseState(a: string, b: string): DayState {
  const [one, other] = [stateOf(a), stateOf(b)];
  return RANKS[one] >= RANKS[other] ? one : other;
}

function stateOf(letter: string): DayState {
  return Object.hasOwn(RANKS, letter) ? (letter as DayState) : '?';
}

function addedCounts(
  days: readonly WorkloadDay[],
  first: number,
  of: (day: WorkloadDay) => readonly BucketCount[],
): readonly BucketCount[] {
  const sums = new Map<number, number>();
  for (const day of days) {
    for (const [position, count] of of(day)) {
      const place = day.first - first + position;
      sums.set(place, (sums.get(place) ?? 0) + count);
    }
  }
  return [...sums].toSorted(([a], [b]) => a - b);
}

function addedFigures(
  days: readonly WorkloadDay[],
  { first, length }: { readonly first: number; readonly length: number },
  field: 'cpu' | 'memory',
): Partial<Pick<WorkloadDay, 'cpu' | 'memory'>> {
  if (days.every((day) => day[field] === undefined)) return {};
  const sums = Array.from({ length }, (): number | null => null);
  for (const day of days) {
    for (const [at, figure] of (day[field] ?? []).entries()) {
      const place = day.first - first + at;
      if (figure !== null && place < length) sums[place] = (sums[place] ?? 0) + figure;
    }
  }
  return { [field]: sums };
}
