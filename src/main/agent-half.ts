/** The node's half of a host: cgroups, container runtime, the kubelet and the port of its API. The server may be anywhere. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ListenAddress, RuntimeChoice } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import { watchArchives } from '../cri/index.ts';
import type { KubeletSettings, Registration } from '../kubelet/index.ts';
import { openCgroups } from '../kubelet/cgroups.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import type { Clock, Connection, Logger, Random } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import { keepNodeRoutes } from '../network/index.ts';
import { openNetworkMachine } from '../network/network-machine.node.ts';
import type { Background } from './background.ts';
import type { MainContext } from './context.ts';
import type { DataDir } from './data-dir.node.ts';
import { runDir } from './data-dir-path.ts';
import type { KubeletEdge } from './kubelet-edge.ts';
import { startNodeAgent } from './node-agent.ts';
import { endFreshRuntime, type NodeRuntime, openRuntime, type RuntimeOptions } from './node-runtime.ts';
import { type UpRecord, writeRecord } from './up-record.node.ts';

export interface AgentHalfOptions {
  readonly dataDir: DataDir;
  readonly nodeName: string;
  /** The network of this node's pods. */
  readonly podCidr: string;
  /** The bridge's address in it. */
  readonly gateway: string;
  readonly runtime: RuntimeChoice;
  readonly imageArchives: readonly string[];
  readonly settings: KubeletSettings;
  /** The record for `down` and the next start, and the previous one. */
  readonly record: UpRecord;
  readonly last: UpRecord | undefined;
  /** A port of the bridge's address that pods may reach; absent: the server is elsewhere. */
  readonly apiServerPort?: number;
  /** The address at which pods reach the API server, once the bridge exists. */
  readonly apiServer: (runtime: NodeRuntime) => Promise<ListenAddress | undefined>;
  /** As the node. */
  readonly client: KubeClient;
  /** Sees the other nodes. */
  readonly routesClient: KubeClient;
  readonly edge: KubeletEdge;
  /** Instead of what the machine says. */
  readonly nodeIp?: string;
  readonly hostname?: string;
  readonly registration?: Registration;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly background: Background;
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
export async function startAgentHalf(options: AgentHalfOptions, stack: AsyncDisposableStack): Promise<AgentHalf> {
  const { dataDir, logger, context, say, record, last, edge, gateway } = options;
  const { paths, instanceId } = dataDir;
  // From here on something may be there for `down` to remove.
  writeRecord(paths, record);
  const cgroups = await openCgroups({ instanceId, process: systemProcess });
  say(options.runtime.kind === 'socket' ? 'connecting to the container runtime' : 'starting containerd');
  const runtime = await openOrUndo(
    {
      choice: options.runtime,
      place: { dataDir: paths.dir, runDir: runDir(context, instanceId), instanceId },
      network: {
        podCidr: options.podCidr,
        ...(options.apiServerPort !== undefined && { apiServerPort: options.apiServerPort }),
      },
      cgroups,
      imageArchives: options.imageArchives,
      logger: logger.child({ component: 'cri' }),
      background: options.background,
    },
    stack,
    () => writeRecord(paths, { ...record, inUse: last?.inUse ?? false }),
  );
  const apiServer = await options.apiServer(runtime);
  if (runtime.own !== undefined) await edge.listenForPods(gateway);
  say('starting the node agent');
  const connection = startNodeAgent({
    ...options,
    paths,
    instanceId,
    apiServer,
    daemonPort: edge.port,
    runtime,
    cgroups,
    metrics: edge.metrics,
    settings: { staticPodPath: await watchedFolder(paths.manifests), ...options.settings },
  });
  edge.serve(connection);
  if (runtime.own !== undefined) {
    const { importer } = runtime.own;
    const archives = {
      folder: await watchedFolder(paths.images),
      fs: systemFileSystem,
      clock: options.clock,
      logger: logger.child({ component: 'images' }),
      importArchive: (file: string) => importer.importArchives([file]),
    };
    options.background.start('image archives', (signal) => watchArchives(archives, signal));
    const { nodeName, podCidr, clock, random } = options;
    const ports = {
      machine: openNetworkMachine(systemProcess),
      fs: systemFileSystem,
      client: options.routesClient,
      clock,
      random,
      logger: logger.child({ component: 'routes' }),
    };
    const node = { nodeName, podCidr, instanceId, file: join(paths.agent, 'peers.json') };
    options.background.start('routes', (signal) => keepNodeRoutes(ports, node, signal));
  }
  return { runtime, connection };
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
