/** The files that `up` was given: manifests and image archives. They are read and checked before anything is started. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorMessage } from '../lib/index.ts';
import { type ManifestObject, parseManifest } from './manifests.ts';
import { UserError } from './user-error.ts';

const MAX_MANIFEST_BYTES = 16 << 20;

/**
 * Reads manifests from files, folders (their *.yaml, *.yml and *.json, by name) and "-" (standard input).
 *
 * @returns all objects in order @throws UserError that names every problem; then nothing must be applied
 */
export function readManifests(paths: readonly string[]): readonly ManifestObject[] {
  const objects: ManifestObject[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    try {
      for (const file of filesOf(path)) {
        const result = parseManifest(file === '-' ? 'standard input' : file, readText(file));
        objects.push(...result.objects);
        problems.push(...result.problems);
      }
    } catch (error) {
      problems.push(`${path}: ${reason(error)}`);
    }
  }
  if (problems.length > 0) throw new UserError(`nothing was applied:\n  ${problems.join('\n  ')}`);
  return objects;
}

/** @returns the paths made absolute @throws UserError for one that is not there */
export function checkArchives(paths: readonly string[]): readonly string[] {
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new UserError(`--image-archive ${missing}: there is no such file or folder`);
  return paths.map((path) => resolve(path));
}

function filesOf(path: string): readonly string[] {
  if (path === '-' || !statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name));
  if (names.length === 0) throw new UserError('the folder holds no *.yaml, *.yml or *.json');
  return names.sort().map((name) => join(path, name));
}

function readText(file: string): string {
  const bytes = readFileSync(file === '-' ? 0 : file);
  if (bytes.length > MAX_MANIFEST_BYTES) throw new UserError(`it is larger than ${MAX_MANIFEST_BYTES >> 20} MiB`);
  return bytes.toString('utf8');
}

function reason(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) return errorMessage(error);
  if (error.code === 'ENOENT') return 'there is no such file or folder';
  if (error.code === 'EACCES') return 'no permission to read it';
  if (error.code === 'EISDIR') return 'it is a folder';
  return error.message;
}
