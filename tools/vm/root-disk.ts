/**
 * Builds the initial state of guests, once: a disk with Debian (kept in `.cache/vm/root.img`), its kernel and the kernel's
 * initial files. It needs root and Debian's archive, and mounts and starts nothing.
 *
 *   node tools/vm/root-disk.ts
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { debianPackages, machineSource } from '../debian.ts';
import { EARLY_MODULES, FILES, finishScript, LEFT_OUT, PACKAGES, SUITE, vmCache } from './recipe.ts';

const DISK_SIZE = '6G';
const GOODS_SIZE = '64M';
const LAST_LINES = 20;
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const guestFiles = join(import.meta.dirname, 'guest');
const checkout = resolve(import.meta.dirname, '..', '..');

/** The disk that guests begin with, and what is needed to start its kernel. */
export const rootDisk = {
  disk: join(vmCache, 'root.img'),
  kernel: join(vmCache, 'vmlinuz'),
  initrd: join(vmCache, 'initrd'),
};
const stampFile = join(vmCache, 'root.stamp');

/**
 * Makes the disk when it is not there or was made by another recipe.
 *
 * @param node the program that the guest runs as /usr/bin/node
 * @throws when it cannot be made, with the last words of what failed
 */
export async function makeRootDisk(node: string, say: (text: string) => void): Promise<void> {
  const stamp = recipeDigest(node);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  say(`making a machine of Debian ${SUITE} in ${vmCache}: about two minutes, once`);
  const work = join(vmCache, 'part');
  const root = join(work, 'root');
  rmSync(work, { recursive: true, force: true });
  rmSync(stampFile, { force: true });
  mkdirSync(work, { recursive: true });
  const log = join(vmCache, 'build.log');
  rmSync(log, { force: true });
  await run('mmdebstrap', bootstrapArguments(root), log);
  writeFiles(root);
  copyFileSync(node, join(root, 'usr/bin/node'));
  copyFileSync(
    join(debianPackages('sid', ['kubectl'])['kubectl'] ?? '', 'usr/bin/kubectl'),
    join(root, 'usr/bin/kubectl'),
  );
  await run('chroot', [root, 'sh', '-c', finishScript()], log);
  const kernel = only(join(root, 'boot'), 'vmlinuz-');
  copyFileSync(join(root, 'boot', kernel), rootDisk.kernel);
  await makeInitrd(join(root, 'usr/lib/modules', kernel.replace('vmlinuz-', ''), 'kernel'), root, work, log);
  const image = join(work, 'root.img');
  await run('mke2fs', ['-q', '-t', 'ext4', '-O', 'quota,project', '-d', root, image, DISK_SIZE], log);
  renameSync(image, rootDisk.disk);
  rmSync(work, { recursive: true, force: true });
  writeFileSync(stampFile, stamp);
}

/** A disk with the program under test, as npm would install it, and `files` beside it: name → path. Made again each time. */
export async function makeGoodsDisk(files: Readonly<Record<string, string>>): Promise<string> {
  const disk = join(vmCache, 'goods.img');
  const folder = join(vmCache, 'goods');
  rmSync(folder, { recursive: true, force: true });
  rmSync(disk, { force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(checkout, 'dist'), join(folder, 'dist'), { recursive: true });
  copyFileSync(join(checkout, 'package.json'), join(folder, 'package.json'));
  for (const [name, path] of Object.entries(files)) copyFileSync(path, join(folder, name));
  await run(
    'mke2fs',
    ['-q', '-t', 'ext4', '-L', 'mendlet-goods', '-d', folder, disk, GOODS_SIZE],
    join(vmCache, 'goods.log'),
  );
  rmSync(folder, { recursive: true, force: true });
  return disk;
}

function recipeDigest(node: string): string {
  const hash = createHash('sha256');
  for (const name of ['recipe.ts', 'root-disk.ts']) hash.update(readFileSync(join(import.meta.dirname, name)));
  for (const name of readdirSync(guestFiles).toSorted()) hash.update(readFileSync(join(guestFiles, name)));
  return `${hash.update(node).digest('hex')}\n`;
}

function bootstrapArguments(root: string): readonly string[] {
  return [
    ['--quiet', '--mode=root', '--variant=minbase', '--format=directory', `--include=${PACKAGES.join(',')}`],
    ['--aptopt=Acquire::Languages "none"', ...LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`)],
    [SUITE, root, `deb [signed-by=${KEYRING}] ${machineSource()} ${SUITE} main`],
  ].flat();
}

function writeFiles(root: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const agent = join(root, 'usr/local/sbin/mendlet-agent');
  copyFileSync(join(guestFiles, 'agent.sh'), agent);
  chmodSync(agent, 0o755);
}

async function makeInitrd(modules: string, root: string, work: string, log: string): Promise<void> {
  const folder = join(work, 'initrd');
  for (const name of ['bin', 'modules', 'dev', 'root']) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync(join(root, 'usr/bin/busybox'), join(folder, 'bin/busybox'));
  copyFileSync(join(guestFiles, 'init.sh'), join(folder, 'init'));
  chmodSync(join(folder, 'init'), 0o755);
  const numbered = EARLY_MODULES.map((path, index) => ({ from: join(modules, `${path}.ko.xz`), to: `${index}.ko` }));
  const unpack = numbered.map(({ from, to }) => `xz -dc '${from}' >'${join(folder, 'modules', to)}'`);
  const pack = `cd '${folder}' && find . | '${join(root, 'usr/bin/busybox')}' cpio -o -H newc | gzip -1 >'${rootDisk.initrd}'`;
  await run('sh', ['-e', '-c', [...unpack, pack].join('\n')], log);
}

function only(folder: string, prefix: string): string {
  const [found, another] = readdirSync(folder).filter((name) => name.startsWith(prefix));
  if (found === undefined || another !== undefined) throw new Error(`${folder} has not one ${prefix}…`);
  return found;
}

/** Runs a program with its output in `log`. @throws with the last lines of it */
async function run(file: string, args: readonly string[], log: string): Promise<void> {
  const out = openSync(log, 'a');
  try {
    const code = await new Promise<number | string>((done, fail) => {
      const child = spawn(file, args, { stdio: ['ignore', out, out], env: { ...process.env, LC_ALL: 'C' } });
      child.on('error', fail);
      child.on('close', (status, signal) => done(status ?? signal ?? 1));
    });
    if (code === 0) return;
    const last = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
    throw new Error(`${file} ${args.slice(0, 2).join(' ')}: ${code}\n${last}\nThe whole log is ${log}`);
  } finally {
    closeSync(out);
  }
}

if (import.meta.main) await makeRootDisk(process.execPath, (text) => console.error(`vm: ${text}`));
