/**
 * Makes sure that this machine has what a private containerd needs. A checkout installs what is missing, as root and
 * through apt-get; the installed package names the command instead, since its user did not ask for a system to be changed.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Process } from '../../lib/index.ts';
import { waitForKernelLock } from '../../lib/kernel-lock.node.ts';
import { UserError } from '../user-error.ts';
import { aptInstall, aptUnpack } from './apt.node.ts';
import { installCommand, listed, missingNeeds, type Need } from './needs.ts';
import { findPackageManager, findProgram, findStaticBusybox, lookAround } from './present.node.ts';

export interface SetUpOptions {
  readonly process: Process;
  readonly say: (text: string) => void;
  /** The checkout's folder; absent when this is an installed package. */
  readonly checkout: string | undefined;
  readonly uid: number;
  /** The environment's PATH. */
  readonly path: string | undefined;
  readonly demo: boolean;
  /** A CRI socket was given: no containerd of our own is needed. */
  readonly given: boolean;
  /** Ends it early; the result is then of no use. */
  readonly stop: AbortSignal;
}

/** Programs that set-up found or made outside of their usual places. */
export interface SetUpResult {
  /** A static busybox, if there is one: for the images of the demo. */
  readonly busybox: string | undefined;
}

/** One mendlet at a time installs packages: of two first starts one does the work and the other finds it done. */
const LOCK_FILE = '/run/mendlet-packages.lock';

/** @throws UserError with what is missing and what would help */
export async function setUpRuntime(options: SetUpOptions): Promise<SetUpResult> {
  if (options.uid !== 0) throw new UserError(notRoot(options.checkout));
  if (options.given) return { busybox: undefined };
  const cache = options.checkout === undefined ? undefined : join(options.checkout, '.cache/set-up');
  const unpacked = cache === undefined ? undefined : join(cache, 'busybox-static');
  const look = async () => missingNeeds(await lookAround(options.process, unpacked), options);
  const missing = await look();
  const isOptional = missing.every(({ serves }) => serves !== undefined);
  if (missing.length > 0 && isOptional) await installIfPossible(missing, look, options);
  if (missing.length > 0 && !isOptional) {
    const what = notInstalled(missing);
    const manager = findPackageManager(options.path);
    const command = installCommand(missing, manager);
    if (command === undefined) throw new UserError(`${what}; install with your system's package manager`);
    if (cache === undefined || unpacked === undefined || manager !== 'apt-get') {
      throw new UserError(`${what}; to install: ${command}`);
    }
    options.say(what);
    await installAlone(look, { cache, unpacked }, options);
    const still = options.stop.aborted ? [] : await look();
    if (still.length > 0) throw new UserError(`after ${command}: ${notInstalled(still)}`);
  }
  return { busybox: findStaticBusybox(unpacked) };
}

/** Pods run without it: a machine that had none of it yesterday must start today, too. */
async function installIfPossible(
  missing: readonly Need[],
  look: () => Promise<readonly Need[]>,
  options: SetUpOptions,
): Promise<void> {
  const { checkout, say, path } = options;
  const manager = findPackageManager(path);
  const command = installCommand(missing, manager) ?? "your system's package manager";
  const what = `${notInstalled(missing)}, and with it ${listed(missing.flatMap(({ serves }) => serves ?? []))}`;
  if (checkout === undefined || manager !== 'apt-get') {
    say(`${what}; to install: ${command}`);
    return;
  }
  const cache = join(checkout, '.cache/set-up');
  try {
    await installAlone(look, { cache, unpacked: join(cache, 'busybox-static') }, options);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    say(`${what}: ${error.message}`);
  }
}

function notInstalled(needs: readonly Need[]): string {
  return `${listed(needs.map((need) => need.what))} ${needs.length === 1 ? 'is' : 'are'} not installed`;
}

/** In the checkout's cache: for logs, and for packages that are not installed. */
interface CacheFolders {
  readonly cache: string;
  readonly unpacked: string;
}

/** @param look repeated when the lock is held: its earlier holder may have installed everything */
async function installAlone(
  look: () => Promise<readonly Need[]>,
  folders: CacheFolders,
  options: SetUpOptions,
): Promise<void> {
  const onWait = (): void => options.say('another start is installing packages; waiting for it');
  const lock = await waitForKernelLock(LOCK_FILE, { stop: options.stop, onWait });
  if (lock === undefined) return;
  try {
    const missing = await look();
    if (missing.length > 0) await install(missing, folders, options);
  } finally {
    lock.release();
  }
}

/** Debian's busybox and busybox-static exclude each other: where the first is installed, the second is only unpacked. */
async function install(
  missing: readonly Need[],
  { cache, unpacked }: CacheFolders,
  options: SetUpOptions,
): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const { process, say, stop } = options;
  const context = { process, say, stop, logFile: join(cache, 'apt.log') };
  const names = missing.map((need) => need.packages['apt-get']);
  const unpack = names.includes('busybox-static') && findProgram('busybox', options.path) !== undefined;
  const installed = unpack ? names.filter((name) => name !== 'busybox-static') : names;
  if (installed.length > 0) await aptInstall(installed, context);
  if (!unpack || stop.aborted) return;
  say('fetching busybox-static (not installed, because busybox is)');
  await aptUnpack('busybox-static', unpacked, context);
}

function notRoot(checkout: string | undefined): string {
  const again = checkout === undefined ? 'sudo mendlet up' : 'sudo ./mendlet up';
  return (
    `containers, their cgroups and networks take root: start it as root (${again}); a runtime of plain processes, ` +
    'without root, is to come'
  );
}
