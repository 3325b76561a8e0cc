/** Which volumes fill the disk, in words. Pure. */

export interface VolumeUsage {
  readonly name: string;
  /** "namespace/name" of its claim; absent: not known here. */
  readonly claim?: string;
  readonly capacityBytes: number;
  readonly usedBytes: number;
}

const MEBIBYTE = 1024 * 1024;
/** Volumes that an event names. */
const MAX_NAMED = 3;

export function fullDiskMessage(dir: string, usages: readonly VolumeUsage[]): string {
  const largest = usages
    .toSorted((a, b) => b.usedBytes - a.usedBytes || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMED);
  const named = largest.map(({ name, claim, usedBytes, capacityBytes }) => {
    const whose = claim === undefined ? '' : ` of claim ${claim}`;
    const over = usedBytes > capacityBytes ? `, more than its ${formatBytes(capacityBytes)}` : '';
    return `${name}${whose} has ${formatBytes(usedBytes)}${over}`;
  });
  const rest = named.length === 0 ? 'no volume has anything on it' : `the largest volumes: ${named.join('; ')}`;
  return `the disk of the volumes, at ${dir}, is almost full; ${rest}`;
}

/** Bytes that volumes have beyond what their claims asked for. */
export function overuseBytes(usages: readonly VolumeUsage[]): number {
  return usages.reduce((sum, { usedBytes, capacityBytes }) => sum + Math.max(0, usedBytes - capacityBytes), 0);
}

/** As a quantity of Kubernetes, rounded: "512Ki", "1536Mi". */
function formatBytes(bytes: number): string {
  return bytes < 10 * MEBIBYTE ? `${Math.round(bytes / 1024)}Ki` : `${Math.round(bytes / MEBIBYTE)}Mi`;
}
