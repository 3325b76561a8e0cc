/** A measurement of one moment, before it takes the shape of a summary or of metrics. Absent: it could not be read. */
import type { Now } from '../../lib/index.ts';
import type { CgroupFigures, DiskUsage, InterfaceFigures, MachineUsage, ProcessFigures } from '../figures.ts';

export interface FileSystemSpace {
  readonly bytes: number;
  readonly freeBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly freeInodes: number;
}

export interface ContainerMeasurement {
  readonly name: string;
  readonly id: string;
  readonly image: string;
  /** Wall ms. */
  readonly startedAt: number;
  readonly figures?: CgroupFigures;
  readonly nanoCores?: number;
  readonly writableLayer?: { readonly usedBytes: number; readonly inodesUsed?: number };
  readonly logs?: DiskUsage;
}

export interface VolumeMeasurement {
  readonly name: string;
  readonly pvcName?: string;
  /** Counts towards the pod's ephemeral storage. */
  readonly isEphemeral: boolean;
  readonly usage?: DiskUsage;
  readonly space?: FileSystemSpace;
  /** What a driver says of the volume's condition; absent: nothing. */
  readonly isAbnormal?: boolean;
}

export interface PodMeasurement {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Wall ms. */
  readonly startedAt: number;
  readonly cgroupPath: readonly string[];
  readonly figures?: CgroupFigures;
  readonly nanoCores?: number;
  readonly containers: readonly ContainerMeasurement[];
  /** Absent on the node's network, too. */
  readonly interfaces?: readonly InterfaceFigures[];
  readonly processes?: number;
  readonly logs?: DiskUsage;
  readonly volumes?: readonly VolumeMeasurement[];
}

export interface ProcessMeasurement {
  readonly figures: ProcessFigures;
  readonly nanoCores?: number;
}

export interface Measurement {
  readonly at: Now;
  readonly nodeName: string;
  readonly machine?: MachineUsage;
  readonly machineNanoCores?: number;
  /** The group of all pods. */
  readonly allPods?: { readonly figures: CgroupFigures; readonly nanoCores?: number };
  readonly kubelet?: ProcessMeasurement;
  readonly runtime?: ProcessMeasurement;
  readonly pods: readonly PodMeasurement[];
  readonly nodeFs?: FileSystemSpace;
  /** `usedBytes`: by images alone. */
  readonly imageFs?: FileSystemSpace & { readonly inodesUsed?: number };
  readonly processes?: { readonly max: number; readonly current: number };
}
