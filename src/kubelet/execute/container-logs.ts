/**
 * The places around a container's log: the mark in the pod's folder, the flat link for log shippers, and the removal of all
 * of it.
 */
import type { Pod } from '../../api/index.ts';
import { errorMessage, FileError } from '../../lib/index.ts';
import { logPlace } from '../pods/log-place.ts';
import { containerLogsDir, isLogOf, LOG_OWNER_FILE, logLinkName } from '../pods/log-names.ts';
import { containerLogPath, isSafeName, podLogDir, terminationMessagePath } from '../pods/pod-paths.ts';
import type { ExecuteConfig, ExecutePorts } from './context.ts';

interface LogContext {
  readonly ports: Pick<ExecutePorts, 'fs' | 'logger'>;
  readonly config: Pick<ExecuteConfig, 'instanceId' | 'rootDir' | 'podLogsDir'>;
}

/** Notes in a new log folder that it is ours. Without the note the folder is only removed with its pod. */
export async function markLogFolder({ ports: { fs, logger }, config }: LogContext, folder: string): Promise<void> {
  try {
    const slash = folder.lastIndexOf('/');
    const opened = await fs.openBelow(folder.slice(0, slash), folder.slice(slash + 1), {});
    try {
      const note = `${opened.path}/${LOG_OWNER_FILE}`;
      // Once for each folder: after a loss of power the folder may reappear, and then only this mark says that it is ours.
      if ((await fs.stat(note)) !== undefined) return;
      // Written as one atomic replacement: a file that somebody put there meanwhile is replaced, and not written to.
      await fs.writeFile(note, `${config.instanceId}\n`, { mode: 0o600, atomic: true, sync: true });
    } finally {
      await opened.close();
    }
  } catch (error) {
    logger.warn('a log folder could not be marked as ours', { folder, error: errorMessage(error) });
  }
}

/** Makes a pod's log folder. Rejects with `FileError` (ENOTDIR, ELOOP) where something else is in its place. */
export async function makePodLogFolder({ ports: { fs } }: Pick<LogContext, 'ports'>, folder: string): Promise<void> {
  const slash = folder.lastIndexOf('/');
  await fs.mkdir(folder.slice(0, slash));
  const opened = await fs.openBelow(folder.slice(0, slash), folder.slice(slash + 1), { folderMode: LOG_FOLDER_MODE });
  await opened.close();
  if (opened.type !== 'directory') throw new FileError('ENOTDIR', folder, `${folder} is no folder`);
}

/**
 * Makes a container's log folder. The runtime follows every link on its way to the log, so there must be none: rejects with
 * `FileError` (ELOOP, ENOTDIR) where a pod that has the folder mounted put one, and removes what is no file in the log's place.
 */
export async function makeContainerLogFolder(
  { ports: { fs }, config }: LogContext,
  pod: Pod,
  container: string,
  attempt: number,
): Promise<void> {
  const root = config.podLogsDir;
  const path = `${podLogDir(root, pod)}/${containerLogPath(container, attempt)}`;
  const { folder, name } = logPlace(path);
  await fs.mkdir(root);
  const opened = await fs.openBelow(root, folder, { folderMode: LOG_FOLDER_MODE });
  try {
    const log = `${opened.path}/${name}`;
    const info = await fs.stat(log);
    if (info !== undefined && info.type !== 'file') await fs.remove(log);
  } finally {
    await opened.close();
  }
}

const LOG_FOLDER_MODE = 0o755;

/** Links the log as upstream does, for log shippers. Never rejects for a file error: the container runs all the same. */
export async function linkContainerLog(
  { ports: { fs, logger }, config }: LogContext,
  pod: Pod,
  container: { readonly name: string; readonly id: string; readonly attempt: number },
): Promise<void> {
  const target = `${podLogDir(config.podLogsDir, pod)}/${containerLogPath(container.name, container.attempt)}`;
  if (!isSafeName(container.id)) {
    logger.warn('a log is not linked: the runtime gave its container an id that is no plain name', {
      id: container.id,
    });
    return;
  }
  const path = linkPath(config.podLogsDir, pod, container.name, container.id);
  try {
    const links = containerLogsDir(config.podLogsDir);
    const slash = links.lastIndexOf('/');
    // A pod with /var/log mounted could make the folder a link, and have its own file called from anywhere on the node.
    const opened = await fs.openBelow(links.slice(0, slash) || '/', links.slice(slash + 1), {
      folderMode: LOG_FOLDER_MODE,
    });
    try {
      await fs.symlink(target, `${opened.path}${path.slice(links.length)}`);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code !== 'EEXIST') logger.warn('a log could not be linked', { path, error: errorMessage(error) });
  }
}

/** Removes a container's log, what rotation made of it, its link and its termination message. Rejects with file errors. */
export async function removeContainerLog(
  { ports: { fs }, config }: LogContext,
  pod: Pod,
  { id, logPath }: { readonly id: string; readonly logPath: string },
): Promise<void> {
  // The path comes from the runtime: only below this pod's own log folder do we believe it.
  const folder = `${podLogDir(config.podLogsDir, pod)}/`;
  const match = /^([^/]+)\/((\d+)\.log)$/.exec(logPath.startsWith(folder) ? logPath.slice(folder.length) : '');
  if (match === null || match[1] === '..') return;
  const [, name = '', base = '', attempt = ''] = match;
  await Promise.all([
    removeLogs(fs, config.podLogsDir, `${folder.slice(config.podLogsDir.length + 1)}${name}`, base),
    fs.remove(linkPath(config.podLogsDir, pod, name, id)),
    fs.remove(terminationMessagePath(config.rootDir, pod.metadata?.uid ?? '', name, Number(attempt))),
  ]);
}

/** A log and its rotated files. A file that is reached through a link is not ours. */
async function removeLogs(fs: ExecutePorts['fs'], root: string, folder: string, base: string): Promise<void> {
  const opened = await fs.openBelow(root, folder, {}).catch((error: unknown) => {
    if (error instanceof FileError) return undefined;
    throw error;
  });
  if (opened === undefined) return;
  try {
    const names = await fs.readdir(opened.path).catch(() => []);
    await Promise.all(names.filter((each) => isLogOf(each, base)).map((each) => fs.remove(`${opened.path}/${each}`)));
  } finally {
    await opened.close();
  }
}

function linkPath(podLogsDir: string, { metadata }: Pod, container: string, id: string): string {
  const name = logLinkName(metadata?.name ?? '', metadata?.namespace ?? '', container, id);
  return `${containerLogsDir(podLogsDir)}/${name}`;
}
