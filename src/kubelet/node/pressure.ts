/** Whether the node is short of memory or disk (upstream's hard eviction defaults; there is none for PIDs). Pure. */
import type { MachinePressure } from '../ports.ts';
import {
  IMAGEFS_AVAILABLE,
  IMAGEFS_INODES_FREE,
  MEMORY_AVAILABLE_BYTES,
  NODEFS_AVAILABLE,
  NODEFS_INODES_FREE,
  PRESSURE_TRANSITION_MS,
} from './limits.ts';

export interface PressureVerdict {
  readonly memory: boolean;
  readonly disk: boolean;
}

/** Mono ms at which each pressure was last seen. */
export interface PressureMemory {
  readonly memoryAt?: number;
  readonly diskAt?: number;
}

type FileSystemPressure = MachinePressure['rootFs'];

export function isUnderPressure(pressure: MachinePressure): PressureVerdict {
  return {
    memory: pressure.memoryAvailableBytes < MEMORY_AVAILABLE_BYTES,
    disk:
      isShort(pressure.rootFs, NODEFS_AVAILABLE, NODEFS_INODES_FREE) ||
      isShort(pressure.imageFs, IMAGEFS_AVAILABLE, IMAGEFS_INODES_FREE),
  };
}

/** A file system without sizes (or without inodes, as btrfs says) is short of nothing. */
function isShort(fs: FileSystemPressure, availableFraction: number, inodesFraction: number): boolean {
  const bytesShort = fs.bytes > 0 && fs.freeBytes < fs.bytes * availableFraction;
  return bytesShort || (fs.inodes > 0 && fs.freeInodes < fs.inodes * inodesFraction);
}

/** Pressure that was there within the transition period is still there. `now`: mono ms. */
export function rememberPressure(
  memory: PressureMemory,
  seen: PressureVerdict,
  now: number,
): { readonly memory: PressureMemory; readonly verdict: PressureVerdict } {
  const memoryAt = seen.memory ? now : memory.memoryAt;
  const diskAt = seen.disk ? now : memory.diskAt;
  const lasts = (at: number | undefined): boolean => at !== undefined && now - at < PRESSURE_TRANSITION_MS;
  return {
    memory: { ...(memoryAt !== undefined && { memoryAt }), ...(diskAt !== undefined && { diskAt }) },
    verdict: { memory: lasts(memoryAt), disk: lasts(diskAt) },
  };
}
