/** A container's log beside its file: who made the pod's folder, the flat link for log shippers, and the removal of all of it. */
import type { Pod } from '../../api/index.ts';
import { errorMessage, FileError } from '../../lib/index.ts';
import { containerLogsDir, isLogOf, LOG_OWNER_FILE, logLinkName } from '../pods/log-names.ts';
import type { VerbContext } from './context.ts';
import { containerLogPath, podLogDir, terminationMessagePath } from '../pods/pod-paths.ts';

type LogContext = Pick<VerbContext, 'fs' | 'config' | 'logger'>;

/** Notes in a new log folder that it is ours. Without the note the folder is only removed with its pod. */
export async function markLogFolder({ fs, config, logger }: LogContext, folder: string): Promise<void> {
  try {
    // Once for each folder: a loss of power may bring the folder back, and then this is all that tells whose it is.
    if ((await fs.stat(`${folder}/${LOG_OWNER_FILE}`)) !== undefined) return;
    await fs.writeFile(`${folder}/${LOG_OWNER_FILE}`, `${config.instanceId}\n`, { mode: 0o600, sync: true });
  } catch (error) {
    logger.warn('a log folder could not be marked as ours', { folder, error: errorMessage(error) });
  }
}

/** Links the log as upstream does, for log shippers. Never rejects for a file error: the container runs all the same. */
export async function linkContainerLog(
  { fs, config, logger }: LogContext,
  pod: Pod,
  container: { readonly name: string; readonly id: string; readonly attempt: number },
): Promise<void> {
  const target = `${podLogDir(config.podLogsDir, pod)}/${containerLogPath(container.name, container.attempt)}`;
  const path = linkPath(config.podLogsDir, pod, container.name, container.id);
  try {
    await fs.mkdir(path.slice(0, path.lastIndexOf('/')));
    await fs.symlink(target, path);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code !== 'EEXIST') logger.warn('a log could not be linked', { path, error: errorMessage(error) });
  }
}

/** Removes a container's log, what rotation made of it, its link and its termination message. Rejects with file errors. */
export async function removeContainerLog(
  { fs, config }: LogContext,
  pod: Pod,
  { id, logPath }: { readonly id: string; readonly logPath: string },
): Promise<void> {
  // The path comes from the runtime: only below this pod's own log folder do we believe it.
  const folder = `${podLogDir(config.podLogsDir, pod)}/`;
  const match = /^([^/]+)\/((\d+)\.log)$/.exec(logPath.startsWith(folder) ? logPath.slice(folder.length) : '');
  if (match === null || match[1] === '..') return;
  const [, name = '', base = '', attempt = ''] = match;
  const names = await fs.readdir(`${folder}${name}`).catch(() => []);
  await Promise.all([
    ...names.filter((each) => isLogOf(each, base)).map((each) => fs.remove(`${folder}${name}/${each}`)),
    fs.remove(linkPath(config.podLogsDir, pod, name, id)),
    fs.remove(terminationMessagePath(config.rootDir, pod.metadata?.uid ?? '', name, Number(attempt))),
  ]);
}

function linkPath(podLogsDir: string, { metadata }: Pod, container: string, id: string): string {
  const name = logLinkName(metadata?.name ?? '', metadata?.namespace ?? '', container, id);
  return `${containerLogsDir(podLogsDir)}/${name}`;
}
