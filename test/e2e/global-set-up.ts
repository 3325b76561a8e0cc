/** Once before the end-to-end suites: the bundle as users run it, and everything the tests need of Debian. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { debianPackages } from '../../tools/debian.ts';
import { writeBusyboxArchive } from './busybox-archive.ts';
import { busyboxArchive, root } from './harness.ts';

/** Program → the package that has it. `mendlet up` itself installs what it needs; these are the tests' own. */
const programs = { 'docker-registry': 'docker-registry', skopeo: 'skopeo', perl: 'perl', pgrep: 'procps' };

export default function setUp(): void {
  must('./mendlet', ['version']);
  const missing = Object.entries(programs)
    .filter(([program]) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
    .map(([, name]) => name);
  if (missing.length > 0) {
    must('apt-get', ['update', '-q']);
    // Services of these packages stay off: the tests start their own on loopback.
    must('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing], {
      RUNLEVEL: '1',
      DEBIAN_FRONTEND: 'noninteractive',
    });
  }
  debianPackages('sid', ['kubectl', 'containerd']);
  debianPackages('bookworm', ['kubernetes-client']);
  mkdirSync(join(root, '.cache/e2e'), { recursive: true });
  if (!existsSync(busyboxArchive)) writeBusyboxArchive(busyboxArchive);
}

function must(file: string, args: readonly string[], env: Record<string, string> = {}): void {
  const { status, stdout, stderr } = spawnSync(file, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: exit ${status}\n${stdout}${stderr}`);
}
