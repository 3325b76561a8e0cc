/** Finds the folder in which a container has its data, by what its specification says and what it mounts. Pure. */
import { configTexts } from '../configs/config-texts.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { type MountedVolume, mountedVolumes, volumeOf } from '../files/mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

/** "-D /var/lib/pg", "--datadir=/data", "--data-dir /data", "--dbpath /data", "--storage.tsdb.path=/data" */
const OPTION =
  /(?:^|\s)(?:-D|--?(?:[\w.-]{0,40}(?:data[_-]?dir(?:ectory)?|data[_-]?path|db[_-]?path|tsdb[_.-]path)|dir|data|store[_-]dir|path\.data))[= ]["']?(\/[\w@%+.,/-]{1,200})/g;
/** PGDATA, ETCD_DATA_DIR, MYSQL_DATADIR */
const VARIABLE = /^(?:PGDATA|.{0,60}(?:DATA_?DIR(?:ECTORY)?|DATA_PATH|DB_?PATH|STORE_DIR|STORAGE_PATH))$/;

const MAX_TEXT = 16 * 1024;

/** " in /var/lib/pg/data (volume d, claim pgdata)"; empty: it is not known. */
export function dataFolderText(facts: PodFacts, container: ContainerFacts): string {
  const named = namedFolder(container, configTexts(facts, container));
  const mounted = named === undefined ? undefined : volumeOf(facts, container, named);
  const claims = mountedVolumes(facts, container).filter((each) => claimOf(facts, each) !== undefined);
  const found = mounted ?? (named === undefined && claims.length === 1 ? claims[0] : undefined);
  if (found === undefined) return '';
  const claim = claimOf(facts, found);
  return ` in ${named ?? found.mountPath} (volume ${found.volume.name}${claim === undefined ? '' : `, claim ${claim}`})`;
}

/** The claim behind a volume; that of a generic ephemeral volume is named after pod and volume. */
export function claimOf({ name }: PodFacts, { volume }: Pick<MountedVolume, 'volume'>): string | undefined {
  return (
    volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral === undefined ? undefined : `${name}-${volume.name}`)
  );
}

/** The only folder that its command, the scripts of its ConfigMaps or its environment name. */
function namedFolder(
  { spec, environment }: ContainerFacts,
  scripts: readonly { readonly text: string }[],
): string | undefined {
  const texts = [commandText(spec, environment), ...scripts.map(({ text }) => text.slice(0, MAX_TEXT))];
  const all = [
    ...texts.flatMap((text) => [...text.matchAll(OPTION)].flatMap(([, folder]) => folder ?? [])),
    ...environment.flatMap(({ name, value }) => (VARIABLE.test(name) && value.startsWith('/') ? [value] : [])),
  ].map((folder) => folder.replace(/\/+$/, ''));
  const [only, ...more] = new Set(all);
  return more.length === 0 ? only : undefined;
}
