/** Set-up before the suites in a virtual machine: qemu, the initial disk of guests, and the program under test. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemProcess } from '../../src/lib/process.node.ts';
import { findProgram, findStaticBusybox } from '../../src/main/set-up/present.node.ts';
import { installMissing } from '../../tools/install-missing.ts';
import { vmCache } from '../../tools/vm/recipe.ts';
import { makeGoodsDisk, makeRootDisk } from '../../tools/vm/root-disk.ts';
import { writeBusyboxArchive } from '../e2e/busybox-archive.ts';
import { busyboxArchive, root } from '../e2e/harness.ts';
import { removeAbandonedGuests } from './guest.ts';

/** Program or file → its package. */
const NEEDS = {
  'qemu-system-x86_64': 'qemu-system-x86',
  'qemu-img': 'qemu-utils',
  mmdebstrap: 'mmdebstrap',
  mke2fs: 'e2fsprogs',
  xz: 'xz-utils',
  setpriv: 'util-linux',
  '/bin/busybox': 'busybox-static',
  '/usr/share/keyrings/debian-archive-keyring.gpg': 'debian-archive-keyring',
};

export default async function setUp(): Promise<void> {
  if (process.arch !== 'x64') throw new Error(`npm run e2e:vm needs an x86-64 machine; this one is ${process.arch}`);
  if (process.getuid?.() !== 0)
    throw new Error('npm run e2e:vm needs root, to lay out a disk (try: sudo npm run e2e:vm)');
  mkdirSync(vmCache, { recursive: true });
  const say = (text: string): void => console.log(`set-up: ${text}`);
  await installNeeds(say);
  removeAbandonedGuests();
  const { status, stderr } = spawnSync('./mendlet', ['version'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`./mendlet version: exit ${status}\n${stderr}`);
  if (!existsSync(busyboxArchive)) {
    const busybox = findStaticBusybox(undefined);
    if (busybox === undefined) throw new Error('no static busybox for the image of the tests: install busybox-static');
    mkdirSync(join(root, '.cache/e2e'), { recursive: true });
    writeBusyboxArchive(busyboxArchive, busybox);
  }
  await makeRootDisk(process.execPath, say);
  await makeGoodsDisk({ 'busybox.tar': busyboxArchive });
}

/** Installs missing programs. @throws one line that names them, without apt-get or if it fails */
async function installNeeds(say: (text: string) => void): Promise<void> {
  const path = process.env['PATH'];
  const isThere = (what: string): boolean =>
    what.startsWith('/') ? existsSync(what) : findProgram(what, path) !== undefined;
  const missing = Object.keys(NEEDS).filter((what) => !isThere(what));
  if (missing.length === 0) return;
  if (findProgram('apt-get', path) === undefined) {
    throw new Error(`npm run e2e:vm needs ${missing.join(', ')}, and there is no apt-get here to install them`);
  }
  const stop = new AbortController().signal;
  await installMissing(NEEDS, { process: systemProcess, say, stop, logFile: join(vmCache, 'apt.log') });
}
