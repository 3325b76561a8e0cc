/** The composition root of a whole host: control plane and node agent in one process, from an open data folder. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { isIpAddress, type Node, NODES, type Pod, PODS } from '../api/index.ts';
import { type Cidr, defaultPodCidr, type ListenAddress, parsePodCidr, type RuntimeChoice } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import { systemClock } from '../lib/clock.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { assert, type Connection, ConnectionError, createMetrics, type Logger } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import { systemRandom } from '../lib/random.node.ts';
import { openCgroups } from '../kubelet/cgroups.node.ts';
import { Background } from './background.ts';
import type { MainContext } from './context.ts';
import { type ControlPlane, selfUser, startControlPlane } from './control-plane.ts';
import type { DataDir } from './data-dir.node.ts';
import { runDir } from './data-dir-path.ts';
import { startNodeAgent } from './node-agent.ts';
import { endFreshRuntime, type NodeRuntime, openRuntime, type RuntimeOptions } from './node-runtime.ts';
import { nodeNameOf, readRecord, refuseChange, runtimeOf, type UpRecord, writeRecord } from './up-record.node.ts';
import type { KubeletSettings } from '../kubelet/index.ts';
import { type KubeletEdge, kubeletNames, startKubeletEdge } from './kubelet-edge.ts';
import { type KubeletFlags, withFlags } from './kubelet-flags.ts';
import { UserError } from './user-error.ts';

export interface HostOptions extends KubeletFlags {
  readonly dataDir: DataDir;
  readonly listen: ListenAddress;
  /** Of the kubelet's API; absent: the usual one, or any free port. */
  readonly kubeletListen: ListenAddress | undefined;
  /** What the file of `--kubelet-config` says, or the defaults. */
  readonly settings: KubeletSettings;
  readonly nodeName: string | undefined;
  /** Absent: that of the pods that run from this data folder, else the usual one. */
  readonly podCidr: Cidr | undefined;
  readonly runtime: RuntimeChoice;
  readonly imageArchives: readonly string[];
  readonly logger: Logger;
  /** One line of progress. */
  readonly say: (text: string) => void;
  readonly context: MainContext;
}

export interface Host {
  readonly client: KubeClient;
  readonly nodeName: string;
  readonly runtime: NodeRuntime;
  /** Rejects when a part of it breaks. */
  readonly failed: Promise<never>;
  /** Resolves when the node is Ready. Rejects when `signal` is aborted. */
  ready(signal: AbortSignal): Promise<void>;
  runningPods(): Promise<number>;
}

const READY_POLL_MS = 50;
const READY_PROGRESS_MS = 5_000;

/**
 * Starts all of it. What was started is ended by disposing of `stack`; pods go on.
 *
 * @throws UserError; then nothing is left half-done once `stack` is disposed of
 */
export async function startHost(options: HostOptions, stack: AsyncDisposableStack): Promise<Host> {
  const { dataDir, logger, context, say } = options;
  const { paths, instanceId } = dataDir;
  const last = readRecord(paths);
  const podCidr = options.podCidr ?? (last?.inUse === true ? parsePodCidr(last.podCidr) : defaultPodCidr);
  const nodeName = options.nodeName ?? last?.nodeName ?? nodeNameOf(hostname());
  const record: UpRecord = { nodeName, podCidr: podCidr.text, runtime: runtimeOf(options.runtime), inUse: true };
  refuseChange(paths, last, record);

  const metrics = createMetrics();
  const background = new Background(logger);
  const gateway = gatewayOf(podCidr);
  const shared = { clock: systemClock, random: systemRandom, logger, metrics, background };
  let agent: Connection | undefined;
  let kubeletEdge: KubeletEdge | undefined;
  say('starting the API server');
  const plane = await startControlPlane(
    {
      ...shared,
      paths,
      nodeName,
      listen: options.listen,
      gateway,
      serverNames: [nodeName],
      kubeletNames: kubeletNames(options.kubeletListen, gateway),
      onRenewed: (pki) => kubeletEdge?.edge.setCertificate(pki.kubelet),
      nodeConnection: (name) => (name === nodeName ? agent : undefined),
    },
    stack,
  );
  const nodeUser = { name: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] };
  kubeletEdge = await startKubeletEdge(
    {
      ...shared,
      listen: options.kubeletListen,
      nodeName,
      pki: plane.pki,
      client: plane.client(nodeUser, 'kubelet-server'),
      logger: logger.child({ component: 'kubelet-edge' }),
    },
    stack,
  );
  // From here on something may be there for `down` to remove.
  writeRecord(paths, record);
  const cgroups = await openCgroups({ instanceId, process: systemProcess });
  say(options.runtime.kind === 'socket' ? 'connecting to the container runtime' : 'starting containerd');
  const runtime = await openOrUndo(
    {
      choice: options.runtime,
      dataDir: paths.dir,
      runDir: runDir(context, instanceId),
      instanceId,
      podCidr: podCidr.text,
      cgroups,
      apiServerPort: plane.address.port,
      imageArchives: options.imageArchives,
      logger: logger.child({ component: 'cri' }),
      background,
    },
    stack,
    () => writeRecord(paths, { ...record, inUse: last?.inUse ?? false }),
  );
  const apiServer = await listenForPods(plane, runtime, gateway);
  // The `kubernetes` service leads where pods really reach the server.
  if (apiServer !== undefined && isIpAddress(apiServer.host))
    await plane.server.publish({ ip: apiServer.host, port: apiServer.port });
  if (runtime.own !== undefined) await kubeletEdge.listenForPods(gateway);
  say('starting the node agent');
  agent = startNodeAgent({
    ...shared,
    paths,
    instanceId,
    nodeName,
    podCidr: podCidr.text,
    apiServer,
    client: plane.client(nodeUser, 'kubelet'),
    daemonPort: kubeletEdge.port,
    runtime,
    cgroups,
    settings: { staticPodPath: await manifestFolder(paths.manifests), ...withFlags(options.settings, options) },
    context,
  });
  kubeletEdge.serve(agent);
  const client = plane.client(selfUser, 'up');
  return {
    client,
    nodeName,
    runtime,
    failed: background.failed,
    ready: (signal) => untilReady(client, nodeName, say, signal),
    runningPods: async () =>
      (await client.list<Pod>(PODS)).items.filter((pod) => pod.status?.phase === 'Running').length,
  };
}

/** A start that fails leaves nothing: a containerd that was begun now ends again; one that was there before has pods. */
async function openOrUndo(
  options: RuntimeOptions,
  stack: AsyncDisposableStack,
  undone: () => void,
): Promise<NodeRuntime> {
  const given = options.choice.kind === 'socket';
  // Its state folder outlives it, but no reboot.
  const fresh = !existsSync(`${options.runDir}/containerd`);
  try {
    return await openRuntime(options, stack);
  } catch (error) {
    // Nobody must start it again.
    await options.background.end();
    if (!given && fresh) await endFreshRuntime(options);
    if (given || fresh) undone();
    throw error;
  }
}

/**
 * Pods reach the API server through their bridge. On a given runtime the network is somebody else's: there only an address
 * of the machine that `--listen` names serves them. @returns where, if anywhere
 */
async function listenForPods(
  plane: ControlPlane,
  { own }: NodeRuntime,
  gateway: string,
): Promise<ListenAddress | undefined> {
  const { host, port } = plane.address;
  const everywhere = host === '0.0.0.0' || host === '::';
  if (own === undefined) return everywhere || isLoopback(host) ? undefined : { host, port };
  assert(own.gateway === gateway, `the bridge has ${own.gateway}, not ${gateway}`);
  // A listener on all addresses has this one too.
  if (everywhere) return { host: gateway, port };
  const result = await plane.edge.listen({ host: gateway, port });
  if (!result.ok) throw new UserError(result.error.message);
  return { host: gateway, port };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** The network's first address, which the bridge gets. */
export function gatewayOf({ base }: Cidr): string {
  return [24, 16, 8, 0].map((shift) => Math.floor((base + 1) / 2 ** shift) % 256).join('.');
}

async function untilReady(
  client: KubeClient,
  name: string,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let nextProgress = READY_PROGRESS_MS;
  for (let waitedMs = 0; ; waitedMs += READY_POLL_MS) {
    signal.throwIfAborted();
    const why = await whyNotReady(client, name);
    if (why === undefined) return;
    if (waitedMs >= nextProgress) {
      nextProgress += READY_PROGRESS_MS;
      say(`waiting for the node: ${why}`);
    }
    await systemClock.sleep(READY_POLL_MS, signal);
  }
}

async function whyNotReady(client: KubeClient, name: string): Promise<string | undefined> {
  try {
    const node = (await client.list<Node>(NODES)).items.find((item) => item.metadata?.name === name);
    if (node === undefined) return 'it has not registered yet';
    const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
    return ready?.status === 'True' ? undefined : (ready?.message ?? 'it has no Ready condition yet');
  } catch (error) {
    if (error instanceof ConnectionError) return error.message;
    throw error;
  }
}

/** Made at once, so that the first file in it is seen when it comes. */
async function manifestFolder(path: string): Promise<string> {
  await systemFileSystem.mkdir(path, { mode: 0o700 });
  return path;
}
