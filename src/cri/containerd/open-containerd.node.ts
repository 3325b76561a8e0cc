/** Composes a runtime for `main`: on mendlet's own containerd, or on a given CRI socket. The pods' network exists by then. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import { errorMessage, type Logger, type Process } from '../../lib/index.ts';
import { RuntimeService as CriService } from '../gen/runtime_pb.js';
import { type Container, type ImageService, RuntimeError, type RuntimeService, type StringMap } from '../runtime.ts';
import { PAUSE_IMAGE } from './built-images.ts';
import { keepImages } from './kept-images.ts';
import { endContainerd } from './clean-up.node.ts';
import { type ContainerdPaths, containerdConfig, containerdPaths } from './containerd-config.ts';
import { CriImages } from './cri-images.node.ts';
import { CriRuntime } from './cri-runtime.node.ts';
import { type ContainerdInstall, lacksSysResource, snapshotterFor } from './detect.node.ts';
import { type GrpcSocket, openGrpcSocket } from './grpc.node.ts';
import { ImageImporter } from './image-import.node.ts';
import type { FileLock } from './import-record.node.ts';
import { endLostShims } from './lost-shims.node.ts';
import { ContainerdError, ContainerdSupervisor } from './supervisor.node.ts';

/** The folders and limits of one instance. */
export interface ContainerdOptions {
  /** mendlet's data folder, absolute. */
  readonly dataDir: string;
  /** `/run/mendlet/ID`. */
  readonly runDir: string;
  readonly process: Process;
  readonly logger: Logger;
}

export interface OpenContainerdOptions extends ContainerdOptions {
  /** From `detectContainerd`: main shows what is missing before it comes here. */
  readonly install: ContainerdInstall;
  /** As the kubelet's `Cgroups` port says. */
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  /** Archives and folders of them; `DIR/images` is always one. */
  readonly imageArchives: readonly string[];
  readonly fileLock: FileLock;
}

export interface OpenedRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly socket: string;
  /** Ends supervision and connection; the runtime itself goes on. Idempotent. */
  close(): Promise<void>;
}

export interface OpenedContainerd extends OpenedRuntime {
  readonly importer: ImageImporter;
  /** 'adopted': containers of an earlier mendlet may be running. */
  readonly how: 'adopted' | 'started';
  readonly install: ContainerdInstall;
  readonly paths: ContainerdPaths;
  containerdPid(): number | undefined;
}

/**
 * Brings the private containerd up (adopting a running one), makes sure of the sandbox image, imports archives, and supervises
 * until `signal` is aborted; containerd itself stays. Rejects with `ContainerdError` or `ImageImportError`, each for the user to read.
 */
export async function openContainerd(options: OpenContainerdOptions, signal: AbortSignal): Promise<OpenedContainerd> {
  const { dataDir, runDir, process, logger, install } = options;
  const paths = containerdPaths(dataDir, runDir);
  await mkdir(runDir, { recursive: true, mode: 0o711 });
  const grpc = openGrpcSocket(paths.socket);
  const ending = new AbortController();
  try {
    const runtime = new CriRuntime(grpc, { folder: execFolder(runDir), process, logger });
    const supervisor = new ContainerdSupervisor({
      paths,
      binary: install.containerd,
      config: await configuration(options, paths),
      logger,
      healthy: async () => {
        const { runtimeReady, runtimeMessage } = await runtime.status({ timeoutMs: HEALTH_CALL_TIMEOUT_MS });
        if (!runtimeReady) throw new ContainerdError(runtimeMessage);
      },
    });
    const how = await supervisor.start();
    const plainImages = new CriImages(grpc);
    const importer = imageImporter(options, paths, plainImages);
    const images = keepImages(plainImages, () => importer.keptNames());
    const until = AbortSignal.any([signal, ending.signal]);
    const supervision = Promise.all([
      supervisor.supervise(until),
      endLostShims({ socket: paths.socket, runtime, containerdPid: () => supervisor.pid, logger }, until),
    ]);
    await importer.ensurePause();
    const own = join(dataDir, 'images');
    await importer.importArchives([...((await exists(own)) ? [own] : []), ...options.imageArchives]);
    const close = async (): Promise<void> => {
      ending.abort();
      await supervision;
      grpc.close();
    };
    const containerdPid = (): number | undefined => supervisor.pid;
    return { runtime, images, socket: paths.socket, importer, how, install, paths, containerdPid, close };
  } catch (error) {
    ending.abort();
    grpc.close();
    throw error;
  }
}

const HEALTH_CALL_TIMEOUT_MS = 5_000;

/**
 * Ends and removes all that `openContainerd` made: sandboxes (their containers get the grace that `graceOf` says), containerd, shims,
 * mounts. Images and configuration stay in the data folder. Needs no containerd to be running.
 */
export async function downContainerd(options: ContainerdOptions & { readonly graceOf: GraceOf }): Promise<void> {
  const { dataDir, runDir, process, logger } = options;
  const paths = containerdPaths(dataDir, runDir);
  const grpc = openGrpcSocket(paths.socket);
  try {
    await removeSandboxes(new CriRuntime(grpc), options.graceOf, logger);
  } catch (error) {
    logger.debug('containerd is not there to remove its sandboxes', { error: errorMessage(error) });
  } finally {
    grpc.close();
  }
  await endContainerd(paths, process, logger);
}

/** How many seconds a container gets between SIGTERM and SIGKILL. */
export type GraceOf = (container: Container) => number;

/**
 * Stops containers with their grace, then stops and removes their sandboxes. On a private containerd all are ours; on a shared
 * one `labels` (of sandboxes and containers) say which.
 */
export async function removeSandboxes(
  runtime: RuntimeService,
  graceOf: GraceOf,
  logger: Logger,
  labels: StringMap = {},
): Promise<number> {
  const sandboxes = await runtime.listSandboxes({ labels });
  const containers = await runtime.listContainers({ labels });
  await eachOf(
    containers.filter(({ state }) => state === 'running'),
    (container) => runtime.stopContainer(container.id, graceOf(container)),
    logger,
  );
  await eachOf(sandboxes, ({ id }) => runtime.stopSandbox(id).then(() => runtime.removeSandbox(id)), logger);
  return sandboxes.length;
}

const MAX_PARALLEL_REMOVALS = 16;
/** A container that is just being started can't be removed before it has. */
const REMOVAL_TRIES = 10;
const REMOVAL_RETRY_MS = 200;

async function eachOf<T extends { readonly id: string }>(
  items: readonly T[],
  run: (item: T) => Promise<void>,
  logger: Logger,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) {
      await withRetries(() => run(item)).catch((error: unknown) => {
        logger.warn('not removed', { id: item.id, error: errorMessage(error) });
      });
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL_REMOVALS }, worker));
}

async function withRetries(run: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (tries === REMOVAL_TRIES || (error instanceof RuntimeError && error.code === 'Unavailable')) throw error;
      await sleep(REMOVAL_RETRY_MS);
    }
  }
}

/**
 * A runtime behind any CRI socket (`path`: absolute, without unix://). Nothing is supervised. Rejects with `RuntimeError`
 * when nothing answers there. `own`: runs commands in containers.
 */
export async function openCriSocket(
  path: string,
  logger: Logger,
  own?: Pick<ContainerdOptions, 'runDir' | 'process'>,
): Promise<OpenedRuntime> {
  const grpc = openGrpcSocket(path);
  const runtime = new CriRuntime(grpc, own && { folder: execFolder(own.runDir), process: own.process, logger });
  try {
    await runtime.version({ timeoutMs: HEALTH_CALL_TIMEOUT_MS });
    await warnOfOomScore(grpc, path, logger);
  } catch (error) {
    grpc.close();
    throw error;
  }
  return { runtime, images: new CriImages(grpc), socket: path, close: async () => grpc.close() };
}

/** A containerd without CAP_SYS_RESOURCE and `restrict_oom_score_adj` fails every sandbox with an incomprehensible message. */
async function warnOfOomScore(grpc: GrpcSocket, path: string, logger: Logger): Promise<void> {
  if (!(await lacksSysResource())) return;
  const cri = createClient(CriService, grpc.transport);
  const { info } = await grpc.call((call) => cri.status({ verbose: true }, call), {
    timeoutMs: HEALTH_CALL_TIMEOUT_MS,
  });
  if (!/"restrictOOMScoreAdj":\s*false/i.test(info['config'] ?? '')) return;
  logger.warn('every pod will fail: set restrict_oom_score_adj = true in the CRI section of this containerd', {
    socket: path,
    because: 'this machine gives no CAP_SYS_RESOURCE',
  });
}

async function configuration(options: OpenContainerdOptions, paths: ContainerdPaths): Promise<string> {
  const { install, cgroupDriver, dataDir } = options;
  const traits = {
    version: install.version,
    ociRuntime: install.ociRuntime,
    cgroupDriver,
    restrictOomScoreAdj: await lacksSysResource(),
    cniBinDirs: [install.cniBinDir],
    snapshotter: await snapshotterFor(dataDir),
  };
  return containerdConfig(paths, traits, PAUSE_IMAGE);
}

function imageImporter(options: OpenContainerdOptions, paths: ContainerdPaths, images: ImageService): ImageImporter {
  const { install, process, logger, fileLock } = options;
  const recordFile = join(dirname(paths.configFile), 'imported.json');
  return new ImageImporter({ ctr: install.ctr, socket: paths.socket, process, logger, images, recordFile, fileLock });
}

/** The pipes of commands in containers. */
function execFolder(runDir: string): string {
  return join(runDir, 'exec');
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

export { containerdPaths } from './containerd-config.ts';
export { detectContainerd } from './detect.node.ts';
