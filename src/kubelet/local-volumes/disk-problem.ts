/** What an error of the disk means for the volumes on it. Pure. */
import { errorMessage, FileError } from '../../lib/index.ts';
import { VolumeProblem } from './volume-problem.ts';

export interface DiskProblem {
  /** In CamelCase, for conditions and events. */
  readonly reason: string;
  readonly message: string;
}

/** The node's condition while nothing is wrong. */
export const DISK_WORKS: DiskProblem = { reason: 'VolumeDiskWorks', message: 'the disk of the volumes works' };

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** `undefined`: the error shows no fault of the disk, because a full one works. */
export function diskProblemOf(dir: string, error: unknown): DiskProblem | undefined {
  if (error instanceof VolumeProblem) return { reason: error.reason, message: error.message };
  const code = error instanceof FileError ? error.code : '';
  if (FULL.has(code)) return undefined;
  if (code === 'EROFS')
    return { reason: 'VolumeDiskReadOnly', message: `the disk of the volumes, at ${dir}, is mounted read-only` };
  return {
    reason: 'VolumeDiskFailing',
    message: `the disk of the volumes, at ${dir}, has a fault: ${errorMessage(error)}`,
  };
}

export function hangingDisk(dir: string, waitedMs: number): DiskProblem {
  return {
    reason: 'VolumeDiskHangs',
    message: `the disk of the volumes, at ${dir}, did not answer within ${waitedMs / 1000}s`,
  };
}
