/**
 * The folder in which CSI drivers look for the kubelet: the sockets of drivers, and the mounts that they make. Manifests of
 * drivers name upstream's; one mendlet of a machine can have it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mountsUnder, parseMountPoints } from '../kubelet/index.ts';
import { errorMessage, type Logger } from '../lib/index.ts';
import type { DataDir } from './data-dir.node.ts';
import { replaceFile } from './replace-file.node.ts';

/** Upstream's, in the manifests of drivers. */
export const KUBELET_DIR = '/var/lib/kubelet';
const MARKER = '.mendlet';
/** Of the agent: which folder it has. */
const RECORD = 'kubelet-dir';
/** Drivers mount these folders, and some of them do not make what is missing. */
const FOLDERS = ['plugins_registry', 'plugins', 'pods'];

interface Owner {
  readonly instance: string;
  /** Its data folder. */
  readonly dir: string;
}

/**
 * Takes the folder for this mendlet. One that is somebody else's is no reason not to start: then the node runs no drivers.
 * @param wanted true: upstream's; undefined: none
 * @returns a setting of the node agent
 */
export function openKubeletFolder(
  wanted: string | true | undefined,
  { paths, instanceId }: Pick<DataDir, 'paths' | 'instanceId'>,
  logger: Logger,
): { readonly kubeletDir?: string } {
  if (wanted === undefined) return {};
  const dir = wanted === true ? KUBELET_DIR : resolve(wanted);
  try {
    const problem = problemOf(dir, instanceId, wanted !== true);
    if (problem !== undefined) {
      const said = `this node runs no CSI drivers: ${dir} ${problem}; give another --kubelet-dir`;
      if (wanted === true) logger.info(said);
      else logger.error(said);
      return {};
    }
    for (const name of FOLDERS) mkdirSync(join(dir, name), { recursive: true, mode: 0o750 });
    const owner: Owner = { instance: instanceId, dir: paths.dir };
    replaceFile(join(dir, MARKER), JSON.stringify(owner));
    mkdirSync(paths.agent, { recursive: true, mode: 0o700 });
    replaceFile(join(paths.agent, RECORD), dir);
  } catch (error) {
    logger.error('this node runs no CSI drivers: the folder for them cannot be used', {
      dir,
      error: errorMessage(error),
    });
    return {};
  }
  return { kubeletDir: dir };
}

/** Why it cannot be taken. Somebody who names a folder may have made it for that. */
function problemOf(dir: string, instanceId: string, isNamed: boolean): string | undefined {
  if (dir === '/') return 'cannot be it';
  if (!existsSync(dir)) return undefined;
  const owner = ownerOf(dir);
  if (owner === undefined)
    return isNamed || readdirSync(dir).length === 0 ? undefined : "is not mendlet's (a kubelet has, or had, it)";
  if (owner.instance === instanceId || !isAlive(owner)) return undefined;
  return `belongs to the mendlet of ${owner.dir}`;
}

/** Its data folder is there. */
function isAlive({ instance, dir }: Owner): boolean {
  try {
    return readFileSync(join(dir, 'instance'), 'utf8').trim() === instance;
  } catch {
    return false;
  }
}

function ownerOf(dir: string): Owner | undefined {
  try {
    const { instance, dir: folder } = JSON.parse(readFileSync(join(dir, MARKER), 'utf8')) as Partial<Owner>;
    return typeof instance === 'string' && typeof folder === 'string' ? { instance, dir: folder } : undefined;
  } catch {
    return undefined;
  }
}

/** The folder that this mendlet has; `undefined`: none. */
export function kubeletFolderOf({ paths, instanceId }: Pick<DataDir, 'paths' | 'instanceId'>): string | undefined {
  try {
    const dir = readFileSync(join(paths.agent, RECORD), 'utf8');
    return ownerOf(dir)?.instance === instanceId ? dir : undefined;
  } catch {
    return undefined;
  }
}

/** The folders below it in which drivers mount. */
export function mountFoldersOf(dir: string): readonly string[] {
  return [join(dir, 'pods'), join(dir, 'plugins/kubernetes.io/csi')];
}

/**
 * Whether the folder is mounted on itself, as the agent does where mounts are not shared; a disk of its own is mounted from its
 * root.
 * @param mountinfo of /proc/self
 */
export function isOwnBind(mountinfo: string, dir: string): boolean {
  return mountinfo.split('\n').some((line) => {
    const [, , , root = '', point] = line.split(' ');
    return point === dir && root !== '/' && dir.endsWith(root);
  });
}

/**
 * Removes folders with nothing in them but the node's own notes of volumes. Nothing that a driver or a pod wrote goes.
 * @param mounts points that are not entered: a volume's data may have a file of the same name
 */
function removeEmptyTree(folder: string, mounts: ReadonlySet<string>): void {
  if (mounts.has(folder)) return;
  for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeEmptyTree(path, mounts);
    else if (entry.isFile() && entry.name === 'vol_data.json') rmSync(path);
  }
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it, or it is not there.
  }
}

/**
 * Gives the folder back, if this mendlet has one. Files of drivers stay; folders that are empty go.
 * @param mountinfo of /proc/self
 * @returns what to tell the user: a driver's mount that is left
 */
export function releaseKubeletFolder(
  dataDir: Pick<DataDir, 'paths' | 'instanceId'>,
  mountinfo = readFileSync('/proc/self/mountinfo', 'utf8'),
): string | undefined {
  const dir = kubeletFolderOf(dataDir);
  if (dir === undefined) return undefined;
  const points = parseMountPoints(mountinfo);
  const left = mountFoldersOf(dir).flatMap((folder) => mountsUnder(points, folder));
  rmSync(join(dir, MARKER), { force: true });
  for (const folder of ['pods', 'plugins/kubernetes.io']) removeEmptyTree(join(dir, folder), new Set(left));
  for (const folder of [...FOLDERS.map((name) => join(dir, name)), dir]) {
    try {
      rmdirSync(folder);
    } catch {
      // Something of a driver is in it.
    }
  }
  return left.length === 0 ? undefined : `${left[0]} is still mounted by a CSI driver; its folder stays`;
}
