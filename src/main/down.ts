/** `mendlet down`: stops and removes all that a data folder's `up` or `agent` left running. Works from what is on disk and in the runtime. */
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DownFlags } from '../cli/index.ts';
import type { Container } from '../cri/index.ts';
import { openCriSocket, removeSandboxes } from '../cri/containerd/open-containerd.node.ts';
import {
  containerLogsDir,
  folderOfTarget,
  graceOf,
  INSTANCE_LABEL,
  LOG_OWNER_FILE,
  mountsUnder,
  parseMountPoints,
  uidOfLogFolder,
} from '../kubelet/index.ts';
import { openCgroups } from '../kubelet/cgroups.node.ts';
import { decodeText, errorMessage, formatTime, type Logger } from '../lib/index.ts';
import { systemClock } from '../lib/clock.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { systemProcess } from '../lib/process.node.ts';
import { systemRandom } from '../lib/random.node.ts';
import { createLogger } from '../lib/logger.node.ts';
import { refuseToLose, removeVolumesFolder } from './claims-left.node.ts';
import type { MainContext } from './context.ts';
import { isOwnBind, kubeletFolderOf, mountFoldersOf, releaseKubeletFolder } from './kubelet-folder.node.ts';
import { type DataDir, openExistingDataDir } from './data-dir.node.ts';
import { type DataPaths, defaultDataDir, podLogsDir, runDir } from './data-dir-path.ts';
import { leaveCluster } from './join/leave-cluster.ts';
import { dnsLinkName, removeNodeRoutes } from '../network/index.ts';
import { openNetworkMachine } from '../network/network-machine.node.ts';
import { endPrivateRuntime } from './node-runtime.ts';
import { removeServiceRouting } from './service-router.ts';
import { readRecord, type UpRecord, writeRecord } from './up-record.node.ts';
import { UserError } from './user-error.ts';

/** The longest mark of a log folder's maker. */
const MAX_OWNER_BYTES = 256;
/** Kubernetes' default. `down` waits no longer; `kubectl delete` respects a longer grace period. */
const MAX_GRACE_SECONDS = 30;

/** @throws UserError when the folder is in use or not mendlet's */
export async function down(options: DownFlags, context: MainContext): Promise<void> {
  const path = options.dataDir ?? defaultDataDir(context.user);
  const holder = { pid: context.pid, verb: 'down', since: formatTime(systemClock.now().wall) };
  const dataDir = openExistingDataDir(path, { holder, random: systemRandom });
  if (dataDir === undefined) {
    context.out(`nothing to do: there is no data folder at ${path}\n`);
    return;
  }
  try {
    if (options.purge) refuseToLose(dataDir, options.withClaims);
    const logger = createLogger({ format: 'text', level: 'warn' });
    const running = podFolders(dataDir.paths).length;
    if (running > 0) context.err(`mendlet: stopping ${running === 1 ? '1 pod' : `${running} pods`}\n`);
    const record = readRecord(dataDir.paths);
    const removed = await removePods(dataDir, logger, context);
    // Its pods have ended: a controller that waits for the node's end may start them elsewhere.
    const rest = record?.role === 'agent' ? await leaveCluster(dataDir.paths, record.nodeName) : undefined;
    if (rest !== undefined) context.err(`mendlet: ${rest}\n`);
    if (options.purge) await purge(dataDir, context);
    const pods = removed === 1 ? '1 pod' : `${removed} pods`;
    const folder = options.purge ? `removed ${dataDir.paths.dir}` : `${dataDir.paths.dir} stays (--purge removes it)`;
    context.out(removed === 0 ? `no pods were left; ${folder}\n` : `stopped and removed ${pods}; ${folder}\n`);
  } finally {
    dataDir.release();
  }
}

/**
 * Everything but the data folder. Idempotent.
 *
 * @returns how many pods there were
 */
export async function removePods(dataDir: DataDir, logger: Logger, context: MainContext): Promise<number> {
  const { paths, instanceId } = dataDir;
  const record = readRecord(paths);
  if (record === undefined) {
    // A server that was killed leaves its routes.
    if (context.user.uid === 0 && existsSync(paths.store))
      await removeNodeRoutes(openNetworkMachine(systemProcess), instanceId);
    return 0;
  }
  if (context.user.uid !== 0) throw new UserError('only root can remove containers: start it as root');
  const run = runDir(context.user, instanceId);
  const pods = podFolders(paths).length;
  const shared = {
    dataDir: paths.dir,
    runDir: run,
    instanceId,
    podCidr: record.podCidr,
    process: systemProcess,
    logger,
  };
  if (record.runtime === 'private') await endPrivateRuntime({ ...shared, graceOf: graceSecondsOf });
  else if (record.inUse) await downSocket(record.runtime, instanceId, logger);
  await removeServiceRouting(instanceId);
  await openNetworkMachine(systemProcess).removeLink(dnsLinkName(instanceId));
  await removeVolumes(dataDir);
  await (await openCgroups({ instanceId, process: systemProcess })).remove([]);
  rmSync(run, { recursive: true, force: true });
  writeRecord(paths, { ...record, inUse: false } satisfies UpRecord);
  return pods;
}

/** Its pod's own grace. */
function graceSecondsOf(container: Container): number {
  return Math.min(graceOf(container) ?? MAX_GRACE_SECONDS, MAX_GRACE_SECONDS);
}

/** A shared runtime has other people's pods too: only this instance's go. */
async function downSocket(path: string, instanceId: string, logger: Logger): Promise<void> {
  try {
    const opened = await openCriSocket(path, logger);
    await removeSandboxes(opened.runtime, graceSecondsOf, logger, { [INSTANCE_LABEL]: instanceId });
    await opened.close();
  } catch (error) {
    throw new UserError(
      `the runtime at unix://${path}, which has the pods, cannot be reached: ${errorMessage(error)} (if it is gone for good, remove the data folder by hand)`,
    );
  }
}

/** The mounts and files of pods. Their notes stay: they belong to the objects in the store. */
async function removeVolumes({ paths, instanceId }: DataDir): Promise<void> {
  const pods = join(paths.agent, 'pods');
  // Drivers end with the other pods. What they staged and published is unmounted here; the agent's notes of it stay.
  const ofDrivers = kubeletFolderOf({ paths, instanceId });
  for (const dir of [pods, ...(ofDrivers === undefined ? [] : mountFoldersOf(ofDrivers))]) {
    for (const mount of mountsUnder(parseMountPoints(readFileSync('/proc/self/mountinfo', 'utf8')), dir)) {
      await systemProcess.run('umount', ['-l', mount]);
    }
  }
  if (ofDrivers !== undefined && isOwnBind(readFileSync('/proc/self/mountinfo', 'utf8'), ofDrivers))
    await systemProcess.run('umount', ['-l', ofDrivers]);
  for (const uid of podFolders(paths)) await systemFileSystem.remove(join(pods, uid));
}

/**
 * The data folder and the logs of its pods. The lock goes with it: its holder releases what is left of it.
 *
 * @throws UserError when volumes cannot be removed; then all of it is still there
 */
export async function purge({ paths, instanceId }: DataDir, context: MainContext): Promise<void> {
  const left = await removeVolumesFolder({ paths, instanceId });
  if (left !== undefined) context.err(`mendlet: ${left}\n`);
  const mounted = releaseKubeletFolder({ paths, instanceId });
  if (mounted !== undefined) context.err(`mendlet: ${mounted}\n`);
  const uids = podsOf(paths);
  const logs = podLogsDir(context.user, paths.dir);
  for (const name of entries(logs)) {
    if (uids.has(uidOfLogFolder(name) ?? '') || (await ownerOf(logs, name)) === instanceId)
      await systemFileSystem.remove(join(logs, name));
  }
  const links = containerLogsDir(logs);
  for (const name of entries(links)) {
    const folder = folderOfTarget(targetOf(join(links, name)) ?? '', logs);
    if (folder !== undefined && !existsSync(join(logs, folder))) rmSync(join(links, name), { force: true });
  }
  await systemFileSystem.remove(paths.dir);
}

/** The mendlet that made a log folder; `undefined`: unknown. */
async function ownerOf(logs: string, folder: string): Promise<string | undefined> {
  try {
    const file = await systemFileSystem.openFileBelow(logs, `${folder}/${LOG_OWNER_FILE}`);
    if (file === undefined) return undefined;
    try {
      return decodeText(await file.readAt(0, MAX_OWNER_BYTES)).trim();
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

/** UIDs of the pods that ran from this folder: the agent's notes outlive the pods' own folders. */
function podsOf(paths: DataPaths): ReadonlySet<string> {
  const notes = entries(join(paths.agent, 'pods-memory')).map((name) => name.replace(/\.json$/, ''));
  return new Set([...notes, ...podFolders(paths)]);
}

function podFolders(paths: DataPaths): readonly string[] {
  return entries(join(paths.agent, 'pods'));
}

function entries(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
