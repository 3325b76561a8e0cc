/**
 * From what the server has to what it should have: a strategic merge patch of pods/status, or nothing when they agree.
 * Conditions of other owners (readiness gates, unknown types) are never in it. Pure.
 */
import {
  canonicalPart,
  type ContainerStatus,
  HEALING_CONDITIONS,
  type Pod,
  type PodCondition,
  type PodStatus,
} from '../../api/index.ts';
import type { StatusAnnotations } from '../types.ts';

/** Condition types that the kubelet writes; those it may also take away. */
const OWNED_CONDITIONS = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'AllContainersRestarting',
  'PodResizePending',
  'PodResizeInProgress',
  ...HEALING_CONDITIONS,
]);
/** Once true it stays, whichever client set it. */
const ADDED_CONDITIONS = new Set(['DisruptionTarget']);
/** Fields that others set, or that never change. */
const FOREIGN_FIELDS = new Set(['nominatedNodeName', 'resourceClaimStatuses', 'extendedResourceClaimStatus', 'resize']);
const MERGED_BY_IP = new Set(['podIPs', 'hostIPs']);

const CONDITION = 'core.v1.PodCondition';

type Fields = Record<string, unknown>;

/**
 * The patch's `status`, `undefined` when there is nothing to say. Both are compared in canonical form: the server writes what is always
 * written (`lastState: {}`, `lastProbeTime: null`), and what it answers must not look like a change.
 */
export function statusPatch(base: PodStatus, desired: PodStatus): Fields | undefined {
  const patch: Fields = {};
  const before = canonicalPart('core.v1.PodStatus', base) as Fields;
  const after = canonicalPart('core.v1.PodStatus', desired) as Fields;
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (field === 'conditions' || FOREIGN_FIELDS.has(field)) continue;
    if (sameValue(before[field], after[field])) continue;
    const change = fieldChange(field, before[field], (desired as Fields)[field]);
    if (change !== undefined) patch[field] = change;
  }
  const conditions = conditionChanges(base.conditions ?? [], desired.conditions ?? []);
  if (conditions.length > 0) patch['conditions'] = conditions;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** The changes that turn the pod's annotations into `wanted`; `undefined` when they agree. */
export function annotationPatch(base: Pod, wanted: StatusAnnotations): Record<string, string | null> | undefined {
  const found = base.metadata?.annotations ?? {};
  const changed = Object.entries(wanted).filter(([name, value]) => found[name] !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map(([name, value]) => [name, value ?? null]));
}

function fieldChange(field: string, before: unknown, after: unknown): unknown {
  // The QoS class is the server's to set once; a status without it does not take it away.
  if (after === undefined && (field === 'qosClass' || field === 'startTime')) return undefined;
  if (MERGED_BY_IP.has(field)) return ipChanges(before, after);
  return after ?? null;
}

interface HasIp {
  readonly ip?: string;
}

/** These lists merge by `ip`: entries that must be removed are named. */
function ipChanges(before: unknown, after: unknown): readonly unknown[] {
  const next = (after ?? []) as readonly HasIp[];
  const gone = ((before ?? []) as readonly HasIp[]).filter((old) => !next.some(({ ip }) => ip === old.ip));
  return [...next, ...gone.map(({ ip }) => ({ $patch: 'delete', ip }))];
}

function conditionChanges(base: readonly PodCondition[], desired: readonly PodCondition[]): readonly unknown[] {
  const changed = desired.filter((condition) => {
    const old = base.find(({ type }) => type === condition.type);
    return (
      (OWNED_CONDITIONS.has(condition.type) || ADDED_CONDITIONS.has(condition.type)) && !sameCondition(old, condition)
    );
  });
  const gone = base.filter(({ type }) => OWNED_CONDITIONS.has(type) && !desired.some((each) => each.type === type));
  const said = changed.map((condition) =>
    withNulls(
      base.find(({ type }) => type === condition.type),
      condition,
    ),
  );
  return [...said, ...gone.map(({ type }) => ({ $patch: 'delete', type }))];
}

function sameCondition(old: PodCondition | undefined, condition: PodCondition): boolean {
  return old !== undefined && sameValue(canonicalPart(CONDITION, old), canonicalPart(CONDITION, condition));
}

/** Conditions merge field by field: a field of the old one that the new one lacks (a reason) must be removed explicitly. */
function withNulls(old: PodCondition | undefined, condition: PodCondition): Fields {
  const dropped = Object.keys(old ?? {}).filter((field) => (condition as unknown as Fields)[field] === undefined);
  return { ...condition, ...Object.fromEntries(dropped.map((field) => [field, null])) };
}

/**
 * The status to report, given the reported one: transition times stay while a condition's status does, the start time stays,
 * restart counts never fall and a terminal phase is never left, whatever was computed.
 */
export function guardStatus(
  base: PodStatus,
  desired: PodStatus,
): { readonly status: PodStatus; readonly violations: readonly string[] } {
  const violations: string[] = [];
  const status: PodStatus = { ...desired, ...(base.startTime !== undefined && { startTime: base.startTime }) };
  if (desired.conditions !== undefined) status.conditions = keepTransitions(base.conditions ?? [], desired.conditions);
  if (isTerminal(base.phase) && desired.phase !== base.phase) {
    violations.push(`phase ${base.phase} to ${desired.phase ?? 'none'}`);
    status.phase = base.phase as string;
  }
  for (const field of ['initContainerStatuses', 'containerStatuses'] as const) {
    const next = desired[field];
    if (next !== undefined) status[field] = keepRestartCounts(base[field] ?? [], next, violations);
  }
  return { status, violations };
}

export function isTerminal(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function keepTransitions(base: readonly PodCondition[], desired: readonly PodCondition[]): PodCondition[] {
  return desired.map((condition) => {
    const old = base.find(({ type }) => type === condition.type);
    const { lastTransitionTime } = old ?? {};
    return old?.status === condition.status && lastTransitionTime ? { ...condition, lastTransitionTime } : condition;
  });
}

function keepRestartCounts(
  base: readonly ContainerStatus[],
  desired: readonly ContainerStatus[],
  violations: string[],
): ContainerStatus[] {
  return desired.map((status) => {
    const before = base.find(({ name }) => name === status.name)?.restartCount ?? 0;
    if (status.restartCount >= before) return status;
    violations.push(`restart count of ${status.name} from ${before} to ${status.restartCount}`);
    return { ...status, restartCount: before };
  });
}

/** Deep equality of JSON values; absent, and an empty list or object where nothing was, are the same. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (isEmpty(a) && isEmpty(b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Fields;
  const right = b as Fields;
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  for (const key of keys) if (!sameValue(left[key], right[key])) return false;
  return true;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0 && Array.isArray(value);
}
