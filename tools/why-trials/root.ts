/** Makes the folder that the programs run on: Debian packages with all that they depend on, unpacked, and packages of npm. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { machineSource } from '../debian.ts';
import { type Contents, FIRST_DATABASES, ROOTS } from './root-contents.ts';

const cache = join(resolve(import.meta.dirname, '..', '..'), '.cache', 'why-trials');
const SUITE = 'bookworm';
/** The folder of that name; made when it is not there (root, a network, up to 3 GB). */
export function trialRoot(name: keyof typeof ROOTS): string {
  const root = join(cache, name);
  const contents: Contents = ROOTS[name];
  const note = join(root, '.complete');
  // A root that was made for other packages is made again.
  const wanted = [...contents.packages, contents.npm].join(' ');
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return root;
  const part = `${root}.part`;
  rmSync(part, { recursive: true, force: true });
  for (const folder of ['usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64'])
    mkdirSync(join(part, folder), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(part, name));
  for (const deb of download(name === 'root' ? 'apt' : `apt-${name}`, contents.packages)) {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --keep-directory-symlink', 'sh', deb, part],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`${deb} cannot be unpacked: ${stderr}`);
  }
  finish(part, contents.npm);
  writeFileSync(join(part, '.complete'), wanted);
  rmSync(root, { recursive: true, force: true });
  renameSync(part, root);
  return root;
}

function download(apt: string, packages: readonly string[]): readonly string[] {
  const folder = join(cache, apt);
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${keyring}] ${machineSource()} ${SUITE} main\n`);
  const settings = [
    `Dir::Etc::sourcelist=${folder}/sources.list`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${folder}/lists`,
    `Dir::State::status=${folder}/status`,
    `Dir::Cache=${folder}`,
    `Dir::Cache::archives=${folder}/archives`,
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
  ].flatMap((setting) => ['-o', setting]);
  must('apt-get', [...settings, 'update', '-q']);
  must('apt-get', [...settings, 'install', '-y', '-q', '--no-install-recommends', '--download-only', ...packages]);
  return readdirSync(join(folder, 'archives')).flatMap((name) =>
    name.endsWith('.deb') ? [join(folder, 'archives', name)] : [],
  );
}

/** What packages do when they are installed, as far as the trials need it: users, folders, links, first databases. */
function finish(root: string, npm: string): void {
  mkdirSync(join(root, 'opt/node'), { recursive: true });
  copyFileSync(process.execPath, join(root, 'usr/bin/node'));
  must('npm', [
    'install',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
    '--prefix',
    join(root, 'opt/node'),
    ...npm.split(' '),
  ]);
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\napp:x:1000:1000:app:/tmp:/bin/sh\npostgres:x:70:70:postgres:/var/lib/postgresql:/bin/sh\nmysql:x:71:71:mysql:/var/lib/mysql:/bin/sh\nrabbitmq:x:72:72:rabbitmq:/var/lib/rabbitmq:/bin/sh\nwww-data:x:33:33:www-data:/var/www:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n',
  );
  writeFileSync(
    join(root, 'etc/group'),
    'root:x:0:\napp:x:1000:\npostgres:x:70:\nmysql:x:71:\nrabbitmq:x:72:\nwww-data:x:33:\nnogroup:x:65534:\n',
  );
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost trial\n');
  writeFileSync(join(root, 'etc/resolv.conf'), 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
  const devices = `mkdir -p ${root}/proc; mount --bind /proc ${root}/proc; mount -t tmpfs none ${root}/dev; for d in null zero random urandom; do touch ${root}/dev/$d; mount --bind /dev/$d ${root}/dev/$d; done`;
  mkdirSync(join(root, 'dev'), { recursive: true });
  must('unshare', ['-m', 'sh', '-ec', `${devices}; exec chroot ${root} /bin/sh -ec "$0"`, FIRST_DATABASES]);
}

function must(file: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(file, args, { encoding: 'utf8', maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`${file}: ${error?.message ?? `${stdout}${stderr}`.trim().slice(-2000)}`);
}
