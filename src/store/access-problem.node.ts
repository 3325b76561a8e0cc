/** Why a program that has to read and write some files and folders may not: in words for whoever has to change that. */
import { accessSync, constants, lstatSync } from 'node:fs';

/**
 * The first of `paths` that is there and may not be read and written by this process, and why; undefined: it is not for want of
 * that. A folder has to be searchable, too.
 */
export function accessProblem(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const problem = problemOf(path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(path: string): string | undefined {
  try {
    const isFolder = lstatSync(path).isDirectory();
    accessSync(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0));
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EROFS') return `${path} lies on a file system that is mounted read-only`;
    if (code === 'EPERM') return `${path} is immutable (chattr -i makes it writable)`;
    // What is missing is somebody else's matter, and what hides it is told of the folder above.
    return code === 'EACCES' ? denied(path) : undefined;
  }
}

function denied(path: string): string | undefined {
  const me = process.geteuid?.() ?? 0;
  try {
    const { uid, mode } = lstatSync(path);
    const octal = (mode & 0o7777).toString(8).padStart(4, '0');
    return `${path} may not be read and written by user ${me}: it is of user ${uid}, mode ${octal}`;
  } catch {
    return undefined;
  }
}
