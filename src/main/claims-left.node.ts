/** The data of claims that a purge of the data folder would lose. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isVolumeName, parseEntry, VOLUMES_MARKER, volumeRecords, volumesFolderRecord } from '../kubelet/index.ts';
import { errorMessage } from '../lib/index.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import type { DataDir } from './data-dir.node.ts';
import { UserError } from './user-error.ts';
import { VOLUMES_LOCK } from './volumes-folder.node.ts';

/** Volumes that the refusal names. */
const MAX_NAMED = 5;

type Place = Pick<DataDir, 'paths' | 'instanceId'>;

/**
 * @param wanted true: the data of claims may go; a number: that of just so many claims
 * @throws UserError when there is data that may not go
 */
export function refuseToLose(place: Place, wanted: true | number | undefined): void {
  const names = volumesWithData(place);
  if (wanted === true || names.length === (wanted ?? 0)) return;
  const { dir } = place.paths;
  const told = wanted === undefined ? '' : `, and not ${wanted}`;
  const claims = names.length === 1 ? '1 claim has' : `${names.length} claims have`;
  if (names.length === 0) throw new UserError(`no claim has data in ${dir}${told}; nothing was removed`);
  throw new UserError(
    `${claims} data in ${folderOf(place)}${told} (${someOf(names)}); nothing was removed. To remove that data, too: mendlet down --data-dir ${dir} --purge --with-claims ${names.length}`,
  );
}

function someOf(names: readonly string[]): string {
  return `${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ', …' : ''}`;
}

/**
 * Those that a pod had or may have had. While the folder of the volumes is away, all that were made in it count; a folder without
 * a record counts, too.
 */
export function volumesWithData(place: Place): readonly string[] {
  const records = recordsOf(place);
  const found = readableEntries(place);
  const folders = new Set(found?.filter(isVolumeName));
  const isThere = found !== undefined;
  const recorded = [...records].filter(([name, used]) => used && (!isThere || folders.has(name))).map(([name]) => name);
  const unknown = [...folders].filter((name) => !records.has(name));
  return [...recorded, ...unknown].sort();
}

/** Whether a pod may have had it, by name. What cannot be read counts as data. */
function recordsOf({ paths }: Place): ReadonlyMap<string, boolean> {
  const dir = volumeRecords(paths.agent);
  const names = entries(dir).filter((file) => file.endsWith('.json'));
  return new Map(
    names.map((file) => [
      file.slice(0, -'.json'.length),
      parseEntry(readFileSync(join(dir, file), 'utf8'))?.used !== false,
    ]),
  );
}

/** The folder in which the volumes were made. */
function folderOf({ paths }: Place): string {
  const record = volumesFolderRecord(paths.agent);
  try {
    const { dir } = JSON.parse(readFileSync(record, 'utf8')) as { readonly dir?: unknown };
    return typeof dir === 'string' ? dir : paths.volumes;
  } catch {
    return paths.volumes;
  }
}

/**
 * Removes what mendlet made in the folder of the volumes; the folder itself stays, unless it is in the data folder.
 *
 * @returns what is to be said: of data that stays, because its folder is away
 * @throws UserError when the disk refuses
 */
export async function removeVolumesFolder(place: Place): Promise<string | undefined> {
  const folder = folderOf(place);
  try {
    const found = ownEntries(place);
    // On the disk that is mounted there now, nothing is ours.
    if (found === undefined) return stays(folder, volumesWithData(place));
    for (const name of found) {
      if (isVolumeName(name) || /^\.(?:making|removing)~/.test(name)) await systemFileSystem.remove(join(folder, name));
    }
    for (const file of ['.trial', VOLUMES_LOCK, VOLUMES_MARKER]) rmSync(join(folder, file), { force: true });
    return undefined;
  } catch (error) {
    throw new UserError(
      `the volumes in ${folder} cannot be removed: ${errorMessage(error)}; the data folder ${place.paths.dir} stays, too. If their disk is read-only or fails for good, unmount it (umount -l), which leaves on it what it has, and repeat the command`,
      { cause: error },
    );
  }
}

function stays(folder: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const claims = names.length === 1 ? '1 claim' : `${names.length} claims`;
  return `${folder} is not mendlet's folder of volumes now; data of ${claims} may be on a disk that is not mounted there, and stays (${someOf(names)})`;
}

/** The names in the folder of the volumes; `undefined`: it is away, or another's. @throws what its disk says */
function ownEntries(place: Place): readonly string[] | undefined {
  const folder = folderOf(place);
  return ownerOf(folder) === place.instanceId ? readdirSync(folder) : undefined;
}

/** As of a folder that is away when its disk cannot be read. */
function readableEntries(place: Place): readonly string[] | undefined {
  try {
    return ownEntries(place);
  } catch {
    return undefined;
  }
}

function ownerOf(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, VOLUMES_MARKER), 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

function entries(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
