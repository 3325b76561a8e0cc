/** The node's half of a host: cgroups, container runtime, the kubelet and the port of its API. The server may be anywhere. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ListenAddress, RuntimeChoice } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import { watchArchives } from '../cri/index.ts';
import type { ImageImporter } from '../cri/containerd/image-import.node.ts';
import type { Cgroups, KubeletSettings, PodRouting } from '../kubelet/index.ts';
import { openCgroups } from '../kubelet/cgroups.node.ts';
import { createProbeTransport } from '../kubelet/probe-transport.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import type { Connection } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import {
  DNS_PORT,
  keepNodeRoutes,
  keepWatching,
  knownPeers,
  podNetworkOf,
  podRouting,
  PodTable,
  restoreFilters,
  type ServiceRouter,
  serviceTable,
} from '../network/index.ts';
import { openNetworkMachine } from '../network/network-machine.node.ts';
import { openRouterMachine, tcpConnections } from '../network/router/router-machine.node.ts';
import type { MainContext } from './context.ts';
import type { DataDir } from './data-dir.node.ts';
import { type DataPaths, runDir } from './data-dir-path.ts';
import type { Ground } from './ground.ts';
import type { KubeletEdge } from './kubelet-edge.ts';
import { openKubeletFolder } from './kubelet-folder.node.ts';
import { type LocalNode, startNodeAgent } from './node-agent.ts';
import { startNodeDns, withClusterDns } from './node-dns.ts';
import { endFreshRuntime, type NodeRuntime, openRuntime, type RuntimeOptions } from './node-runtime.ts';
import { routingEvents, startKeptRules, type TellOfRouting } from './kept-rules.ts';
import { nodeServices } from './node-services.ts';
import { type ServiceNetwork, startServiceNetwork } from './service-network.ts';
import { tryServiceRoute } from './service-route.ts';
import { startServiceRouter } from './service-router.ts';
import { serviceRoutes, type StartedRoutes } from './service-routes.ts';
import { type UpRecord, writeRecord } from './up-record.node.ts';
import { openVolumesFolder } from './volumes-folder.node.ts';

/** How the node runs its pods. */
export interface NodeSettings {
  readonly runtime: RuntimeChoice;
  readonly imageArchives: readonly string[];
  readonly kubelet: KubeletSettings;
  readonly services: {
    /** Whether the node routes them. */
    readonly isRouted: boolean;
    /** Whether the server is mendlet's: then nobody else has their addresses. */
    readonly areOurs: boolean;
    /** Their network, if the server does not say; undefined: its usual one. */
    readonly cidr: string | undefined;
  };
  /** Whether this node answers the DNS queries of its pods. */
  readonly clusterDns: boolean;
  /** Where this node makes volumes; `true`: in the data folder; undefined: it makes none. */
  readonly volumesDir: string | true | undefined;
  /** Where CSI drivers look for the kubelet's folders; `true`: upstream's folder, if it is free; undefined: nowhere. */
  readonly kubeletDir: string | true | undefined;
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
  const services =
    settings.clusterDns || settings.services.isRouted ? startServiceNetwork(ground, server.client) : undefined;
  const dns =
    services !== undefined && settings.clusterDns
      ? startNodeDns(ground, { instanceId, node, settings, services, metrics: edge.metrics }, stack)
      : undefined;
  // After a restart the bridge is there, and pods ask already.
  await dns?.listen(settings.runtime.kind === 'socket' ? undefined : node.gateway);
  const podTable = settings.runtime.kind === 'socket' ? undefined : await makePodTable(ground, options);
  const runtime = await openOrUndo(runtimeOptions(ground, options, { cgroups, podTable }), stack, () =>
    writeRecord(paths, { ...records.next, inUse: records.last?.inUse ?? false }),
  );
  const address = await server.addressForPods(runtime);
  if (runtime.own !== undefined) await edge.listenForPods(node.gateway);
  say('starting the node agent');
  const dnsAddress = await dns?.listen(runtime.own?.gateway);
  const kept = startServiceRoutes(ground, options);
  const rules = { runtime, podTable, services, dnsAddress, kept };
  const { routed, hostPorts, serviceRouteWorks } = startRules(ground, options, rules);
  const kubeletSettings = {
    staticPodPath: await watchedFolder(paths.manifests),
    ...withClusterDns(settings.kubelet, dnsAddress),
    ...openVolumesFolder(settings.volumesDir, dataDir, ground.logger, stack),
    ...openKubeletFolder(settings.kubeletDir, dataDir, ground.logger),
  };
  const connection = startNodeAgent(ground, {
    dataDir,
    node,
    server: { client: server.client, address, ...(serviceRouteWorks && { serviceRouteWorks }) },
    edge,
    runtime,
    host: {
      cgroups,
      ...(routed && { routing: routed.routing }),
      ...(hostPorts && { hostPorts }),
      services: nodeServices(server.client, {
        instanceId,
        node,
        services,
        routed,
        dns: dns && { address: dnsAddress },
      }),
    },
    settings: kubeletSettings,
    context,
  });
  edge.serve(connection);
  if (runtime.own !== undefined) {
    await startArchives(ground, paths, runtime.own.importer);
    startRoutes(ground, options, { routesAgain: kept.routesAgain, hostPorts });
  }
  return { runtime, connection };
}

/** Makes the rules for other nodes' pods again, once their loop runs. */
interface RoutesAgain {
  now: () => void;
}

function runtimeOptions(
  { logger, background }: Ground,
  { dataDir: { paths, instanceId }, node, settings, server, context }: AgentHalfOptions,
  { cgroups, podTable }: { readonly cgroups: Cgroups; readonly podTable: PodTable | undefined },
): RuntimeOptions {
  return {
    choice: settings.runtime,
    place: { dataDir: paths.dir, runDir: runDir(context.user, instanceId), instanceId },
    network: {
      podCidr: node.podCidr,
      ...(server.port !== undefined && { apiServerPort: server.port }),
      openTable: async () => await podTable?.open(),
    },
    cgroups,
    imageArchives: settings.imageArchives,
    logger: logger.child({ component: 'cri' }),
    background,
  };
}

/** The parts that rules of the packet filter need of what was started before. */
interface BeforeRules {
  readonly runtime: NodeRuntime;
  /** Undefined: the pods' network is a given runtime's. */
  readonly podTable: PodTable | undefined;
  /** Undefined: this node neither routes services nor answers DNS queries. */
  readonly services: ServiceNetwork | undefined;
  readonly dnsAddress: string | undefined;
  readonly kept: KeptRoutes;
}

/** Starts whoever writes rules of the packet filter, and whoever brings them back. */
function startRules(ground: Ground, options: AgentHalfOptions, before: BeforeRules) {
  const { runtime, podTable, services, dnsAddress, kept } = before;
  const hasOwnPods = runtime.own !== undefined;
  const hostPorts = hasOwnPods && runtime.own.whyNoTable === undefined ? podTable : undefined;
  const routed =
    services && startRouting(ground, options, { ...services, routes: kept.routes, hostPorts, dnsAddress, hasOwnPods });
  keepOurRules(ground, options, { runtime, router: routed?.router, hostPorts, kept });
  if (hostPorts !== undefined) ground.background.start('host ports', (signal) => hostPorts.run(signal));
  const serviceRouteWorks =
    services && options.settings.services.isRouted
      ? tryServiceRoute(ground, services.directory, createProbeTransport({ clock: ground.clock }))
      : undefined;
  return { routed, hostPorts, serviceRouteWorks };
}

/** The parts that routing needs of what was started before. */
interface StartedBefore extends ServiceNetwork, Pick<KeptRoutes, 'routes'>, Pick<RuledParts, 'hostPorts'> {
  readonly dnsAddress: string | undefined;
  /** False: a given runtime has a network of its own. */
  readonly hasOwnPods: boolean;
}

/** Routes services, if it is to, and tells the kubelet how far the traffic to pods that end has gone elsewhere. */
function startRouting(
  ground: Ground,
  { dataDir: { instanceId }, node: { nodeName, podCidr }, settings, server: { client }, edge }: AgentHalfOptions,
  { dnsAddress: ip, hasOwnPods, routes, hostPorts, ...services }: StartedBefore,
): { readonly routing: PodRouting; readonly router: ServiceRouter | undefined } {
  const { clock } = ground;
  const router = settings.services.isRouted
    ? startServiceRouter(ground, services, {
        instanceId,
        nodeName,
        podCidr: hasOwnPods ? podCidr : '',
        routes,
        hostPorts: () => hostPorts?.taken() ?? [],
        nodeDns: () => (ip === undefined ? undefined : { ip, port: DNS_PORT }),
        client,
        metrics: edge.metrics,
      })
    : undefined;
  const routing = podRouting({ clock, ...services, router, connections: () => tcpConnections(systemProcess) });
  return { routing, router };
}

/** Routes to services, and what tells of those that somebody removes. */
interface KeptRoutes {
  readonly routes: StartedRoutes;
  readonly tell: TellOfRouting;
  readonly routesAgain: RoutesAgain;
}

/** Where this node routes services, its router begins with the routes; else they begin here. */
function startServiceRoutes(
  ground: Ground,
  { dataDir: { instanceId }, node: { nodeName }, settings, server: { client } }: AgentHalfOptions,
): KeptRoutes {
  const routesAgain: RoutesAgain = { now: () => {} };
  const { clock, logger, background } = ground;
  const tell = routingEvents(ground, client, nodeName);
  const { isRouted, areOurs, cidr: serviceCidr } = settings.services;
  const routes = serviceRoutes(ground, {
    instanceId,
    serviceCidr,
    client,
    tell: (message) => tell('ServiceRouteRestored', message),
  });
  // What nobody translates must not leave by the default route.
  if (!isRouted && areOurs) void routes.begin();
  const again = (): void => {
    routes.again();
    routesAgain.now();
  };
  const machine = openNetworkMachine(systemProcess);
  const watch = {
    what: 'removals of routes',
    watch: (ended: AbortSignal) => machine.watchRoutes(again, ended),
    onGap: again,
  };
  background.start('route watch', (signal) => keepWatching({ clock, logger }, watch, signal));
  return { routes, tell, routesAgain };
}

/** The table of host ports and masquerade, which knows the peers of the last start already. */
async function makePodTable(
  { clock, logger }: Ground,
  { dataDir: { instanceId, paths }, node: { podCidr }, edge: { metrics } }: AgentHalfOptions,
): Promise<PodTable> {
  const ports = { machine: openRouterMachine(systemProcess), clock, metrics };
  const table = new PodTable(
    { ...ports, logger: logger.child({ component: 'host-ports' }) },
    podNetworkOf(instanceId, podCidr),
  );
  const peers = await knownPeers(systemFileSystem, peersFileOf(paths));
  if (peers.length > 0) table.setPeers(peers.map(({ cidr }) => cidr));
  return table;
}

/** The parts whose rules are kept. */
interface RuledParts {
  readonly runtime: NodeRuntime;
  readonly router: ServiceRouter | undefined;
  /** Undefined: they are rules of iptables, or of a given runtime. */
  readonly hostPorts: PodTable | undefined;
  readonly kept: KeptRoutes;
}

/** Brings back rules that somebody removes. */
function keepOurRules(
  ground: Ground,
  { dataDir: { instanceId }, node: { podCidr }, server: { port }, edge }: AgentHalfOptions,
  { runtime, router, hostPorts, kept: { tell, routesAgain } }: RuledParts,
): void {
  const tables = [
    ...(router === undefined ? [] : [{ table: serviceTable(instanceId), writer: router, isThere: false }]),
    ...(hostPorts === undefined ? [] : [{ table: hostPorts.table, writer: hostPorts, isThere: true }]),
  ];
  if (tables.length === 0 && runtime.own === undefined) return;
  const natBy = hostPorts === undefined ? 'iptables' : 'table';
  const restoreOthers = async (): Promise<readonly string[]> => {
    if (runtime.own === undefined) return [];
    const network = podNetworkOf(instanceId, podCidr);
    const machine = openNetworkMachine(systemProcess);
    const missing = await restoreFilters(machine, network, { natBy, apiServerPort: port });
    if (missing.length > 0) routesAgain.now();
    return missing;
  };
  const { metrics } = edge;
  const whyNoTable = runtime.own?.whyNoTable;
  startKeptRules(ground, { metrics, tables, restoreOthers, whyNoTable, tell });
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

/** The last known peers. */
function peersFileOf({ agent }: DataPaths): string {
  return join(agent, 'peers.json');
}

/** Keeps the routes to the pods of other nodes. */
function startRoutes(
  { clock, random, logger, background }: Ground,
  { dataDir: { instanceId, paths }, node, server }: Pick<AgentHalfOptions, 'dataDir' | 'node' | 'server'>,
  { routesAgain, hostPorts }: Pick<RuledParts, 'hostPorts'> & Pick<KeptRoutes, 'routesAgain'>,
): void {
  const ports = {
    machine: openNetworkMachine(systemProcess),
    fs: systemFileSystem,
    client: server.routesClient,
    clock,
    random,
    logger: logger.child({ component: 'routes' }),
    onStart: (again: () => void) => {
      routesAgain.now = again;
    },
    ...(hostPorts && { tellTable: (networks: readonly string[]) => hostPorts.setPeers(networks) }),
  };
  const { nodeName, podCidr } = node;
  const routed = { nodeName, podCidr, instanceId, file: peersFileOf(paths) };
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
