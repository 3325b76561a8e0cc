/** The images of a private containerd that runs, for a program that is not its keeper. */
import { dirname } from 'node:path';
import type { Logger, Process } from '../../lib/index.ts';
import type { ImageService } from '../runtime.ts';
import { containerdPaths } from './containerd-config.ts';
import { CriImages } from './cri-images.node.ts';
import type { ContainerdInstall } from './detect.node.ts';
import { openGrpcSocket } from './grpc.node.ts';
import { ImageImporter } from './image-import.node.ts';
import type { FileLock } from './import-record.node.ts';
import { keepImages } from './kept-images.ts';

export interface ImageStoreOptions {
  /** mendlet's data folder, absolute. */
  readonly dataDir: string;
  /** `/run/mendlet/ID`. */
  readonly runDir: string;
  readonly install: ContainerdInstall;
  readonly process: Process;
  readonly logger: Logger;
  readonly fileLock: FileLock;
}

export interface ImageStore {
  /** Those from archives count as pinned. */
  readonly images: ImageService;
  readonly importer: ImageImporter;
  close(): void;
}

/** Opens nothing yet: the first call connects, and rejects with `RuntimeError` when nothing answers. */
export function openImageStore({ dataDir, runDir, install, ...shared }: ImageStoreOptions): ImageStore {
  const { socket, configFile } = containerdPaths(dataDir, runDir);
  const grpc = openGrpcSocket(socket);
  const plain = new CriImages(grpc);
  const recordFile = `${dirname(configFile)}/imported.json`;
  const importer = new ImageImporter({ ...shared, ctr: install.ctr, socket, images: plain, recordFile });
  return { images: keepImages(plain, () => importer.keptNames()), importer, close: () => grpc.close() };
}
