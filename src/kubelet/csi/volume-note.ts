/**
 * The note of one volume of a driver on this node: where it is staged, which pods have it, and which call was begun last. It is
 * on the disk before each call, so that an agent that starts anew knows of every call that may have happened. Pure.
 */
import type { PodUID } from '../types.ts';

/**
 * `planned`: no call was begun, but the volume may be staged for it. `…ing`: the call was begun; whether it happened is unknown.
 * `…ed`: it has succeeded. What is being undone is undone to its end before it is done again.
 */
export interface Staging {
  readonly path: string;
  readonly step: 'staging' | 'staged' | 'unstaging';
  /** Of a staged one: something was mounted at the path. If it is not there any more, the staging is lost. */
  readonly isMount?: boolean;
  /** What is mounted there does not work any more: it is unstaged when no pod has the volume, and before another gets it. */
  readonly isDead?: boolean;
}

export interface Publication {
  readonly pod: PodUID;
  /** Of the volume in the pod. */
  readonly volume: string;
  readonly target: string;
  readonly step: 'planned' | 'publishing' | 'published' | 'unpublishing';
  /** Of a published one: whether its mount was read-only then. */
  readonly isReadOnly?: boolean;
}

/** The size that the driver was asked for, or that the volume had when it came to this node. */
export interface NotedSize {
  readonly bytes: number;
  /** `refused`: the driver does not expand it while it is used here; it is not asked again. */
  readonly step: 'expanding' | 'expanded' | 'refused';
}

export interface VolumeNote {
  readonly driver: string;
  readonly handle: string;
  /** The boot of the machine in which its mounts were made: none of them outlives it. */
  readonly boot: string;
  /** It had to be attached to this node first, and must not be detached while there is this note. */
  readonly isAttached?: boolean;
  /** Absent: it was never staged, or nothing of that is left. */
  readonly staging?: Staging;
  /** Absent: nobody has asked for a size. */
  readonly size?: NotedSize;
  /** One for each target. */
  readonly publications: readonly Publication[];
}

const STAGING_STEPS: readonly string[] = ['staging', 'staged', 'unstaging'];
const STEPS: readonly string[] = ['planned', 'publishing', 'published', 'unpublishing'];
const SIZE_STEPS: readonly string[] = ['expanding', 'expanded', 'refused'];

/** `undefined`: it cannot be understood. */
export function parseVolumeNote(text: string): VolumeNote | undefined {
  let note: Partial<VolumeNote> | null;
  try {
    note = JSON.parse(text) as Partial<VolumeNote> | null;
  } catch {
    return undefined;
  }
  if (typeof note !== 'object' || note === null) return undefined;
  const { driver, handle, boot, isAttached, staging, size, publications } = note;
  if (typeof driver !== 'string' || typeof handle !== 'string' || typeof boot !== 'string') return undefined;
  if (staging !== undefined && (typeof staging.path !== 'string' || !STAGING_STEPS.includes(staging.step)))
    return undefined;
  if (size !== undefined && (typeof size.bytes !== 'number' || !SIZE_STEPS.includes(size.step))) return undefined;
  if (!Array.isArray(publications) || !publications.every(isPublication)) return undefined;
  const attached = isAttached === true ? { isAttached } : {};
  return { driver, handle, boot, ...attached, ...(staging && { staging }), ...(size && { size }), publications };
}

function isPublication(value: unknown): value is Publication {
  if (typeof value !== 'object' || value === null) return false;
  const { pod, volume, target, step } = value as Partial<Record<keyof Publication, unknown>>;
  const texts = [pod, volume, target, step].every((each) => typeof each === 'string');
  return texts && STEPS.includes(step as string);
}
