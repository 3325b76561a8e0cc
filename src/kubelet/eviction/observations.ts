/** Computes for each signal what the machine has and what is left. Pure. */
import type { MachinePressure } from '../figures.ts';
import type { EvictionSignal } from './thresholds.ts';

/** Bytes, inodes or PIDs. */
export interface Observation {
  readonly available: number;
  readonly capacity: number;
}

export type Observations = Readonly<Partial<Record<EvictionSignal, Observation>>>;

export interface MachineSize {
  readonly memoryBytes: number;
  readonly maxPids: number;
}

/** A file system without sizes (or without inodes, as btrfs says) is short of nothing: it is left out. */
export function observe(pressure: MachinePressure, size: MachineSize): Observations {
  const { rootFs, imageFs } = pressure;
  return {
    ...(size.memoryBytes > 0 && {
      'memory.available': { available: pressure.memoryAvailableBytes, capacity: size.memoryBytes },
    }),
    ...(size.maxPids > 0 && {
      'pid.available': { available: Math.max(0, size.maxPids - pressure.pids), capacity: size.maxPids },
    }),
    ...fileSystem('nodefs', rootFs),
    ...fileSystem('imagefs', imageFs),
    // Writable layers lie beside the images.
    ...fileSystem('containerfs', imageFs),
  };
}

function fileSystem(name: 'nodefs' | 'imagefs' | 'containerfs', fs: MachinePressure['rootFs']): Observations {
  return {
    ...(fs.bytes > 0 && { [`${name}.available`]: { available: fs.freeBytes, capacity: fs.bytes } }),
    ...(fs.inodes > 0 && { [`${name}.inodesFree`]: { available: fs.freeInodes, capacity: fs.inodes } }),
  };
}
