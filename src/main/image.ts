/** `mendlet image`: on the private containerd of a data folder, beside a running mendlet. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ImageOptions } from '../cli/index.ts';
import { RuntimeError } from '../cri/index.ts';
import { detectContainerd } from '../cri/containerd/detect.node.ts';
import { ImageImportError } from '../cri/containerd/image-import.node.ts';
import { type ImageStore, openImageStore } from '../cri/containerd/open-image-store.node.ts';
import { waitForKernelLock } from '../lib/kernel-lock.node.ts';
import { createLogger } from '../lib/logger.node.ts';
import { systemProcess } from '../lib/process.node.ts';
import type { MainContext } from './context.ts';
import { type DataPaths, dataPaths, defaultDataDir, runDir } from './data-dir-path.ts';
import { imageLines } from './image-table.ts';
import { readRecord } from './up-record.node.ts';
import { UserError } from './user-error.ts';

/** @throws UserError for what the user can change: no such file, no containerd that runs, an archive that is none */
export async function image(options: ImageOptions, context: MainContext): Promise<void> {
  if (context.user.uid !== 0) throw new UserError('only root can reach the private containerd: start it as root');
  const paths = dataPaths(resolve(options.dataDir ?? defaultDataDir(context.user)));
  const files = options.verb === 'import' ? options.files.map((file) => resolve(file)) : [];
  for (const file of files) if (!existsSync(file)) throw new UserError(`${file}: there is no such file or folder`);
  const store = await open(paths, context);
  try {
    if (options.verb === 'import') await importAll(store, files, context);
    else await list(store, context);
  } catch (error) {
    if (error instanceof ImageImportError) throw new UserError(error.message, { cause: error });
    if (error instanceof RuntimeError) throw new UserError(`containerd: ${error.message}`, { cause: error });
    throw error;
  } finally {
    store.close();
  }
}

async function open(paths: DataPaths, context: MainContext): Promise<ImageStore> {
  const record = existsSync(paths.instance) ? readRecord(paths) : undefined;
  if (record === undefined) throw new UserError(`no mendlet has run pods from ${paths.dir}`);
  if (record.runtime !== 'private') {
    throw new UserError(
      `the pods of ${paths.dir} run on the runtime that you gave (${record.runtime}): use its own tools, such as "ctr -n k8s.io images import"`,
    );
  }
  const run = runDir(context.user, readFileSync(paths.instance, 'utf8').trim());
  if (!existsSync(`${run}/containerd`)) {
    throw new UserError(
      `no containerd of ${paths.dir} runs: start mendlet first, or put the archive into ${paths.images}`,
    );
  }
  const install = await detectContainerd(systemProcess);
  if ('missing' in install) throw new UserError(`not installed: ${install.missing.join(', ')}`);
  const logger = createLogger({ format: 'text' });
  const shared = { process: systemProcess, logger, fileLock: waitForKernelLock };
  return openImageStore({ dataDir: paths.dir, runDir: run, install, ...shared });
}

async function importAll(store: ImageStore, files: readonly string[], { out }: MainContext): Promise<void> {
  for (const file of files) {
    const names = await store.importer.importArchives([file]);
    out(names.length === 0 ? `${file}: nothing new in it\n` : names.map((name) => `imported ${name}\n`).join(''));
  }
}

async function list({ images, importer }: ImageStore, { out }: MainContext): Promise<void> {
  const [found, kept] = [await images.list(), await importer.keptNames()];
  out(
    imageLines(found, (name) => kept.has(name))
      .map((line) => `${line}\n`)
      .join(''),
  );
}
