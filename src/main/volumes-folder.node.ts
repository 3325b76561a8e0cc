/** The folder in which a node makes volumes: its lock, and whether it is the one in which this node's volumes are. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { exitCodes } from '../cli/index.ts';
import { takeKernelLock } from '../lib/kernel-lock.node.ts';
import { errorMessage, type Logger } from '../lib/index.ts';
import { VOLUMES_MARKER, volumeRecords, volumesFolderRecord } from '../kubelet/index.ts';
import type { DataDir } from './data-dir.node.ts';
import { UserError } from './user-error.ts';

/** Beside the volumes; none of them can have this name. */
export const VOLUMES_LOCK = '.lock';

/**
 * Takes the lock of the folder; `stack` gives it back. A folder that cannot be written to is no reason not to start, because pods
 * must heal on a failing disk, too: then nothing is made in it either.
 * @param wanted true: in the data folder; undefined: the node makes no volumes
 * @returns a setting of the node agent
 * @throws UserError when another mendlet has it (exit code 3), or the node's volumes are elsewhere
 */
export function openVolumesFolder(
  wanted: string | true | undefined,
  { paths, instanceId }: Pick<DataDir, 'paths' | 'instanceId'>,
  logger: Logger,
  stack: AsyncDisposableStack,
): { readonly volumesDir?: string } {
  if (wanted === undefined) return {};
  const dir = wanted === true ? paths.volumes : resolve(wanted);
  refuseOtherFolder(dir, paths.agent);
  const owner = ownerOf(dir);
  if (owner !== undefined && owner !== instanceId) {
    throw new UserError(
      `the folder for volumes ${dir} belongs to another mendlet (${owner}): give another --volumes-dir`,
      { exitCode: exitCodes.inUse },
    );
  }
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const lock = takeKernelLock(join(dir, VOLUMES_LOCK));
    if (lock === undefined) {
      throw new UserError(`the folder for volumes ${dir} is in use by another mendlet: give another --volumes-dir`, {
        exitCode: exitCodes.inUse,
      });
    }
    stack.defer(() => lock.release());
  } catch (error) {
    if (error instanceof UserError) throw error;
    logger.error('the folder for volumes cannot be locked', { dir, error: errorMessage(error) });
  }
  return { volumesDir: dir };
}

/** Volumes do not move by a flag: pods would find none of them. */
function refuseOtherFolder(dir: string, agentDir: string): void {
  const record = volumesFolderRecord(agentDir);
  const made = entries(volumeRecords(agentDir)).length;
  if (made === 0 || !existsSync(record)) return;
  const before = folderIn(readFileSync(record, 'utf8'));
  if (before === undefined || before === dir) return;
  const volumes = made === 1 ? 'a volume' : `${made} volumes`;
  throw new UserError(`this node has ${volumes} in ${before}, not in ${dir}: start it with --volumes-dir ${before}`);
}

function folderIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'dir' in value ? String(value.dir) : undefined;
  } catch {
    return undefined;
  }
}

function ownerOf(dir: string): string | undefined {
  try {
    return readFileSync(join(dir, VOLUMES_MARKER), 'utf8').trim();
  } catch {
    // There is none yet, or its disk fails: then nothing is made in it.
    return undefined;
  }
}

function entries(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
}
