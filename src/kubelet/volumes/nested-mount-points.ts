/** Where other volumes are mounted inside of a volume. Pure. */
import type { Pod, VolumeMount } from '../../api/index.ts';

/**
 * Paths below the volume at which containers mount something else, sorted. The runtime cannot make these in a volume that containers
 * only read (upstream: MakeNestedMountpoints). What is mounted inside of another nested volume is that one's affair. A mount of a
 * part of the volume (subPath) has none: nothing lasting can be made in the part. Names that begin with ".." are left out: a volume's
 * bookkeeping has them.
 */
export function nestedMountPoints({ spec }: Pod, volumeName: string): readonly string[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  const found = new Set<string>();
  for (const { volumeMounts = [] } of [...initContainers, ...containers, ...ephemeralContainers]) {
    const folders = volumeMounts.map(({ mountPath }) => `${cleaned(mountPath)}/`);
    for (const [index, mount] of volumeMounts.entries()) {
      if (mount.name !== volumeName || isPart(mount)) continue;
      for (const path of outermostBelow(folders[index] as string, folders)) found.add(path);
    }
  }
  return [...found].filter((path) => !path.startsWith('..')).toSorted();
}

function isPart({ subPath = '', subPathExpr = '' }: VolumeMount): boolean {
  return subPath !== '' || subPathExpr !== '';
}

/** All paths end with a slash; those that are returned do not, and are relative. */
function outermostBelow(folder: string, folders: readonly string[]): readonly string[] {
  const nested = folders.filter((each) => each !== folder && each.startsWith(folder));
  const outermost = nested.filter((each) => !nested.some((other) => other !== each && each.startsWith(other)));
  return outermost.map((each) => each.slice(folder.length, -1));
}

/** As the runtime takes it: below the container's root, which `..` does not leave. */
function cleaned(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
