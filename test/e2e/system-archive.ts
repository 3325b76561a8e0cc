/**
 * Writes images of real programs from Debian's packages, so that the tests need no registry. The packages are installed
 * nowhere. An image has the programs, exactly the libraries that they load, what else is named, and a static busybox as its
 * shell.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { busyboxImage, ociArchitecture } from '../../src/cri/containerd/built-images.ts';
import { type OciImage, ociArchive } from '../../src/cri/containerd/oci-image.ts';
import type { TarEntry } from '../../src/cri/containerd/tar.ts';
import { debianFiles, debianPackages } from '../../tools/debian.ts';
import { oldArchives } from '../../tools/old-archives.ts';

/** The suite whose packages are taken: that of the machines that the tests know. */
const SUITE = 'bookworm';

export interface SystemImage {
  /** A full reference with tag, e.g. "docker.io/library/redis:7". */
  readonly name: string;
  readonly packages: readonly string[];
  /** Programs and the plugins that they load, by their paths in the packages. Their libraries follow by themselves. */
  readonly programs: readonly string[];
  /** Path in the image → path in the packages: a file, or a folder with all that the packages have in it. */
  readonly content: Readonly<Record<string, string>>;
  /** Path → target. */
  readonly links?: Readonly<Record<string, string>>;
  /** Path → mode of empty folders. */
  readonly folders: Readonly<Record<string, number>>;
  /** Path → text of our own files. */
  readonly texts: Readonly<Record<string, string>>;
  readonly config: Pick<OciImage, 'entrypoint' | 'command' | 'env'>;
}

/**
 * The archive of an image in `folder`, which is made unless one of the same recipe, packages and maker is there.
 *
 * @throws with apt's own words when a package cannot be had, or with the name of a library that no package has
 */
export function systemArchive(image: SystemImage, folder: string): string {
  const packages = [...image.packages, 'busybox-static'];
  const roots = Object.values(debianPackages(SUITE, packages));
  const madeOf = [image, debianFiles(SUITE, packages), readFileSync(import.meta.filename, 'utf8')];
  const key = sha256(JSON.stringify(madeOf)).slice(0, 12);
  const stem = basename(image.name).replace(':', '-');
  const path = join(folder, `${stem}-${key}.tar`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const part = `${path}.${process.pid}`;
  writeFileSync(part, ociArchive(build(image, roots), sha256));
  // Another suite may make the same archive meanwhile.
  renameSync(part, path);
  removeOld(stem, folder);
  return path;
}

function removeOld(stem: string, folder: string): void {
  const found = readdirSync(folder).flatMap((name) => {
    const modifiedMs = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
    return modifiedMs === undefined ? [] : [{ name, modifiedMs }];
  });
  for (const name of oldArchives(stem, found, Date.now())) rmSync(join(folder, name), { force: true });
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** @param roots folders of the packages */
function build({ name, config, ...image }: SystemImage, roots: readonly string[]): OciImage {
  const allInPackages = (path: string): readonly string[] => {
    const found = roots.map((root) => join(root, path)).filter((each) => existsSync(each));
    if (found.length === 0) throw new Error(`no package of ${name} has ${path}`);
    return found;
  };
  const inPackages = (path: string): string => allInPackages(path)[0] ?? '';
  const busybox = inPackages('bin/busybox');
  const applets = spawnSync(busybox, ['--list'], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
  const shell = busyboxImage(name, ociArchitecture(process.arch), readFileSync(busybox), applets);
  const programs = image.programs.map((path) => ({ path, from: inPackages(path) }));
  const files: readonly TarEntry[] = [
    ...programs.map(({ path, from }) => file(path, from, 0o755)),
    ...libraries(
      programs.map(({ from }) => from),
      roots,
    ),
    ...Object.entries(image.content).flatMap(([path, from]) => allInPackages(from).flatMap((each) => tree(path, each))),
    ...Object.entries(image.links ?? {}).map(([path, target]): TarEntry => ({ type: 'symlink', path, target })),
    ...Object.entries(image.folders).map(([path, mode]): TarEntry => ({ type: 'directory', path, mode })),
    ...Object.entries(image.texts).map(
      ([path, text]): TarEntry => ({ type: 'file', path, data: new TextEncoder().encode(text), mode: 0o755 }),
    ),
  ];
  // A later entry of a path replaces the shell's own: a program of a package its applet, our users its users.
  const all = new Map([...shell.files, ...files].map((entry) => [entry.path, entry]));
  return { name, architecture: shell.architecture, files: withParents([...all.values()]), ...config };
}

/** The libraries that the dynamic loader of the packages finds for the programs, and the loader. @throws for a missing one */
function libraries(programs: readonly string[], roots: readonly string[]): readonly TarEntry[] {
  const folders = roots.flatMap((root) => libraryFolders(root));
  const loader = folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .find((path) => /\/ld-linux[^/]*\.so\.\d$/.test(path));
  if (loader === undefined) throw new Error('no package has the dynamic loader: libc6 is missing');
  const found = new Map<string, string>();
  for (const program of programs) {
    const { status, stdout, stderr } = spawnSync(loader, ['--library-path', folders.join(':'), '--list', program], {
      encoding: 'utf8',
    });
    const missing = /^\s*(\S+) => not found$/m.exec(stdout)?.[1];
    if (status !== 0 || missing !== undefined) throw new Error(`${program} needs ${missing ?? stderr.trim()}`);
    for (const [, name = '', path = ''] of stdout.matchAll(/^\s*(\S+) => (\S+) \(/gm)) found.set(basename(name), path);
  }
  const place = join('lib', basename(dirname(realpathSync(loader))));
  const interpreter = `${process.arch === 'x64' ? 'lib64' : 'lib'}/${basename(loader)}`;
  return [
    ...[...found]
      .filter(([name]) => name !== basename(loader))
      .map(([name, path]) => file(join(place, name), path, 0o644)),
    file(interpreter, loader, 0o755),
  ];
}

/** The folders of a package that have shared libraries. */
function libraryFolders(root: string): readonly string[] {
  return ['lib', 'usr/lib']
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [folder, ...readdirSync(folder).map((name) => join(folder, name))])
    .filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
}

/** Links are followed: the image has the file itself under the name by which it is asked for. */
function file(path: string, from: string, mode: number): TarEntry {
  return { type: 'file', path, data: readFileSync(from), mode };
}

function tree(path: string, from: string): readonly TarEntry[] {
  // Packages have links to files of /etc that only their installation makes.
  const found = statSync(from, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [file(path, from, 0o644)];
  return readdirSync(from).flatMap((name) => tree(join(path, name), join(from, name)));
}

/** Entries in an order in which each folder comes before its content. */
function withParents(entries: readonly TarEntry[]): readonly TarEntry[] {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries)
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent))
      if (!all.has(parent)) all.set(parent, { type: 'directory', path: parent, mode: 0o755 });
  return [...all.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
