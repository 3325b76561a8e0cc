/** The node's half of a host: cgroups, container runtime, the kubelet and the port of its API. The server may be anywhere. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ListenAddress, RuntimeChoice } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import { watchArchives } from '../cri/index.ts';
import type { ImageImporter } from '../cri/containerd/image-import.node.ts';
import type { KubeletSettings } from '../kubelet/index.ts';
import { openCgroups } from '../kubelet/cgroups.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import type { Connection } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import { keepNodeRoutes } from '../network/index.ts';
import { openNetworkMachine } from '../network/network-machine.node.ts';
import type { MainContext } from './context.ts';
import type { DataDir } from './data-dir.node.ts';
import { type DataPaths, runDir } from './data-dir-path.ts';
import type { Ground } from './ground.ts';
import type { KubeletEdge } from './kubelet-edge.ts';
import { type LocalNode, startNodeAgent } from './node-agent.ts';
import { endFreshRuntime, type NodeRuntime, openRuntime, type RuntimeOptions } from './node-runtime.ts';
import { type UpRecord, writeRecord } from './up-record.node.ts';

/** How the node runs its pods. */
export interface NodeSettings {
  readonly runtime: RuntimeChoice;
  readonly imageArchives: readonly string[];
  readonly kubelet: KubeletSettings;
}

/** The API server, as the node reaches it. */
export interface NodeServer {
  /** As the node. */
  readonly client: KubeClient;
  /** Sees the other nodes. */
  readonly routesClient: KubeClient;
  /** A port of the bridge's address that pods may reach; absent: the server is elsewhere. */
  readonly port?: number;
  /** The address at which pods reach it, once the bridge exists. */
  readonly addressForPods: (runtime: NodeRuntime) => Promise<ListenAddress | undefined>;
}

export interface AgentHalfOptions {
  readonly dataDir: DataDir;
  /** `gateway`: the bridge's address in the network of its pods. */
  readonly node: LocalNode & { readonly gateway: string };
  readonly settings: NodeSettings;
  /** The record for `down` and the next start, and the previous one. */
  readonly records: { readonly next: UpRecord; readonly last: UpRecord | undefined };
  readonly server: NodeServer;
  readonly edge: KubeletEdge;
  /** One line of progress. */
  readonly say: (text: string) => void;
  readonly context: MainContext;
}

export interface AgentHalf {
  readonly runtime: NodeRuntime;
  /** The kubelet's own API. */
  readonly connection: Connection;
}

/**
 * Starts it. Disposing of `stack` ends the started parts; pods go on.
 * @throws UserError; then a runtime that was started now has ended again
 */
export async function startAgentHalf(
  ground: Ground,
  options: AgentHalfOptions,
  stack: AsyncDisposableStack,
): Promise<AgentHalf> {
  const { dataDir, node, settings, records, server, edge, say, context } = options;
  const { paths, instanceId } = dataDir;
  // From here on something may be there for `down` to remove.
  writeRecord(paths, records.next);
  const cgroups = await openCgroups({ instanceId, process: systemProcess });
  say(settings.runtime.kind === 'socket' ? 'connecting to the container runtime' : 'starting containerd');
  const runtime = await openOrUndo(
    {
      choice: settings.runtime,
      place: { dataDir: paths.dir, runDir: runDir(context.user, instanceId), instanceId },
      network: { podCidr: node.podCidr, ...(server.port !== undefined && { apiServerPort: server.port }) },
      cgroups,
      imageArchives: settings.imageArchives,
      logger: ground.logger.child({ component: 'cri' }),
      background: ground.background,
    },
    stack,
    () => writeRecord(paths, { ...records.next, inUse: records.last?.inUse ?? false }),
  );
  const address = await server.addressForPods(runtime);
  if (runtime.own !== undefined) await edge.listenForPods(node.gateway);
  say('starting the node agent');
  const kubeletSettings = { staticPodPath: await watchedFolder(paths.manifests), ...settings.kubelet };
  const connection = startNodeAgent(ground, {
    dataDir,
    node,
    server: { client: server.client, address },
    edge,
    runtime,
    cgroups,
    settings: kubeletSettings,
    context,
  });
  edge.serve(connection);
  if (runtime.own !== undefined) {
    await startArchives(ground, paths, runtime.own.importer);
    startRoutes(ground, options);
  }
  return { runtime, connection };
}

/** Imports images from archives that come into the data folder. */
async function startArchives(
  { clock, logger, background }: Ground,
  paths: DataPaths,
  importer: ImageImporter,
): Promise<void> {
  const archives = {
    folder: await watchedFolder(paths.images),
    fs: systemFileSystem,
    clock,
    logger: logger.child({ component: 'images' }),
    importArchive: (file: string) => importer.importArchives([file]),
  };
  background.start('image archives', (signal) => watchArchives(archives, signal));
}

/** Keeps the routes to the pods of other nodes. */
function startRoutes(
  { clock, random, logger, background }: Ground,
  { dataDir, node, server }: Pick<AgentHalfOptions, 'dataDir' | 'node' | 'server'>,
): void {
  const ports = {
    machine: openNetworkMachine(systemProcess),
    fs: systemFileSystem,
    client: server.routesClient,
    clock,
    random,
    logger: logger.child({ component: 'routes' }),
  };
  const { nodeName, podCidr } = node;
  const { paths, instanceId } = dataDir;
  const routed = { nodeName, podCidr, instanceId, file: join(paths.agent, 'peers.json') };
  background.start('routes', (signal) => keepNodeRoutes(ports, routed, signal));
}

/** A start that fails leaves nothing: a containerd that was begun now ends again; one that was there before has pods. */
async function openOrUndo(
  options: RuntimeOptions,
  stack: AsyncDisposableStack,
  undone: () => void,
): Promise<NodeRuntime> {
  const given = options.choice.kind === 'socket';
  // Its state folder outlives it, but no reboot.
  const fresh = !existsSync(`${options.place.runDir}/containerd`);
  try {
    return await openRuntime(options, stack);
  } catch (error) {
    // It must not be started again.
    await options.background.end();
    if (!given && fresh) await endFreshRuntime(options);
    if (given || fresh) undone();
    throw error;
  }
}

/** Made at once, so that the first file in it is seen when it comes. */
async function watchedFolder(path: string): Promise<string> {
  await systemFileSystem.mkdir(path, { mode: 0o700 });
  return path;
}
