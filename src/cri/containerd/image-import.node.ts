/** Brings images into containerd from files: archives given by the user, and the ones that mendlet builds. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Logger, type Process, type RunResult, visibleLine } from '../../lib/index.ts';
import type { ImageService } from '../runtime.ts';
import { busyboxImage, ociArchitecture, PAUSE_IMAGE, pauseImage, type StaticInit } from './built-images.ts';
import { CRI_NAMESPACE } from './containerd-events.ts';
import { type FileLock, fingerprint, ImportRecord } from './import-record.node.ts';
import { importedNames } from './imported-names.ts';
import { ociArchive, type OciImage } from './oci-image.ts';
import { staticBusybox, staticInitPath } from './static-init.node.ts';

/** An archive can't be imported; `message` names the file. */
export class ImageImportError extends Error {
  override readonly name = 'ImageImportError';
}

export interface ImageImporterOptions {
  /** containerd's own client; absolute path. */
  readonly ctr: string;
  readonly socket: string;
  readonly process: Process;
  readonly logger: Logger;
  readonly images: ImageService;
  /** Remembers what was imported, e.g. `DIR/containerd/imported.json`. */
  readonly recordFile: string;
  /** The lock of the record, which another process may write, too. */
  readonly fileLock: FileLock;
}

const IMPORT_TIMEOUT_MS = 600_000;
/** CRI hears of an import by an event; it is there a moment later. */
const VISIBLE_TIMEOUT_MS = 5_000;
/** Of containerd's client: some tens of MiB are usual, whatever the size of the layers. */
const MAX_CLIENT_MEMORY_KIB = 768 * 1024;
/** What is repeated of what containerd's client said. */
const MAX_SAID_CHARACTERS = 500;
/** References, digests and what ctr makes up for images without a name. */
const IMAGE_NAME = /^[\w.:@/+-]{1,512}$/;

export class ImageImporter {
  readonly #options: ImageImporterOptions;
  readonly #record: ImportRecord;
  /** Images of our own making, since the start. */
  readonly #built = new Set<string>();

  constructor(options: ImageImporterOptions) {
    this.#options = options;
    this.#record = new ImportRecord(options.recordFile, options.fileLock, options.logger);
  }

  /**
   * Imports each archive (a .tar as `docker save`, `ctr export` or skopeo write it) or folder of archives. An archive that was
   * imported before and did not change since is left out. Rejects with `ImageImportError` at the first that fails.
   */
  async importArchives(paths: readonly string[]): Promise<readonly string[]> {
    const names: string[] = [];
    for (const file of await archives(paths)) {
      const mark = await fingerprint(file);
      const known = (await this.#record.entries())[file];
      if (known?.mark === mark && (await this.#present(known.images))) continue;
      const images = await this.#import(file);
      await this.#record.add(file, { mark, images });
      this.#options.logger.info('imported images', { file, images });
      names.push(...images);
    }
    return names;
  }

  /** Names of all that was brought in from files: no registry gives it back. */
  async keptNames(): Promise<ReadonlySet<string>> {
    const imported = Object.values(await this.#record.entries()).flatMap(({ images }) => images);
    return new Set([PAUSE_IMAGE, ...this.#built, ...imported]);
  }

  /** Makes sure that the sandbox image is there. */
  async ensurePause(): Promise<void> {
    if ((await this.#options.images.status(PAUSE_IMAGE)) !== undefined) return;
    await this.build(pauseImage(ociArchitecture(process.arch), await staticInit()));
  }

  /** Makes sure of an image with a static busybox (default: the distribution's) under `name` (full reference). */
  async ensureBusybox(name: string, program?: string): Promise<void> {
    if ((await this.#options.images.status(name)) !== undefined) return;
    const path = program ?? (await staticBusybox());
    if (path === undefined)
      throw new ImageImportError('no static busybox to build an image from (Debian: busybox-static)');
    const { stdout } = await this.#options.process.run(path, ['--list']);
    const applets = stdout.split('\n').filter((name) => name !== '');
    await this.build(busyboxImage(name, ociArchitecture(process.arch), await readFile(path), applets));
  }

  /** Builds and imports an image. */
  async build(image: OciImage): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'mendlet-image-'));
    try {
      const file = join(folder, 'image.tar');
      await writeFile(file, ociArchive(image, sha256));
      await this.#import(file);
      this.#built.add(image.name);
      this.#options.logger.info('built image', { image: image.name });
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async #import(file: string): Promise<readonly string[]> {
    await refuseWithoutRoom(file, this.#options.recordFile);
    let result = await this.#anyImport(file);
    // Seen where containerd has that very blob and writes it again: it is well the next time.
    if (result.code !== 0 && isPassingTrouble(result.stderr)) result = await this.#anyImport(file);
    if (result.code !== 0) {
      const said = shownLine(lastLine(result.stderr));
      throw new ImageImportError(`image archive ${file}: ${said || `ctr ended with ${result.code}`}`);
    }
    const names = importedNames(`${result.stdout}\n${result.stderr}`);
    if (names.length === 0) throw new ImageImportError(`image archive ${file}: there is no image in it`);
    const odd = names.find((name) => !IMAGE_NAME.test(name));
    if (odd !== undefined)
      throw new ImageImportError(`image archive ${file}: "${shownLine(odd)}" is no name of an image`);
    await this.#untilVisible(file, names);
    return names;
  }

  /** 2.x's way through the transfer service does not say what it imported; 1.6 knows only the other way, without a flag for it. */
  async #anyImport(file: string): Promise<RunResult> {
    const result = await this.#ctrImport(['--local', file]);
    const isOld = result.code !== 0 && result.stderr.includes('flag provided but not defined');
    return isOld ? this.#ctrImport([file]) : result;
  }

  /** containerd's client reads an archive's index into memory, however large it is: it gets so much, and no more. */
  async #ctrImport(args: readonly string[]): Promise<RunResult> {
    const { ctr, socket, process: programs } = this.#options;
    const command = [ctr, '-a', socket, '-n', CRI_NAMESPACE, 'images', 'import', ...args];
    const limited = ['-c', 'ulimit -d "$1" || :; shift; exec "$@"', 'sh', String(MAX_CLIENT_MEMORY_KIB), ...command];
    const result = await programs.run('/bin/sh', limited, { timeoutMs: IMPORT_TIMEOUT_MS });
    if (result.code === 0 || !/out of memory|cannot allocate memory/.test(result.stderr)) return result;
    // What Go says of it are hundreds of lines.
    return { ...result, stderr: `its index or manifest is too large to be read (${MAX_CLIENT_MEMORY_KIB / 1024} MiB)` };
  }

  async #untilVisible(file: string, names: readonly string[]): Promise<void> {
    const deadline = performance.now() + VISIBLE_TIMEOUT_MS;
    while (!(await this.#present(names))) {
      if (performance.now() > deadline) {
        throw new ImageImportError(`image archive ${file}: the runtime does not show ${names.join(', ')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #present(names: readonly string[]): Promise<boolean> {
    for (const name of names) if ((await this.#options.images.status(name)) === undefined) return false;
    return names.length > 0;
  }
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Text of others as a part of a line: what is wrong stands at its end. */
function shownLine(text: string): string {
  return visibleLine(text.slice(-MAX_SAID_CHARACTERS));
}

/** Files of these paths: themselves, and the `.tar` files of folders. Rejects with `ImageImportError`. */
async function archives(paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if ((await kindOf(path)) === 'file') found.push(path);
    else found.push(...(await archivesIn(path)));
  }
  return found;
}

async function archivesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.tar')).toSorted()) {
    const path = join(folder, name);
    if ((await kindOf(path)) === 'file') found.push(path);
  }
  return found;
}

/** Rejects for anything else: containerd's client would read from a pipe or a device for as long as there is who writes. */
async function kindOf(path: string): Promise<'file' | 'folder'> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new ImageImportError(`image archive ${path}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
  });
  if (info.isFile()) return 'file';
  if (info.isDirectory()) return 'folder';
  throw new ImageImportError(`image archive ${path}: is no regular file`);
}

/** A header may claim any size, and a file with holes has it: containerd would write until the disk is full. */
async function refuseWithoutRoom(file: string, beside: string): Promise<void> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(file), statfs(dirname(beside))]);
  const free = bavail * bsize;
  if (size <= free) return;
  const mib = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
  throw new ImageImportError(`image archive ${file}: is of ${mib(size)}, and the disk has room for ${mib(free)}`);
}

async function staticInit(): Promise<StaticInit> {
  const found = await staticInitPath();
  if (found !== undefined) return { kind: found.kind, data: await readFile(found.path) };
  throw new ImageImportError('no static init to build the sandbox image from: install catatonit or busybox-static');
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}

function isPassingTrouble(output: string): boolean {
  return /short read|unexpected EOF|is locked|already being/.test(output);
}
