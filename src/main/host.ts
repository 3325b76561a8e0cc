/** The composition root of a whole host: control plane and node agent in one process, from an open data folder. */
import { hostname } from 'node:os';
import { isIpAddress } from '../api/index.ts';
import { type Cidr, defaultPodCidr, type ListenAddress, parsePodCidr, type RuntimeChoice } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import { systemClock } from '../lib/clock.node.ts';
import { assert, type Connection, ConnectionError, createMetrics, type Logger } from '../lib/index.ts';
import { systemRandom } from '../lib/random.node.ts';
import { formatAddress } from '../apiserver/edge/server.node.ts';
import { advertisedAddress, firstAddressOf, isLoopback, isWildcard, neighbour } from './addresses.ts';
import { startAgentHalf } from './agent-half.ts';
import { Background } from './background.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import type { MainContext } from './context.ts';
import { type ControlPlane, selfUser, startControlPlane } from './control-plane.ts';
import type { DataDir } from './data-dir.node.ts';
import { machineAddresses } from './machine-addresses.node.ts';
import type { NodeRuntime } from './node-runtime.ts';
import { nodeNameOf, readRecord, refuseChange, refuseOtherRole, runtimeOf, type UpRecord } from './up-record.node.ts';
import type { KubeletSettings } from '../kubelet/index.ts';
import { defaultKubeletListen, type KubeletEdge, kubeletNames, startKubeletEdge } from './kubelet-edge.ts';
import { publishClusterInfo } from './join/cluster-info.ts';
import { type KubeletFlags, withFlags } from './kubelet-flags.ts';
import { untilReady } from './until-ready.ts';
import { UserError } from './user-error.ts';

export interface HostOptions extends KubeletFlags {
  readonly dataDir: DataDir;
  readonly listen: ListenAddress;
  /** Of the kubelet's API; absent: the usual one, or any free port. */
  readonly kubeletListen: ListenAddress | undefined;
  readonly cluster: ClusterSettings;
  /** The settings in the file of `--kubelet-config`, or the defaults. */
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
}

/** The size of the part of the pods' network that each joining node gets. */
const NODE_MASK_SIZE = 24;

/**
 * Starts all of it. Disposing of `stack` ends the started parts; pods go on.
 * @throws UserError; then nothing is left half-done once `stack` is disposed of
 */
export async function startHost(options: HostOptions, stack: AsyncDisposableStack): Promise<Host> {
  const { dataDir, logger, context, say } = options;
  const { paths } = dataDir;
  const last = readRecord(paths);
  refuseOtherRole(paths, last, 'up');
  const podCidr = options.podCidr ?? (last?.inUse === true ? parsePodCidr(last.podCidr) : defaultPodCidr);
  const nodeName = options.nodeName ?? last?.nodeName ?? nodeNameOf(hostname());
  const record: UpRecord = { nodeName, podCidr: podCidr.text, runtime: runtimeOf(options.runtime), inUse: true };
  refuseChange(paths, last, record);

  const metrics = createMetrics();
  const background = new Background(logger);
  const gateway = firstAddressOf(podCidr);
  const shared = { clock: systemClock, random: systemRandom, logger, metrics, background };
  let agent: Connection | undefined;
  let kubeletEdge: KubeletEdge | undefined;
  const machine = await machineAddresses();
  say('starting the API server');
  const plane = await startControlPlane(
    {
      ...shared,
      paths,
      instanceId: dataDir.instanceId,
      nodeName,
      listen: options.listen,
      serverNames: [gateway, nodeName, ...(isWildcard(options.listen) ? machine : [])],
      kubeletNames: kubeletNames(options.kubeletListen, gateway),
      onRenewed: (pki) => kubeletEdge?.edge.setCertificate(pki.kubelet),
      localNode: (name) => (name === nodeName ? (agent ?? notYet) : undefined),
      ownNodeName: nodeName,
      cluster: options.cluster,
      nodeIpam: { clusterCidr: neighbour(podCidr), nodeMaskSize: Math.max(NODE_MASK_SIZE, podCidr.prefix) },
    },
    stack,
  );
  const advertised = advertisedAddress(options.listen, undefined, machine);
  const url = advertised && `https://${formatAddress({ host: advertised, port: plane.address.port })}`;
  const { authorityPem } = plane.pki;
  await publishClusterInfo(plane.client(selfUser, 'up'), url === undefined ? undefined : { server: url, authorityPem });
  const nodeUser = { name: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] };
  kubeletEdge = await startKubeletEdge(
    {
      ...shared,
      listen: options.kubeletListen,
      nodeName,
      usual: defaultKubeletListen,
      certificate: plane.pki.kubelet,
      authorityPem: plane.pki.authorityPem,
      client: plane.client(nodeUser, 'kubelet-server'),
      logger: logger.child({ component: 'kubelet-edge' }),
    },
    stack,
  );
  const { runtime, connection } = await startAgentHalf(
    {
      ...shared,
      dataDir,
      nodeName,
      podCidr: podCidr.text,
      gateway,
      runtime: options.runtime,
      imageArchives: options.imageArchives,
      settings: withFlags(options.settings, options),
      record,
      last,
      apiServerPort: plane.address.port,
      apiServer: (opened) => publishForPods(plane, opened, gateway),
      client: plane.client(nodeUser, 'kubelet'),
      routesClient: plane.client(selfUser, 'routes'),
      edge: kubeletEdge,
      say,
      context,
    },
    stack,
  );
  agent = connection;
  const client = plane.client(selfUser, 'up');
  return {
    client,
    nodeName,
    runtime,
    failed: background.failed,
    ready: (signal) => untilReady(client, nodeName, say, signal),
  };
}

/** The `kubernetes` service leads where pods really reach the server. */
async function publishForPods(
  plane: ControlPlane,
  runtime: NodeRuntime,
  gateway: string,
): Promise<ListenAddress | undefined> {
  const apiServer = await listenForPods(plane, runtime, gateway);
  if (apiServer !== undefined && isIpAddress(apiServer.host))
    await plane.server.publish({ ip: apiServer.host, port: apiServer.port });
  return apiServer;
}

/**
 * Pods reach the API server through their bridge. On a given runtime the network is not ours: there only an address of the
 * machine that `--listen` names serves them.
 * @returns that address, if any
 */
async function listenForPods(
  plane: ControlPlane,
  { own }: NodeRuntime,
  gateway: string,
): Promise<ListenAddress | undefined> {
  const { host, port } = plane.address;
  const everywhere = isWildcard(plane.address);
  if (own === undefined) return everywhere || isLoopback(plane.address) ? undefined : { host, port };
  assert(own.gateway === gateway, `the bridge has ${own.gateway}, not ${gateway}`);
  // A listener on all addresses has this one too.
  if (everywhere) return { host: gateway, port };
  const result = await plane.edge.listen({ host: gateway, port });
  if (!result.ok) throw new UserError(result.error.message);
  return { host: gateway, port };
}

/** Our own node, before its agent is there. */
const notYet: Connection = {
  request: () => Promise.reject(new ConnectionError('the node agent is starting')),
  upgrade: () => Promise.reject(new ConnectionError('the node agent is starting')),
};
