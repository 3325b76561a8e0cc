/** The composition root of a whole host: control plane and node agent in one process, from an open data folder. */
import { hostname } from 'node:os';
import { isIpAddress } from '../api/index.ts';
import { type Cidr, defaultPodCidr, type ListenAddress, parsePodCidr } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import { assert, type Connection, ConnectionError, type Logger } from '../lib/index.ts';
import { formatAddress } from '../apiserver/edge/server.node.ts';
import { advertisedAddress, firstAddressOf, isLoopback, isWildcard, neighbour } from './addresses.ts';
import { type AgentHalfOptions, type NodeSettings, startAgentHalf } from './agent-half.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import type { MainContext } from './context.ts';
import { type ControlPlane, type OwnNode, selfUser, startControlPlane } from './control-plane.ts';
import type { DataDir } from './data-dir.node.ts';
import { type Ground, layGround } from './ground.ts';
import { machineAddresses } from './machine-addresses.node.ts';
import type { NodeRuntime } from './node-runtime.ts';
import { nodeNameOf, readRecord, refuseChange, refuseOtherRole, runtimeOf, type UpRecord } from './up-record.node.ts';
import { defaultKubeletListen, type KubeletEdge, kubeletNames, startKubeletEdge } from './kubelet-edge.ts';
import { publishClusterInfo } from './join/cluster-info.ts';
import { untilReady } from './until-ready.ts';
import { UserError } from './user-error.ts';

/** The node of the host. */
export interface HostNode extends NodeSettings {
  /** Absent: that of the last start, else the machine's. */
  readonly nodeName: string | undefined;
  /** Absent: that of the pods that run from this data folder, else the usual one. */
  readonly podCidr: Cidr | undefined;
  /** Of the kubelet's API; absent: the usual one, or any free port. */
  readonly kubeletListen: ListenAddress | undefined;
}

export interface HostOptions {
  readonly dataDir: DataDir;
  readonly listen: ListenAddress;
  readonly cluster: ClusterSettings;
  readonly node: HostNode;
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
  const { dataDir, node, context, say } = options;
  const place = placeOf(dataDir, node);
  const { nodeName, gateway } = place;
  const ground = layGround(options.logger);
  let agent: Connection | undefined;
  let kubeletEdge: KubeletEdge | undefined;
  const ownNode: OwnNode = {
    name: nodeName,
    connection: () => agent ?? notYet,
    onRenewed: (pki) => kubeletEdge?.edge.setCertificate(pki.kubelet),
  };
  const plane = await startPlane(ground, options, place, ownNode, stack);
  const nodeUser = { name: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] };
  kubeletEdge = await startKubeletEdge(
    {
      clock: ground.clock,
      listen: node.kubeletListen,
      nodeName,
      usual: defaultKubeletListen,
      certificate: plane.pki.kubelet,
      authorityPem: plane.pki.authorityPem,
      client: plane.client(nodeUser, 'kubelet-server'),
      logger: ground.logger.child({ component: 'kubelet-edge' }),
    },
    stack,
  );
  const { runtime, connection } = await startAgentHalf(
    ground,
    {
      dataDir,
      node: { nodeName, podCidr: place.podCidr.text, gateway },
      settings: node,
      records: place.records,
      server: {
        client: plane.client(nodeUser, 'kubelet'),
        routesClient: plane.client(selfUser, 'routes'),
        port: plane.address.port,
        addressForPods: (opened) => publishForPods(plane, opened, gateway),
      },
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
    failed: ground.background.failed,
    ready: (signal) => untilReady(client, nodeName, say, signal),
  };
}

/** What the host is called and where its pods are: as the user wants it, as at the last start, or as usual. */
interface HostPlace {
  readonly nodeName: string;
  readonly podCidr: Cidr;
  /** The bridge's address in it. */
  readonly gateway: string;
  readonly records: AgentHalfOptions['records'];
}

/** @throws UserError where that cannot be with the pods that run */
function placeOf({ paths }: DataDir, node: HostNode): HostPlace {
  const last = readRecord(paths);
  refuseOtherRole(paths, last, 'up');
  const podCidr = node.podCidr ?? (last?.inUse === true ? parsePodCidr(last.podCidr) : defaultPodCidr);
  const nodeName = node.nodeName ?? last?.nodeName ?? nodeNameOf(hostname());
  const next: UpRecord = { nodeName, podCidr: podCidr.text, runtime: runtimeOf(node.runtime), inUse: true };
  refuseChange(paths, last, next);
  return { nodeName, podCidr, gateway: firstAddressOf(podCidr), records: { next, last } };
}

/** The control plane, and the way to it for machines that join, where they can reach this one. */
async function startPlane(
  ground: Ground,
  { dataDir, listen, cluster, node, say }: HostOptions,
  { nodeName, podCidr, gateway }: HostPlace,
  ownNode: OwnNode,
  stack: AsyncDisposableStack,
): Promise<ControlPlane> {
  const machine = await machineAddresses();
  say('starting the API server');
  const plane = await startControlPlane(
    ground,
    {
      dataDir,
      listen,
      names: {
        nodeName,
        server: [gateway, nodeName, ...(isWildcard(listen) ? machine : [])],
        kubelet: kubeletNames(node.kubeletListen, gateway),
      },
      network: {
        ...(node.services.cidr !== undefined && { serviceCidr: node.services.cidr }),
        nodeIpam: { clusterCidr: neighbour(podCidr), nodeMaskSize: Math.max(NODE_MASK_SIZE, podCidr.prefix) },
      },
      cluster,
      ownNode,
    },
    stack,
  );
  const advertised = advertisedAddress(listen, undefined, machine);
  const url = advertised && `https://${formatAddress({ host: advertised, port: plane.address.port })}`;
  const { authorityPem } = plane.pki;
  await publishClusterInfo(plane.client(selfUser, 'up'), url === undefined ? undefined : { server: url, authorityPem });
  return plane;
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
