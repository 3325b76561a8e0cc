/** `kubelet_volume_stats_*`: how full the volumes of claims are (upstream: pkg/kubelet/metrics/collectors/volume_stats). Pure. */
import { Exposition } from './exposition.ts';
import type { FileSystemSpace } from './measurement.ts';

export interface ClaimMeasurement {
  readonly namespace: string;
  readonly claim: string;
  /** Absent: not known. */
  readonly space?: FileSystemSpace;
  /** What the driver says of the volume's condition; absent: nothing. */
  readonly isAbnormal?: boolean;
}

const LABELS = ['namespace', 'persistentvolumeclaim'];

/** One line for each claim, however many pods have it. */
export function claimMetrics(all: readonly ClaimMeasurement[]): string {
  const out = new Exposition();
  const gauge = (name: string, help: string) => out.family('gauge', `kubelet_volume_stats_${name}`, help, LABELS);
  const capacity = gauge('capacity_bytes', 'Size of the volume.');
  const available = gauge('available_bytes', 'Bytes of the volume that are free.');
  const used = gauge('used_bytes', 'Bytes of the volume that are used.');
  const inodes = gauge('inodes', 'Most inodes of the volume.');
  const inodesFree = gauge('inodes_free', 'Inodes of the volume that are free.');
  const inodesUsed = gauge('inodes_used', 'Inodes of the volume that are used.');
  const health = gauge('health_status_abnormal', 'Whether something is wrong with the volume (1) or not (0).');
  const told = new Set<string>();
  for (const { namespace, claim, space, isAbnormal } of all) {
    const key = `${namespace}/${claim}`;
    if (told.has(key)) continue;
    told.add(key);
    const labels = { namespace, persistentvolumeclaim: claim };
    capacity.add(space?.bytes, labels);
    available.add(space?.freeBytes, labels);
    used.add(space?.usedBytes, labels);
    inodes.add(space?.inodes, labels);
    inodesFree.add(space?.freeInodes, labels);
    inodesUsed.add(space && space.inodes - space.freeInodes, labels);
    health.add(isAbnormal === undefined ? undefined : Number(isAbnormal), labels);
  }
  return out.text();
}
