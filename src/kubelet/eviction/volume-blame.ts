/** Whether volumes that outgrew their claims fill the disk: then the end of no pod would free what is missing. Pure. */
import type { Observations } from './observations.ts';
import { type Threshold, thresholdAmount } from './thresholds.ts';

/** Volumes on the disk of the pods' folders, all together. */
export interface VolumeOveruse {
  /** Bytes that volumes have beyond what their claims asked for. */
  readonly bytes: number;
  /** Names the largest of them. */
  readonly message: string;
}

/** Eviction frees what pods have of their own; data of claims stays in any case. So nobody else pays for what claims took too much. */
export function isVolumesFault(
  threshold: Threshold,
  observed: Observations,
  overuse: VolumeOveruse | undefined,
): boolean {
  const seen = observed[threshold.signal];
  const nodefs = observed['nodefs.available'];
  if (overuse === undefined || seen === undefined || nodefs === undefined) return false;
  // Images may be on another disk. Inodes, memory and PIDs are not what the overuse is measured in.
  const isSameDisk = seen.available === nodefs.available && seen.capacity === nodefs.capacity;
  if (!threshold.signal.endsWith('fs.available') || !isSameDisk) return false;
  const missing = thresholdAmount(threshold.value, seen.capacity) - seen.available;
  return overuse.bytes > 0 && overuse.bytes >= missing;
}
