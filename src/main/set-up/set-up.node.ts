/**
 * Makes sure that this machine has what a private containerd needs. A checkout installs what is missing, as root and
 * through apt-get; the installed package names the command instead, since its user did not ask for a system to be changed.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Process } from '../../lib/index.ts';
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
}

/** What set-up found or made beyond programs in their usual places. */
export interface SetUpResult {
  /** A static busybox, if there is one: for the images of the demo. */
  readonly busybox: string | undefined;
}

/** @throws UserError with what is missing and what would help */
export async function setUpRuntime(options: SetUpOptions): Promise<SetUpResult> {
  if (options.uid !== 0) throw new UserError(notRoot(options.checkout));
  if (options.given) return { busybox: undefined };
  const cache = options.checkout === undefined ? undefined : join(options.checkout, '.cache/set-up');
  const unpacked = cache === undefined ? undefined : join(cache, 'busybox-static');
  const look = async () => missingNeeds(await lookAround(options.process, unpacked), options);
  const missing = await look();
  if (missing.length > 0) {
    const manager = findPackageManager(options.path);
    const command = installCommand(missing, manager);
    const what = `${listed(missing.map((need) => need.what))} ${missing.length === 1 ? 'is' : 'are'} not installed`;
    if (command === undefined) throw new UserError(`${what}; install it with your system's package manager`);
    if (cache === undefined || unpacked === undefined || manager !== 'apt-get') {
      throw new UserError(`${what}; this installs it: ${command}`);
    }
    options.say(what);
    await install(missing, { ...options, cache, unpacked });
    const still = await look();
    if (still.length > 0)
      throw new UserError(`${listed(still.map((need) => need.what))} is still missing after ${command}`);
  }
  return { busybox: findStaticBusybox(unpacked) };
}

/** Debian's busybox and busybox-static exclude each other: where the first is installed, the second is only unpacked. */
async function install(
  missing: readonly Need[],
  { cache, unpacked, ...options }: SetUpOptions & { readonly cache: string; readonly unpacked: string },
): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const context = { process: options.process, say: options.say, logFile: join(cache, 'apt.log') };
  const names = missing.map((need) => need.packages['apt-get']);
  const unpack = names.includes('busybox-static') && findProgram('busybox', options.path) !== undefined;
  const installed = unpack ? names.filter((name) => name !== 'busybox-static') : names;
  if (installed.length > 0) await aptInstall(installed, context);
  if (!unpack) return;
  options.say('fetching busybox-static (not installed, because busybox is)');
  await aptUnpack('busybox-static', unpacked, context);
}

function notRoot(checkout: string | undefined): string {
  const again = checkout === undefined ? 'sudo mendlet up' : 'sudo ./mendlet up';
  return (
    `containers, their cgroups and networks take root: start it as root (${again}); a runtime of plain processes, ` +
    'without root, is to come'
  );
}

/** The checkout that this program runs from, `undefined` for an installed package, which has no sources. */
export function findCheckout(programFolder: string): string | undefined {
  for (const folder of [join(programFolder, '..'), join(programFolder, '../..')]) {
    if (existsSync(join(folder, 'mendlet')) && existsSync(join(folder, 'src/main/main.ts'))) return folder;
  }
  return undefined;
}
