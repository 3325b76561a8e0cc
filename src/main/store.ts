/** `mendlet store`: on a data folder that no process has open; `check` also asks a running server. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { NAMESPACES } from '../api/index.ts';
import { exitCodes, type StoreOptions } from '../cli/index.ts';
import { createHttpConnection } from '../client/http-connection.node.ts';
import { createKubeClient, readKubeconfig } from '../client/index.ts';
import { systemClock } from '../lib/clock.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { errorMessage, formatTime } from '../lib/index.ts';
import { systemRandom } from '../lib/random.node.ts';
import { beginStore, checkStore, copyStore, putAside, repairStore, restoreStore } from '../store/log-check.node.ts';
import { StoreOpenError } from '../store/index.ts';
import type { MainContext } from './context.ts';
import { type DataDir, openExistingDataDir } from './data-dir.node.ts';
import { type DataPaths, dataPaths, defaultDataDir } from './data-dir-path.ts';
import { refusedStore, storeFile } from './store-file.node.ts';
import { UserError } from './user-error.ts';

/** @throws UserError, also for a store in which something is damaged */
export async function store(options: StoreOptions, context: MainContext): Promise<void> {
  const path = resolve(options.dataDir ?? defaultDataDir(context.user));
  const holder = { pid: context.pid, verb: `store ${options.verb}`, since: formatTime(systemClock.now().wall) };
  let dataDir: DataDir | undefined;
  try {
    dataDir = openExistingDataDir(path, { holder, random: systemRandom });
  } catch (error) {
    if (options.verb !== 'check' || !(error instanceof UserError) || error.exitCode !== exitCodes.inUse) throw error;
    return checkRunning(dataPaths(path), error, context);
  }
  if (dataDir === undefined) throw new UserError(`there is no data folder at ${path}`);
  try {
    work(options, dataDir, context);
  } catch (error) {
    if (error instanceof StoreOpenError) throw refusedStore(error, dataDir.paths);
    throw error;
  } finally {
    dataDir.release();
  }
}

function work(options: StoreOptions, { paths, instanceId }: DataDir, context: MainContext): void {
  const file = storeFile(paths);
  switch (options.verb) {
    case 'check':
      return check(file, instanceId, context);
    case 'repair': {
      const { acceptLoss, remove, revert } = options;
      const done = repairStore({ path: file, identity: instanceId, acceptLoss, remove, revert });
      context.out(
        done.length === 0 ? `${file} is sound: nothing was changed\n` : done.map((line) => `${line}\n`).join(''),
      );
      return;
    }
    case 'backup': {
      const damaged = copyStore(file, resolve(options.file), instanceId);
      context.out(`${resolve(options.file)} written\n`);
      tellDamaged(damaged);
      return;
    }
    case 'restore': {
      const { aside, damaged } = restoreStore(file, resolve(options.file), instanceId);
      context.out(`${file} restored${aside === undefined ? '' : `; what was there is in ${aside}`}\n`);
      tellDamaged(damaged);
      return;
    }
    case 'begin-anew':
      beginAnew(file, instanceId, context);
  }
}

function check(file: string, identity: string, context: MainContext): void {
  const { keys, revision, damaged, problems } = checkStore(file, identity);
  for (const problem of problems) context.out(`damaged: ${problem}\n`);
  for (const key of damaged) context.out(`damaged: ${key}\n`);
  const found = damaged.length + problems.length;
  if (found > 0)
    throw new UserError(
      `${file}: ${found} ${found === 1 ? 'thing is' : 'things are'} wrong; "mendlet store --help" says what helps`,
    );
  context.out(`${file} is sound: ${keys} objects, revision ${revision}\n`);
}

function tellDamaged(damaged: readonly string[]): void {
  if (damaged.length > 0) throw new UserError(`without what was damaged already: ${damaged.join(', ')}`);
}

/** Readable data is never given up: a user who wants that moves the file away. */
function beginAnew(file: string, identity: string, context: MainContext): void {
  let keys: number | undefined;
  try {
    const report = checkStore(file, identity);
    if (report.problems.length === 0) ({ keys } = report);
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
  }
  if (keys !== undefined && keys > 0) {
    throw new UserError(
      `${file} can be read and holds ${keys} objects: nothing was changed. Move it away yourself to begin without it`,
    );
  }
  const aside = putAside(file);
  beginStore(file, identity);
  const kept = aside === undefined ? '' : `; what was left is in ${aside}`;
  context.out(`${file} is new and empty${kept}. With the next start every pod of the old cluster ends\n`);
}

/** The running server has read it all, and says what it found in a condition. */
async function checkRunning(paths: DataPaths, inUse: UserError, context: MainContext): Promise<void> {
  if (!existsSync(paths.kubeconfig)) throw inUse;
  const access = await readKubeconfig({ path: paths.kubeconfig, fs: systemFileSystem });
  const connection = createHttpConnection({ ...access, clock: systemClock });
  let message: string | undefined;
  try {
    const client = createKubeClient(connection, { clock: systemClock, userAgent: 'mendlet-store' });
    const namespace = await client.get(NAMESPACES, undefined, 'kube-system');
    const condition = namespace.status?.conditions?.find(({ type }) => type === 'StoreDamaged');
    message = condition?.status === 'True' ? condition.message : undefined;
  } catch (error) {
    throw new UserError(`${inUse.message}; and its server does not answer: ${errorMessage(error)}`, { cause: error });
  } finally {
    connection.close();
  }
  if (message !== undefined)
    throw new UserError(`objects are damaged, ${message}; "mendlet store --help" says what helps`);
  context.out(`${storeFile(paths)} is in use, and its server has found nothing damaged\n`);
}
