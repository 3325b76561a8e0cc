/**
 * Which of a container's log files are removed and compressed when its log has grown too long. Upstream:
 * pkg/kubelet/logs/container_log_manager.go, with its names: "0.log.20261121-093000" and ".gz" once compressed. Pure.
 */

export const COMPRESSED = '.gz';

export interface RotationPlan {
  /** File names. Left by a rotation that was cut short, or more than may be kept. */
  readonly remove: readonly string[];
  /** Not compressed yet; the newest stays plain until the next rotation, for clients that still read it. */
  readonly compress: readonly string[];
}

/**
 * @param siblings names of all files in the log's folder
 * @param name of the log, e.g. "0.log"
 * @param maxFiles kept in all, the log itself included
 */
export function planRotation(siblings: readonly string[], name: string, maxFiles: number): RotationPlan {
  const mine = siblings.filter((each) => each.startsWith(`${name}.`));
  const remove = mine.filter((each) => isLeftover(each, mine));
  const rotated = mine.filter((each) => !remove.includes(each) && stampOf(each, name) !== undefined).toSorted();
  // The log itself and the one that this rotation makes are two of those that are kept.
  const keep = Math.max(0, maxFiles - 2);
  const excess = rotated.slice(0, Math.max(0, rotated.length - keep));
  const kept = rotated.filter((each) => !excess.includes(each));
  return { remove: [...remove, ...excess], compress: kept.filter((each) => !each.endsWith(COMPRESSED)) };
}

/** The half-written copy of a compression that was cut short: its source is still there. */
function isLeftover(name: string, all: readonly string[]): boolean {
  if (name.endsWith('.tmp')) return true;
  return name.endsWith(COMPRESSED) && all.includes(name.slice(0, -COMPRESSED.length));
}

function stampOf(file: string, name: string): string | undefined {
  return /^\d{8}-\d{6}(?:-\d+)?(?=(?:\.gz)?$)/.exec(file.slice(name.length + 1))?.[0];
}

/** The name that the log is moved to. A second rotation in the same second gets a number. */
export function rotatedName(siblings: readonly string[], name: string, wall: number): string {
  const stamp = new Date(wall).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const plain = `${name}.${stamp}`;
  const taken = (candidate: string): boolean =>
    siblings.includes(candidate) || siblings.includes(`${candidate}${COMPRESSED}`);
  if (!taken(plain)) return plain;
  let number = 1;
  while (taken(`${plain}-${number}`)) number += 1;
  return `${plain}-${number}`;
}
