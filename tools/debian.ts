/**
 * Packages of another Debian suite for tests and generators, beside the system's: found through an apt configuration of its
 * own made from the machine's own source, unpacked into `.cache/debian/SUITE/PACKAGE`, installed nowhere.
 *
 *   node tools/debian.ts sid containerd kubectl        prints the folders
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorMessage } from '../src/lib/index.ts';

const cache = join(resolve(import.meta.dirname, '..'), '.cache', 'debian');

/**
 * Unpacks the newest `packages` of `suite` (no dependencies) and returns the folder of each. A folder that is there is used
 * again. Throws with apt's own words when a package can't be had.
 */
export function debianPackages(suite: string, packages: readonly string[]): Record<string, string> {
  const base = join(cache, suite);
  const missing = packages.filter((name) => !existsSync(join(base, name, '.complete')));
  if (missing.length > 0) {
    const apt = aptOptions(suite, join(base, '.apt'));
    const note = join(base, '.apt', 'updated');
    withList({
      hasList: existsSync(note),
      refresh: () => {
        run('apt-get', [...apt, 'update', '-q']);
        writeFileSync(note, '');
      },
      attempt: () => unpack(apt, base, missing),
    });
  }
  return Object.fromEntries(packages.map((name) => [name, join(base, name)]));
}

/** The names of the packages' files, which tell their versions. The packages must have been unpacked. */
export function debianFiles(suite: string, packages: readonly string[]): readonly string[] {
  return packages.map((name) => readFileSync(join(cache, suite, name, '.complete'), 'utf8').trim());
}

export interface ListedDownload {
  /** A package list is there, of whatever age. */
  readonly hasList: boolean;
  readonly refresh: () => void;
  /** Downloads by the list that is there. */
  readonly attempt: () => void;
}

/**
 * Downloads by the package list that is there, and once more by a new one when that fails: an archive keeps the newest version of
 * a package alone, so a list of some weeks ago names files that are gone. Throws what the last attempt threw.
 */
export function withList({ hasList, refresh, attempt }: ListedDownload): void {
  if (!hasList) {
    refresh();
    attempt();
    return;
  }
  try {
    attempt();
  } catch (error) {
    try {
      refresh();
    } catch (refused) {
      throw new Error(`${errorMessage(error)}\nno newer package list: ${errorMessage(refused)}`, { cause: refused });
    }
    attempt();
  }
}

/**
 * Fetches the files of a source package of `suite` into `.cache/debian/SUITE/source/PACKAGE` (apt has checked them) and returns
 * that folder. One that is there is used again. Throws with apt's own words when it can't be had.
 */
export function debianSource(suite: string, name: string): string {
  const base = join(cache, suite, 'source');
  const folder = join(base, name);
  if (existsSync(folder)) return folder;
  // A package's newest source may be gone from the archive: the list is as young as the fetch.
  const apt = aptOptions(suite, join(base, '.apt'), 'deb-src');
  run('apt-get', [...apt, 'update', '-q']);
  const part = join(base, `.${name}.${process.pid}`);
  mkdirSync(part, { recursive: true });
  run('apt-get', [...apt, 'source', '--download-only', '-q', name], part);
  renameSync(part, folder);
  return folder;
}

/** One download of all, because each start of apt reads the lists of the whole archive. */
function unpack(apt: readonly string[], base: string, names: readonly string[]): void {
  const work = join(base, `.packages.${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    run('apt-get', [...apt, 'download', '-q', ...names], work);
    const files = readdirSync(work);
    for (const name of names) {
      const deb = files.find((file) => file.startsWith(`${name}_`));
      if (deb === undefined) throw new Error(`apt-get download ${name} left no .deb`);
      const root = join(work, name);
      mkdirSync(root);
      run('dpkg-deb', ['-x', join(work, deb), root]);
      writeFileSync(join(root, '.complete'), `${deb}\n`);
      rmSync(join(base, name), { recursive: true, force: true });
      renameSync(root, join(base, name));
    }
  } finally {
    // What a failed attempt has left may be of other versions than what the next one fetches.
    rmSync(work, { recursive: true, force: true });
  }
}

/** An apt that knows one suite only, from the machine's first Debian source. */
function aptOptions(suite: string, folder: string, type: 'deb' | 'deb-src' = 'deb'): readonly string[] {
  mkdirSync(join(folder, 'lists', 'partial'), { recursive: true });
  mkdirSync(join(folder, 'archives', 'partial'), { recursive: true });
  const list = join(folder, 'sources.list');
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(list, `${type} [signed-by=${keyring}] ${machineSource()} ${suite} main\n`);
  if (!existsSync(join(folder, 'status'))) writeFileSync(join(folder, 'status'), '');
  return [
    '-o',
    `Dir::Etc::sourcelist=${list}`,
    '-o',
    'Dir::Etc::sourceparts=-',
    '-o',
    `Dir::State::lists=${join(folder, 'lists')}`,
    '-o',
    `Dir::State::status=${join(folder, 'status')}`,
    '-o',
    `Dir::Cache=${folder}`,
    '-o',
    `Dir::Cache::archives=${join(folder, 'archives')}`,
    '-o',
    'APT::Sandbox::User=root',
    '-o',
    'Acquire::Languages=none',
  ];
}

/** The base URI of the machine's own Debian archive (not its security one), from either source format. */
export function machineSource(): string {
  const files = ['/etc/apt/sources.list', ...list('/etc/apt/sources.list.d')];
  for (const file of files.filter((path) => existsSync(path))) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const uri = /^deb\s+(?:\[[^\]]*\]\s+)?(\S+)/.exec(line)?.[1] ?? /^URIs:\s*(\S+)/.exec(line)?.[1];
      if (uri !== undefined && !uri.includes('security')) return uri;
    }
  }
  throw new Error('no Debian source in /etc/apt: cannot tell where packages come from');
}

function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function run(file: string, args: readonly string[], cwd?: string): void {
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${file} ${args.slice(-2).join(' ')}: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
}

if (import.meta.main) {
  const [suite, ...packages] = process.argv.slice(2);
  if (suite === undefined || packages.length === 0) {
    console.error('usage: node tools/debian.ts SUITE PACKAGE…');
    process.exit(2);
  }
  for (const folder of Object.values(debianPackages(suite, packages))) console.log(folder);
}
