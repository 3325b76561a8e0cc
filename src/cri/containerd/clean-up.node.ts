/** The end of a private containerd: its process, what its shims still hold, its mounts. For `down` alone. */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Logger, Process } from '../../lib/index.ts';
import type { ContainerdPaths } from './containerd-config.ts';
import { descendants, endProcess, findProcesses, isShimOf, signalProcess } from './proc.node.ts';
import { ContainerdError, runningContainerd } from './supervisor.node.ts';

const CONTAINERD_GRACE_MS = 10_000;
const SHIM_GRACE_MS = 2_000;

/**
 * Ends containerd, then any container that outlived the removal of its sandbox (with a warning), its shim, and the mounts under
 * its folders. Idempotent. Images stay.
 */
export async function endContainerd(paths: ContainerdPaths, process: Process, logger: Logger): Promise<void> {
  const running = runningContainerd(paths);
  if (running) await endProcess(running, CONTAINERD_GRACE_MS);
  const shims = findProcesses(({ args }) => isShimOf(args, paths.socket));
  if (shims.length > 0) {
    logger.warn('ending containers that outlived their sandbox', { shims: shims.map(({ pid }) => pid) });
    const all = findProcesses(() => true);
    for (const shim of shims) for (const child of descendants(shim.pid, all)) signalProcess(child, 'SIGKILL');
    await Promise.all(shims.map((shim) => endProcess(shim, SHIM_GRACE_MS)));
  }
  for (const mount of mountsUnder([paths.state, paths.root])) await process.run('umount', ['-l', mount]);
  const left = mountsUnder([paths.state, paths.root]);
  // Never into a mount that is still there: it may be a user's data.
  if (left.length > 0)
    throw new ContainerdError(`can't unmount ${left.join(', ')}; see who uses it, and run this again`);
  await rm(paths.state, { recursive: true, force: true });
  for (const file of [paths.socket, `${paths.socket}.ttrpc`, paths.pidFile]) await rm(file, { force: true });
}

/** Mount points below the folders, the deepest first. */
function mountsUnder(folders: readonly string[]): readonly string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) =>
      (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      ),
    )
    .filter((point) => folders.some((folder) => point.startsWith(`${folder}/`)))
    .toReversed();
}
