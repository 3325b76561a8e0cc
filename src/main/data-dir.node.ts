/** Opens a data folder: makes it, checks its format, takes its lock, knows its instance. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exitCodes } from '../cli/index.ts';
import { accessProblem } from '../store/access-problem.node.ts';
import { errorMessage, type Random } from '../lib/index.ts';
import { type Holder, lockDataDir } from './data-dir-lock.node.ts';
import { dataFormat, type Format, migrate, readFormat, refuseNewer, writeFormat } from './data-dir-format.node.ts';
import { type DataPaths, dataPaths } from './data-dir-path.ts';
import { UserError } from './user-error.ts';

const INSTANCE_ID_LENGTH = 6;

export interface DataDir {
  readonly paths: DataPaths;
  /** Short, made once, names everything that this folder's mendlet makes elsewhere. */
  readonly instanceId: string;
  /** The copy of the folder from before, if it was migrated now. */
  readonly migratedFrom?: string;
  /** Gives the lock back. */
  release(): void;
}

export interface OpenOptions {
  readonly holder: Holder;
  readonly random: Random;
  /** For tests. */
  readonly format?: Format;
}

/**
 * @param path the folder, made if there is none
 * @throws UserError for a folder that is in use (exit code 3), newer, not mendlet's, or not writable
 */
export function openDataDir(path: string, options: OpenOptions): DataDir {
  try {
    return open(path, options);
  } catch (error) {
    throw refusedBySystem(error, resolve(path));
  }
}

function open(path: string, { holder, random, format = dataFormat }: OpenOptions): DataDir {
  const paths = makeFolder(resolve(path));
  const found = readFormat(paths);
  if (found === undefined) refuseForeign(paths);
  else refuseNewer(paths, found, format);
  chmodSync(paths.dir, 0o700);
  const lock = takeLock(paths, holder);
  try {
    // Read again: only from now on no other process can change it.
    const number = readFormat(paths);
    if (number === undefined) writeFormat(paths, format.current);
    else refuseNewer(paths, number, format);
    const migratedFrom = number === undefined ? undefined : migrate(paths, number, format);
    const instanceId = readOrMakeInstance(paths, random);
    return {
      paths,
      instanceId,
      ...(migratedFrom === undefined ? {} : { migratedFrom }),
      release: () => lock.release(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** What the kernel refuses does not always say where, and never what would have to be so. */
function refusedBySystem(error: unknown, dir: string): unknown {
  if (error instanceof UserError || !(error instanceof Error) || !('syscall' in error)) return error;
  const { format, instance } = dataPaths(dir);
  const denied = accessProblem([dir, format, instance]);
  const why = denied === undefined ? '' : `: ${denied}`;
  return new UserError(`cannot use the data folder ${dir}: ${errorMessage(error)}${why}`, { cause: error });
}

/** Opens a folder only if a mendlet has used it before; `undefined` when there is none. For `down`. */
export function openExistingDataDir(path: string, options: OpenOptions): DataDir | undefined {
  const dir = resolve(path);
  if (!existsSync(dir)) return undefined;
  try {
    refuseFile(dir);
    if (readFormat(dataPaths(dir)) === undefined) {
      if (readdirSync(dir).length === 0) return undefined;
      throw new UserError(`${dir} is no data folder of mendlet (it has no "format" file)`);
    }
  } catch (error) {
    throw refusedBySystem(error, dir);
  }
  return openDataDir(dir, options);
}

function makeFolder(dir: string): DataPaths {
  try {
    if (!existsSync(dir)) makeNewFolder(dir);
    refuseFile(dir);
    return dataPaths(realpathSync(dir));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot make the data folder ${dir}: ${errorMessage(error)}`, { cause: error });
  }
}

function makeNewFolder(dir: string): void {
  mkdirSync(dirname(dir), { recursive: true, mode: 0o700 });
  try {
    // Not `recursive`: in a folder in which none can be made (/proc) that never ends.
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another start has just made it; the lock decides which one may have it.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function refuseFile(dir: string): void {
  if (!statSync(dir).isDirectory()) throw new UserError(`${dir} is no folder`);
}

/** A folder with content and without a format file belongs to somebody else: its mode and contents are left alone. */
function refuseForeign(paths: DataPaths): void {
  // Entries that a user may put there before the first start, that an interrupted start leaves, and that a new disk has.
  const known = ['images', 'manifests', 'registries', 'lock', 'lock-holder', 'lost+found', 'format.new'];
  const foreign = readdirSync(paths.dir).filter((name) => !known.includes(name));
  if (foreign.length === 0) return;
  throw new UserError(
    `${paths.dir} is not empty and no data folder of mendlet (it holds "${foreign[0]}" and no "format" file): ` +
      'give an empty or a new folder',
  );
}

function takeLock(paths: DataPaths, me: Holder): { release(): void } {
  let lock: ReturnType<typeof lockDataDir>;
  try {
    lock = lockDataDir(paths, me);
  } catch (error) {
    const denied = accessProblem([paths.dir, paths.lock]);
    const why = denied === undefined ? '' : `: ${denied}`;
    throw new UserError(`cannot lock the data folder ${paths.dir}: ${errorMessage(error)}${why}`, { cause: error });
  }
  if (lock.held) return lock;
  const who =
    lock.holder === undefined
      ? 'another mendlet'
      : `"mendlet ${lock.holder.verb}", pid ${lock.holder.pid}, since ${lock.holder.since}`;
  const hint =
    me.verb === 'down' && lock.holder !== undefined && ['up', 'agent', 'server'].includes(lock.holder.verb)
      ? `: end it first (kill ${lock.holder.pid}, or Ctrl-C where it runs), then repeat "mendlet down"`
      : '; another --data-dir gives an instance of its own';
  throw new UserError(`${paths.dir} is in use by ${who}${hint}`, { exitCode: exitCodes.inUse });
}

function readOrMakeInstance(paths: DataPaths, random: Random): string {
  if (existsSync(paths.instance)) {
    const id = readFileSync(paths.instance, 'utf8').trim();
    if (!/^[a-z0-9]{4,16}$/.test(id))
      throw new UserError(`${paths.instance} holds no instance id: "${id.slice(0, 40)}"`);
    return id;
  }
  const id = random.suffix(INSTANCE_ID_LENGTH);
  writeFileSync(paths.instance, `${id}\n`, { mode: 0o600, flush: true });
  return id;
}
