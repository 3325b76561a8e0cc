/**
 * When a node expands a volume, and what it writes to the claim's status then (upstream: pkg/volume/util/operationexecutor's
 * NodeExpander, pkg/volume/util's resize_util). Pure.
 */
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimCondition,
  quantityValue,
} from '../../api/index.ts';
import type { WantedSize } from './next-step.ts';

export interface Growth {
  readonly size: WantedSize;
  /**
   * What the claim is told: `nothing`, for it has the size already, of another node; `capacity` at the end; or each `state` on
   * the way, for a resizer that can recover from failures.
   */
  readonly tells: 'nothing' | 'capacity' | 'state';
}

const PENDING = 'NodeResizePending';
const IN_PROGRESS = 'NodeResizeInProgress';
const INFEASIBLE = 'NodeResizeInfeasible';
/** Conditions that end with an expansion. */
const RESIZE_CONDITIONS: readonly string[] = [
  'Resizing',
  'FileSystemResizePending',
  'ControllerResizeError',
  'NodeResizeError',
];

/** `undefined`: this node must not expand the volume (now). */
export function growthOf(claim: PersistentVolumeClaim, volume: PersistentVolume): Growth | undefined {
  const bytes = storageOf(volume.spec?.capacity);
  const known = storageOf(claim.status?.capacity);
  if (bytes === undefined || known === undefined) return undefined;
  const state = claim.status?.allocatedResourceStatuses?.['storage'] ?? '';
  // An expansion that the claim waits for is asked for even if the claim has the size.
  const pending = { bytes, known: Math.min(known, bytes - 1) };
  if (state === PENDING || state === IN_PROGRESS) return { size: pending, tells: 'state' };
  if (state !== '') return undefined;
  if (known >= bytes) return { size: { bytes, known }, tells: 'nothing' };
  // A resizer that knows states has not come to the node's part yet.
  return claim.status?.allocatedResources?.['storage'] === undefined ? { size: pending, tells: 'capacity' } : undefined;
}

function storageOf(amounts: Readonly<Record<string, string | number>> | undefined): number | undefined {
  const amount = amounts?.['storage'];
  return amount === undefined ? undefined : quantityValue(amount);
}

/** Merge patches of a claim's status. The resource version in them makes a write of somebody else's in between a conflict. */
export interface ClaimPatch {
  readonly metadata: { readonly resourceVersion?: string };
  readonly status: object;
}

/** `undefined`: the claim says so already. */
export function inProgressPatch(claim: PersistentVolumeClaim): ClaimPatch | undefined {
  if (claim.status?.allocatedResourceStatuses?.['storage'] === IN_PROGRESS) return undefined;
  return patchOf(claim, { allocatedResourceStatuses: { storage: IN_PROGRESS } });
}

/** The volume has the size. */
export function finishedPatch(claim: PersistentVolumeClaim, volume: PersistentVolume): ClaimPatch {
  const { conditions = [], allocatedResourceStatuses } = claim.status ?? {};
  const states = Object.keys(allocatedResourceStatuses ?? {});
  const isOnly = states.length === 1 && states[0] === 'storage';
  return patchOf(claim, {
    capacity: { storage: volume.spec?.capacity?.['storage'] },
    ...(states.length > 0 && { allocatedResourceStatuses: isOnly ? null : { storage: null } }),
    conditions: conditions.filter(({ type }) => !RESIZE_CONDITIONS.includes(type)),
  });
}

/** The driver cannot expand it. @param time of the API */
export function failedPatch(claim: PersistentVolumeClaim, code: string, message: string, time: string): ClaimPatch {
  const conditions = claim.status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === 'NodeResizeError');
  const condition: PersistentVolumeClaimCondition = {
    type: 'NodeResizeError',
    status: 'True',
    lastTransitionTime: before?.lastTransitionTime ?? time,
    message: `failed to expand pvc with ${message}`,
  };
  return patchOf(claim, {
    ...(isInfeasible(code) && { allocatedResourceStatuses: { storage: INFEASIBLE } }),
    conditions: [...conditions.filter(({ type }) => type !== condition.type), condition],
  });
}

function patchOf({ metadata }: PersistentVolumeClaim, status: object): ClaimPatch {
  const { resourceVersion } = metadata ?? {};
  return { metadata: resourceVersion === undefined ? {} : { resourceVersion }, status };
}

/** gRPC's codes after which the call may still be under way, or succeed the next time (upstream: isFinalError). */
const OPEN_CODES: readonly string[] = ['Canceled', 'DeadlineExceeded', 'Unavailable', 'ResourceExhausted', 'Aborted'];

export function isFinal(code: string): boolean {
  return !OPEN_CODES.includes(code);
}

function isInfeasible(code: string): boolean {
  return code === 'InvalidArgument' || code === 'OutOfRange' || code === 'NotFound';
}
