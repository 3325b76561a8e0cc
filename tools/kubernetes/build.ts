/**
 * Builds kube-apiserver, kube-controller-manager and kube-scheduler from Debian's source package, with Debian's Go, for tests.
 * Done once, kept in `.cache/kubernetes/VERSION/bin`. Needs root for what it installs, and no network but Debian's archive.
 *
 *   node tools/kubernetes/build.ts        prints the folder
 */
import { spawn } from 'node:child_process';
import { closeSync, copyFileSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemProcess } from '../../src/lib/process.node.ts';
import { debianSource } from '../debian.ts';
import { installMissing } from '../install-missing.ts';
import { isBuilt, kubernetesBin, kubernetesCache, PROGRAMS, SUITE, VERSION } from './programs.ts';

const REFLECT2 = 'github.com/modern-go/reflect2';
const DEBIAN_REFLECT2 = join('/usr/share/gocode/src', REFLECT2);
const NEEDS = {
  go: 'golang-go',
  make: 'make',
  rsync: 'rsync',
  [DEBIAN_REFLECT2]: 'golang-github-modern-go-reflect2-dev',
};
const LAST_LINES = 20;

/** The folder of the programs; builds them when they are not there. @throws when they cannot be built, naming the log */
export async function kubernetesPrograms(say: (text: string) => void): Promise<string> {
  if (isBuilt()) return kubernetesBin;
  mkdirSync(kubernetesCache, { recursive: true });
  const stop = new AbortController().signal;
  await installMissing(NEEDS, { process: systemProcess, say, stop, logFile: join(kubernetesCache, 'apt.log') });
  say(`fetching the source of Kubernetes ${VERSION} from Debian ${SUITE}`);
  const files = debianSource(SUITE, 'kubernetes');
  // Go's cache stays in it: an interrupted build continues where it was.
  const work = join(kubernetesCache, `${VERSION}.part`);
  const source = join(work, 'source');
  rmSync(source, { recursive: true, force: true });
  mkdirSync(source, { recursive: true });
  const log = join(kubernetesCache, 'build.log');
  rmSync(log, { force: true });
  await run('tar', ['--extract', '--strip-components=1', '--file', archiveIn(files), '--directory', source], log);
  replaceReflect2(source);
  say(`building ${PROGRAMS.join(', ')}, once: about ten minutes on two cores, gently; its log is ${log}`);
  const what = PROGRAMS.map((name) => `cmd/${name}`).join(' ');
  await run('nice', ['-n', '19', 'make', '-C', source, `WHAT=${what}`], log, environment(work));
  const bin = join(work, 'done', 'bin');
  rmSync(join(work, 'done'), { recursive: true, force: true });
  mkdirSync(bin, { recursive: true });
  for (const name of PROGRAMS) copyFileSync(join(source, '_output', 'bin', name), join(bin, name));
  renameSync(join(work, 'done'), join(kubernetesCache, VERSION));
  rmSync(work, { recursive: true, force: true });
  return kubernetesBin;
}

/** @throws when Debian's package is of another version than we know how to build */
function archiveIn(folder: string): string {
  const name = readdirSync(folder).find((file) => file.endsWith('.orig.tar.gz'));
  if (name?.includes(VERSION) !== true) {
    throw new Error(`${folder} has ${name ?? 'no .orig.tar.gz'}, not Kubernetes ${VERSION}: see tools/kubernetes`);
  }
  return join(folder, name);
}

/** The vendored one reads maps as Go laid them out before 1.18: compiled by a later Go, the API server crashes. */
function replaceReflect2(source: string): void {
  const vendored = join(source, 'vendor', REFLECT2);
  const isCode = (file: string): boolean => /\.(go|s)$/.test(file) && !file.endsWith('_test.go');
  for (const file of readdirSync(vendored).filter(isCode)) rmSync(join(vendored, file));
  for (const file of readdirSync(DEBIAN_REFLECT2).filter(isCode)) {
    copyFileSync(join(DEBIAN_REFLECT2, file), join(vendored, file));
  }
}

/** The version is passed in, for there is no git to ask; and Go fetches nothing. */
function environment(work: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    KUBE_GIT_VERSION: `v${VERSION}`,
    KUBE_GIT_COMMIT: `debian-${SUITE}`,
    KUBE_GIT_TREE_STATE: 'clean',
    GOCACHE: join(work, 'go-cache'),
    GOPATH: join(work, 'go-path'),
    GOTOOLCHAIN: 'local',
    GOPROXY: 'off',
    GOSUMDB: 'off',
  };
}

/** Runs a program with its output in `log`. @throws with the last lines of it */
async function run(file: string, args: readonly string[], log: string, env = process.env): Promise<void> {
  const out = openSync(log, 'a');
  try {
    const code = await new Promise<number | string>((done, fail) => {
      const child = spawn(file, args, { stdio: ['ignore', out, out], env });
      child.on('error', fail);
      child.on('close', (status, signal) => done(status ?? signal ?? 1));
    });
    if (code === 0) return;
    const last = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
    throw new Error(`${file} ${args.slice(0, 3).join(' ')}: ${code}\n${last}\nThe whole log is ${log}`);
  } finally {
    closeSync(out);
  }
}

if (import.meta.main) console.log(await kubernetesPrograms((text) => console.error(`kubernetes: ${text}`)));
