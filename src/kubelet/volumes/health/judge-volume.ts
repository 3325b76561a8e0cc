/** Decides from what is known of one volume of a pod whether something is wrong with it. Pure. */
import type { VolumeCondition } from '../../../csi/index.ts';
import type { VolumeTrouble } from '../../types.ts';
import { MAX_TOLD_LENGTH, PROBE_TIMEOUT_MS } from './limits.ts';
import type { MountState } from './mount-states.ts';

/** How a file system answered when it was last asked. `error`: the system's words. */
export type ProbeAnswer = { readonly kind: 'answers' | 'hangs' } | { readonly kind: 'fails'; readonly error: string };

export interface VolumeKnowledge {
  /** Name of the volume in the pod. */
  readonly volume: string;
  readonly path: string;
  readonly isBlock: boolean;
  /** As it was when it was published. */
  readonly wasReadOnly: boolean;
  /** Absent: nothing is mounted at the path. */
  readonly mount?: MountState | undefined;
  /** Absent: it was not asked yet. */
  readonly probe?: ProbeAnswer | undefined;
  /** What the driver says; absent: nothing. */
  readonly condition?: VolumeCondition | undefined;
  /** Wall ms: when the oldest of the pod's running containers with the volume started; absent: none runs. */
  readonly oldestStart?: number | undefined;
}

/** What is wrong for containers that started before the mount that is there now. */
export const MADE_ANEW = 'its mount vanished and was made anew; containers that started before do not see it';

/** @param before what was wrong at the look before @param wall ms */
export function judgeVolume(
  known: VolumeKnowledge,
  before: VolumeTrouble | undefined,
  wall: number,
): VolumeTrouble | undefined {
  const found = troubleOf(known) ?? stillSeen(known, before);
  if (found === undefined) return undefined;
  const { volume } = known;
  const since = before?.reason === found.reason ? before.since : wall;
  return { volume, since, reason: found.reason, message: found.message.slice(0, MAX_TOLD_LENGTH) };
}

type Found = Pick<VolumeTrouble, 'reason' | 'message'>;

function troubleOf({ path, isBlock, wasReadOnly, mount, probe, condition }: VolumeKnowledge): Found | undefined {
  if (mount === undefined) return { reason: 'MountLost', message: `nothing is mounted at ${path} any more` };
  if (probe?.kind === 'fails') return { reason: 'Stale', message: `its file system is dead: ${probe.error}` };
  if (probe?.kind === 'hangs') {
    return { reason: 'Hangs', message: `its file system does not answer within ${PROBE_TIMEOUT_MS / 1000} s` };
  }
  if (!isBlock && !wasReadOnly && mount.readOnly) {
    return { reason: 'ReadOnly', message: 'it was mounted to be written to, and is read-only now' };
  }
  if (condition?.isAbnormal === true)
    return { reason: 'Abnormal', message: condition.message || 'its driver gives no reason' };
  return undefined;
}

/** Containers that started before a mount vanished do not see the one that was made anew. */
function stillSeen({ oldestStart }: VolumeKnowledge, before: VolumeTrouble | undefined): Found | undefined {
  if (before?.reason !== 'MountLost' || oldestStart === undefined || oldestStart >= before.since) return undefined;
  return { reason: 'MountLost', message: MADE_ANEW };
}
