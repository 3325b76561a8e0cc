/**
 * A separate file system for a data folder that is small enough to be filled. It is in memory, because loop devices may be
 * missing.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIZE = '700m';

export interface SmallDisk {
  readonly path: string;
  remove(): void;
}

/** `undefined`: this machine does not allow the mount. */
export function smallDisk(): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'mendlet-disk-'));
  const remove = (): void => {
    spawnSync('umount', ['-l', path]);
    rmSync(path, { recursive: true, force: true });
  };
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'mendlet-soak', path]);
  if (status === 0) return { path, remove };
  remove();
  return undefined;
}
