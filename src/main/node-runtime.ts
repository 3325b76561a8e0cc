/** The container runtime of `up`: mendlet's own containerd, or a CRI socket that is there. */
import { rm } from 'node:fs/promises';
import type { RuntimeChoice } from '../cli/index.ts';
import type { ImageService, RuntimeService } from '../cri/index.ts';
import type { ImageImporter } from '../cri/containerd/image-import.node.ts';
import { ImageImportError } from '../cri/containerd/image-import.node.ts';
import {
  containerdPaths,
  detectContainerd,
  downContainerd,
  openContainerd,
  openCriSocket,
} from '../cri/containerd/open-containerd.node.ts';
import { ContainerdError } from '../cri/containerd/supervisor.node.ts';
import type { Cgroups } from '../kubelet/index.ts';
import {
  type CniFolders,
  NetworkError,
  type NetworkPlace,
  podNetworkOf,
  podTableName,
  removeNetwork,
  setUpNetwork,
} from '../network/index.ts';
import { openNetworkMachine } from '../network/network-machine.node.ts';
import { openRouterMachine } from '../network/router/router-machine.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { errorMessage, type Logger, silentLogger } from '../lib/index.ts';
import { waitForKernelLock } from '../lib/kernel-lock.node.ts';
import { systemProcess } from '../lib/process.node.ts';
import type { Background } from './background.ts';
import { UserError } from './user-error.ts';

/** The folders of one instance, and its name. */
export interface RuntimePlace {
  readonly dataDir: string;
  readonly runDir: string;
  readonly instanceId: string;
}

/** The network of the pods, where it is ours. */
export interface RuntimeNetwork {
  readonly podCidr: string;
  /** The port of an API server on this machine, which pods reach on the bridge's address. */
  readonly apiServerPort?: number;
  /** @returns why the table of the pods' network cannot be; undefined: it is there */
  readonly openTable: () => Promise<string | undefined>;
}

export interface RuntimeOptions {
  readonly choice: RuntimeChoice;
  readonly place: RuntimePlace;
  readonly network: RuntimeNetwork;
  readonly cgroups: Cgroups;
  readonly imageArchives: readonly string[];
  readonly logger: Logger;
  readonly background: Background;
}

export interface NodeRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** "containerd 1.6.20" */
  readonly name: string;
  /** With a private containerd: the bridge's address, and a way to bring images in. */
  readonly own?: {
    readonly gateway: string;
    /** Why host ports and masquerade are rules of iptables; undefined: they are in our table. */
    readonly whyNoTable: string | undefined;
    readonly importer: ImageImporter;
    readonly how: 'adopted' | 'started';
    /** containerd's process; it changes when containerd is started again. */
    readonly pid: () => number | undefined;
  };
}

const NETWORK_LOCK = '/run/mendlet-network.lock';

/** Opens the runtime; `stack` is given what ends our side of it. @throws UserError */
export async function openRuntime(options: RuntimeOptions, stack: AsyncDisposableStack): Promise<NodeRuntime> {
  const { choice } = options;
  return choice.kind === 'socket' ? openGivenSocket(choice.path, options, stack) : openPrivate(options, stack);
}

/**
 * Asks the runtime at the socket for its version, before anything is started.
 * @throws UserError when it does not answer
 */
export async function refuseSilentRuntime(path: string): Promise<void> {
  // Its warnings are printed when it is opened for use.
  const opened = await openSocket(path, silentLogger);
  await opened.close();
}

async function openSocket(...parameters: Parameters<typeof openCriSocket>): ReturnType<typeof openCriSocket> {
  const [path] = parameters;
  try {
    return await openCriSocket(...parameters);
  } catch (error) {
    throw new UserError(`no container runtime answers at unix://${path}: ${errorMessage(error)}`, { cause: error });
  }
}

async function openGivenSocket(
  path: string,
  options: RuntimeOptions,
  stack: AsyncDisposableStack,
): Promise<NodeRuntime> {
  if (options.imageArchives.length > 0) {
    throw new UserError(
      '--image-archive goes with the private containerd; import images into the runtime that you gave',
    );
  }
  const opened = await openSocket(path, options.logger, { runDir: options.place.runDir, process: systemProcess });
  stack.defer(async () => {
    await options.background.end();
    await opened.close();
  });
  return { runtime: opened.runtime, images: opened.images, name: await nameOf(opened.runtime) };
}

async function openPrivate(options: RuntimeOptions, stack: AsyncDisposableStack): Promise<NodeRuntime> {
  const install = await detectContainerd(systemProcess);
  if ('missing' in install) throw new UserError(`not installed: ${install.missing.join(', ')}`);
  const { place, cgroups, imageArchives, logger, background } = options;
  const { podCidr, apiServerPort, openTable } = options.network;
  try {
    const network = podNetworkOf(place.instanceId, podCidr);
    const lock = () => waitForKernelLock(NETWORK_LOCK);
    const wish = { ...cniFolders(place), apiServerPort, lock, openTable };
    const whyNoTable = await setUpNetwork(networkPlace(), network, wish);
    const opened = await openContainerd(
      {
        ...place,
        process: systemProcess,
        logger,
        install,
        cgroupDriver: cgroups.driver,
        imageArchives,
        fileLock: waitForKernelLock,
      },
      background.signal,
    );
    // The supervision of containerd ends with the loops.
    stack.defer(async () => {
      await background.end();
      await opened.close();
    });
    const { runtime, images, importer, how } = opened;
    const pid = (): number | undefined => opened.containerdPid();
    return {
      runtime,
      images,
      name: await nameOf(runtime),
      own: { gateway: network.gateway, whyNoTable, importer, how, pid },
    };
  } catch (error) {
    throw forUser(error);
  }
}

function networkPlace(): NetworkPlace {
  return { machine: openNetworkMachine(systemProcess), fs: systemFileSystem };
}

function cniFolders({ dataDir, runDir }: Pick<RuntimePlace, 'dataDir' | 'runDir'>): CniFolders {
  const { cniConfDir: confDir, leasesDir } = containerdPaths(dataDir, runDir);
  return { confDir, leasesDir };
}

/** Messages of the runtime's adapters for the user become a `UserError`; other errors stay as they are. */
function forUser(error: unknown): unknown {
  const known = error instanceof ContainerdError || error instanceof NetworkError || error instanceof ImageImportError;
  return known ? new UserError(error.message, { cause: error }) : error;
}

export type EndedRuntime = Parameters<typeof downContainerd>[0] & {
  readonly instanceId: string;
  readonly podCidr: string;
};

/** Ends and removes the private containerd with all its pods, and their network. @throws UserError when it can't be ended */
export async function endPrivateRuntime(options: EndedRuntime): Promise<void> {
  try {
    await endRuntime(options);
  } catch (error) {
    throw forUser(error);
  }
}

/** Ends a private containerd that this start began and that has no pods: a failed start leaves nothing behind. */
export async function endFreshRuntime({
  place,
  network,
  logger,
}: Pick<RuntimeOptions, 'place' | 'network' | 'logger'>): Promise<void> {
  const { podCidr } = network;
  await endRuntime({ ...place, podCidr, process: systemProcess, logger, graceOf: () => 0 });
  await rm(place.runDir, { recursive: true, force: true });
}

async function endRuntime(options: EndedRuntime): Promise<void> {
  await downContainerd(options);
  await openRouterMachine(systemProcess).removeTable(podTableName(options.instanceId));
  await removeNetwork(networkPlace(), podNetworkOf(options.instanceId, options.podCidr), cniFolders(options));
}

async function nameOf(runtime: RuntimeService): Promise<string> {
  const { runtimeName, runtimeVersion } = await runtime.version();
  return `${runtimeName} ${runtimeVersion.replace(/^v/, '').replace(/[~+].*$/, '')}`;
}
