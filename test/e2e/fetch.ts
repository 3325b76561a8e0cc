/**
 * Fetches and makes what the end-to-end suites need, unless it is there: the bundle as users run it, programs of the system, and
 * packages of Debian. `npm test` begins with it beside its other steps, because it mostly waits for downloads:
 *
 *   node test/e2e/fetch.ts
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemProcess } from '../../src/lib/process.node.ts';
import { setUpRuntime } from '../../src/main/set-up/set-up.node.ts';
import { debianPackages } from '../../tools/debian.ts';
import { installMissing } from '../../tools/install-missing.ts';
import { writeBusyboxArchive } from './busybox-archive.ts';
import { postgresArchive, redisArchive } from './database-images.ts';
import { busyboxArchive, muslLookup, root } from './harness.ts';

/** Program → its package, for programs that only the tests need; `mendlet up` installs its own. */
const programs = {
  'docker-registry': 'docker-registry',
  skopeo: 'skopeo',
  perl: 'perl',
  pgrep: 'procps',
  'musl-gcc': 'musl-tools',
};

/** @throws with the words of npm or apt when something cannot be had */
export async function fetchNeeds(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('the end-to-end tests need root: containers, mounts, network');
  must('./mendlet', ['version']);
  const shared = {
    process: systemProcess,
    say: (text: string) => console.log(`set-up: ${text}`),
    stop: new AbortController().signal,
  };
  const { busybox } = await setUpRuntime({
    ...shared,
    checkout: root,
    uid: 0,
    path: process.env['PATH'],
    demo: true,
    given: false,
  });
  mkdirSync(join(root, '.cache/e2e'), { recursive: true });
  await installMissing(programs, { ...shared, logFile: join(root, '.cache/e2e/apt.log') });
  debianPackages('sid', ['kubectl', 'containerd']);
  debianPackages('bookworm', ['kubernetes-client']);
  if (busybox === undefined) throw new Error('set-up brought no static busybox');
  if (!existsSync(busyboxArchive)) writeBusyboxArchive(busyboxArchive, busybox);
  must('musl-gcc', ['-static', '-Os', '-o', muslLookup, 'test/e2e/lookup.c']);
}

function must(file: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: exit ${status}\n${stdout}${stderr}`);
}

if (import.meta.main) {
  await fetchNeeds();
  // The suite of databases makes these by itself if they are missing.
  postgresArchive();
  redisArchive();
}
