/** The data of claims that a purge of the data folder would lose. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isVolumeName, parseEntry, VOLUMES_MARKER, volumeRecords, volumesFolderRecord } from '../kubelet/index.ts';
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
  const more = names.length > MAX_NAMED ? ', …' : '';
  throw new UserError(
    `${claims} data in ${folderOf(place)}${told} (${names.slice(0, MAX_NAMED).join(', ')}${more}); nothing was removed. To remove that data, too: mendlet down --data-dir ${dir} --purge --with-claims ${names.length}`,
  );
}

/**
 * Those that a pod had or may have had. While the folder of the volumes is away, all that were made in it count; a folder without
 * a record counts, too.
 */
export function volumesWithData(place: Place): readonly string[] {
  const records = recordsOf(place);
  const folder = folderOf(place);
  const isThere = ownerOf(folder) === place.instanceId;
  const folders = new Set(isThere ? entries(folder).filter(isVolumeName) : []);
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

/** Removes what mendlet made in the folder of the volumes; the folder itself stays, unless it is in the data folder. */
export async function removeVolumesFolder(place: Place): Promise<void> {
  const folder = folderOf(place);
  // On the disk that is mounted there now, nothing is ours.
  if (ownerOf(folder) !== place.instanceId) return;
  for (const name of entries(folder)) {
    if (isVolumeName(name) || /^\.(?:making|removing)~/.test(name)) await systemFileSystem.remove(join(folder, name));
  }
  for (const file of ['.trial', VOLUMES_LOCK, VOLUMES_MARKER]) rmSync(join(folder, file), { force: true });
}

function ownerOf(folder: string): string | undefined {
  const marker = join(folder, VOLUMES_MARKER);
  return existsSync(marker) ? readFileSync(marker, 'utf8').trim() : undefined;
}

function entries(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
