/** Reads what a node, or a server, says of days. Nothing is taken for granted: it may be another's, or broken. Pure. */
import { DAY_BUCKETS, LAST_DURATION_CLASS } from './buckets.ts';
import type { BucketCount, NodeNow, PodStep, RecoverySpan, WorkloadDay } from './types.ts';

export interface ReadDays {
  readonly items: readonly WorkloadDay[];
  /** Those that it has no place for, and those that are no days. */
  readonly leftOut: number;
  readonly nodes: readonly NodeNow[];
  readonly next: readonly PodStep[];
}

/** The most steps of pods in one list. */
export const MAX_POD_STEPS = 500;

const MAX_TEXT = 300;
const MAX_UIDS = 256;
const MAX_SPANS = 64;
const MAX_NODES = 5000;

/** Undefined: it is no list of days. */
export function readDayList(value: unknown): ReadDays | undefined {
  if (!isFields(value) || value['kind'] !== 'WorkloadDayList' || !Array.isArray(value['items'])) return undefined;
  const all: readonly unknown[] = value['items'];
  const items = all.flatMap((item) => readDay(item) ?? []);
  const { leftOut } = value;
  return {
    items,
    leftOut: (isCount(leftOut) ? leftOut : 0) + all.length - items.length,
    nodes: listOf(value['nodes'], MAX_NODES).flatMap((each) => readNode(each) ?? []),
    next: listOf(value['next'], MAX_POD_STEPS).flatMap((each) => readStep(each) ?? []),
  };
}

function listOf(value: unknown, max: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, max) : [];
}

function readNode(value: unknown): NodeNow | undefined {
  if (!isFields(value)) return undefined;
  const { name, diskUsedPercent } = value;
  if (!isText(name) || !isFigure(diskUsedPercent) || diskUsedPercent === null || diskUsedPercent > 100)
    return undefined;
  return { name, diskUsedPercent };
}

function readStep(value: unknown): PodStep | undefined {
  if (!isFields(value)) return undefined;
  const { uid, namespace, words, inMs } = value;
  return isText(uid) && isText(namespace) && isText(words) && isCount(inMs)
    ? { uid, namespace, words, inMs }
    : undefined;
}

function readDay(value: unknown): WorkloadDay | undefined {
  if (!isFields(value)) return undefined;
  const { kind, namespace, name, owners, pods, first, states, restarts, deaths, cpu, memory, recoveries } = value;
  if (!isText(kind) || !isText(namespace) || !isText(name) || !isCount(first)) return undefined;
  if (!areUpTo(owners, MAX_UIDS, isText) || !areUpTo(pods, MAX_UIDS, isText)) return undefined;
  if (typeof states !== 'string' || states.length > DAY_BUCKETS || !/^[odxh?.]*$/.test(states)) return undefined;
  if (!areUpTo(restarts, DAY_BUCKETS, isBucketCount) || !areUpTo(deaths, DAY_BUCKETS, isBucketCount)) return undefined;
  if (!areUpTo(recoveries, MAX_SPANS, isSpan)) return undefined;
  if (cpu !== undefined && !areUpTo(cpu, DAY_BUCKETS, isFigure)) return undefined;
  if (memory !== undefined && !areUpTo(memory, DAY_BUCKETS, isFigure)) return undefined;
  return {
    kind,
    namespace,
    name,
    owners,
    pods,
    first,
    states,
    restarts,
    deaths,
    recoveries,
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
  };
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isFigure(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
}

function areUpTo<T>(value: unknown, max: number, is: (each: unknown) => each is T): value is readonly T[] {
  return Array.isArray(value) && value.length <= max && value.every(is);
}

function isBucketCount(value: unknown): value is BucketCount {
  return isPair(value) && value[0] < DAY_BUCKETS;
}

function isPair(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}

function isSpan(value: unknown): value is RecoverySpan {
  if (!isFields(value)) return false;
  const { from, buckets, healed, alone, totalMs, classes } = value;
  if (![from, buckets, healed, alone].every(isCount) || !isFigure(totalMs) || totalMs === null) return false;
  return areUpTo(classes, LAST_DURATION_CLASS + 1, isClassCount);
}

function isClassCount(value: unknown): value is RecoverySpan['classes'][number] {
  return isPair(value) && value[0] <= LAST_DURATION_CLASS;
}
