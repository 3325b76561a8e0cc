/** The control plane of `up` and `server`: store, certificates, API server with its TLS edge, controllers and scheduler. */
import {
  type ApiServer,
  connectionShares,
  createApiServer,
  formatKubeconfig,
  type NodeConnections,
} from '../apiserver/index.ts';
import { NODES } from '../api/index.ts';
import { ensurePki, PkiError, type Pki } from '../apiserver/edge/pki.node.ts';
import { type EdgeServer, formatAddress, type ListenAddress, startEdgeServer } from '../apiserver/edge/server.node.ts';
import { openTokenSigner } from '../apiserver/edge/token-signer.node.ts';
import { signCertificateRequest } from '../apiserver/edge/certificate-request.node.ts';
import { systemSigner } from '../apiserver/edge/signer.node.ts';
import { exitCodes, parsePodCidr } from '../cli/index.ts';
import { createHttpConnection } from '../client/http-connection.node.ts';
import { createKubeClient, type KubeClient } from '../client/index.ts';
import { type CertificateSigner, runControllers } from '../controllers/index.ts';
import { createHttpNoticeSender } from '../controllers/notifications/http-notice-sender.node.ts';
import type { NodeIpamSettings } from '../network/index.ts';
import {
  type Clock,
  type Connection,
  createMetrics,
  type MetricsRegistry,
  registerProcessMetrics,
  type UserInfo,
} from '../lib/index.ts';
import { loopBreather } from '../lib/breather.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { ownProcessUsage } from '../lib/own-process.node.ts';
import { sha256Hex } from '../lib/sha256.node.ts';
import { refusals, runScheduler } from '../scheduler/index.ts';
import { StoreOpenError, type Store } from '../store/index.ts';
import { StoreDamage } from './store-damage.ts';
import { hadStore, refusedStore, storeFile } from './store-file.node.ts';
import { openSqliteStore } from '../store/sqlite.node.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import type { DataDir } from './data-dir.node.ts';
import type { DataPaths } from './data-dir-path.ts';
import { LateDashboard } from './late-dashboard.ts';
import { firstAddressOf, isWildcard } from './addresses.ts';
import type { Ground } from './ground.ts';
import { RemoteNodes } from './remote-nodes.node.ts';
import type { KeyPair } from './key-pair.ts';
import { maxOpenFiles } from './open-files.node.ts';
import { replaceFile } from './replace-file.node.ts';
import { takenPort } from './taken-port.node.ts';
import { UserError } from './user-error.ts';
import { userAgentOf } from './user-agent.ts';
import { kubernetesVersion } from './version.ts';

/** The names in its certificates, beside those that its addresses give. */
export interface CertifiedNames {
  readonly nodeName: string;
  /** Further names and addresses of this machine: that of the pods' bridge, those that nodes know. */
  readonly server: readonly string[];
  /** Of the kubelet's certificate, beside the node's. */
  readonly kubelet: readonly string[];
}

export interface ClusterNetwork {
  /** Absent: the usual one. */
  readonly serviceCidr?: string;
  /** The network from which nodes get their parts; absent: each brings its own. */
  readonly nodeIpam?: NodeIpamSettings;
}

/** The node in this process; all others are reached over the network. */
export interface OwnNode {
  readonly name: string;
  /** The way to its kubelet. */
  readonly connection: () => Connection;
  /** The certificates were looked after, and may be new. */
  readonly onRenewed: (pki: Pki) => void;
}

export interface ControlPlaneOptions {
  /** Its store is no other folder's. */
  readonly dataDir: Pick<DataDir, 'paths' | 'instanceId'>;
  readonly listen: ListenAddress;
  readonly names: CertifiedNames;
  readonly network: ClusterNetwork;
  readonly cluster: ClusterSettings;
  /** Absent: there is none. */
  readonly ownNode?: OwnNode;
}

export interface ControlPlane {
  readonly server: ApiServer;
  readonly edge: EdgeServer;
  readonly pki: Pki;
  /** The address that it listens on, with the chosen port. */
  readonly address: ListenAddress;
  /** A client in memory; `component` names it in logs and User-Agent. */
  readonly client: (user: UserInfo, component: string) => KubeClient;
}

const RENEW_EVERY_MS = 24 * 3600 * 1000;
/** After a renewal that failed. */
const RENEW_AGAIN_MS = 3600 * 1000;
const MASTERS = ['system:masters', 'system:authenticated'];

/** The user that mendlet itself acts as on its control plane. */
export const selfUser: UserInfo = { name: 'mendlet', groups: MASTERS };

/**
 * Starts all of it; `stack` gets the started parts.
 * @throws UserError for a taken port, a broken store or certificates
 */
export async function startControlPlane(
  ground: Ground,
  options: ControlPlaneOptions,
  stack: AsyncDisposableStack,
): Promise<ControlPlane> {
  const { clock, random, logger, background } = ground;
  const { dataDir, cluster, network, ownNode } = options;
  const metrics = createMetrics();
  registerProcessMetrics(metrics, ownProcessUsage);
  const damage = new StoreDamage({ clock, random, logger: logger.child({ component: 'store' }), metrics });
  // Before the keys: where there are keys, there was a store.
  const store = await openStore(ground, dataDir, damage);
  stack.defer(() => store.close());
  const pki = await openPki(clock, options);
  const tokens = await refusingBadFiles(() => openTokenSigner({ dir: dataDir.paths.pki, fs: systemFileSystem }));
  const client = (user: UserInfo, component: string): KubeClient =>
    createKubeClient(server.as(user), { clock, userAgent: userAgentOf(component) });
  const nodes = new RemoteNodes({
    clock,
    authorityPem: pki.authorityPem,
    client: pki.kubeletClient,
    nodeOf: (name, signal) => client(selfUser, 'node-connections').get(NODES, undefined, name, signal),
  });
  stack.defer(() => nodes.close());
  const nodeConnection: NodeConnections = (name) =>
    name === ownNode?.name ? ownNode.connection() : nodes.connection(name);
  const dashboard = new LateDashboard();
  const server: ApiServer = createApiServer(
    {
      store,
      clock,
      random: random.split('apiserver'),
      logger: logger.child({ component: 'apiserver' }),
      metrics,
      breather: loopBreather,
      nodeConnection,
      originConnection: (server, route) =>
        createHttpConnection({ server, ...(route ?? { insecureSkipTlsVerify: true }), clock }),
    },
    {
      version: { gitVersion: kubernetesVersion, platform: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}` },
      ...(network.serviceCidr !== undefined && { serviceCidr: network.serviceCidr }),
      admission: cluster.admission,
      tokens,
      damagedObjects: () => damage.count,
      dashboardLinks: dashboard.links,
    },
  );
  stack.defer(() => server.close());
  // It is awaited below; if we leave before, nothing else awaits it.
  server.ready.catch(() => {});
  const edge = await startEdge(ground, options.listen, { server, pki, metrics });
  stack.defer(() => edge.close());
  stack.defer(() => background.end());
  await server.ready;
  const address = edge.addresses[0] ?? options.listen;
  writeKubeconfig(dataDir.paths, pki, address);
  const plane = { server, edge, pki, address, client };
  const page = { listen: cluster.dashboard, file: dataDir.paths.dashboard, cluster: options.names.nodeName };
  await dashboard.start(ground, page, plane, stack);
  startLoops(ground, options, plane, { metrics, damage, nodes, nodeConnection, dashboard });
  return plane;
}

/** What works in the cluster from then on: controllers, scheduler, the renewal of certificates, the reports of damage. */
function startLoops(
  { clock, random, logger, background }: Ground,
  options: ControlPlaneOptions,
  { server, edge, pki, address, client }: ControlPlane,
  {
    metrics,
    damage,
    nodes,
    nodeConnection,
    dashboard,
  }: {
    readonly metrics: MetricsRegistry;
    readonly damage: StoreDamage;
    readonly nodes: RemoteNodes;
    readonly nodeConnection: NodeConnections;
    readonly dashboard: LateDashboard;
  },
): void {
  const { cluster, network, ownNode } = options;
  const component = (name: string) => ({
    // The bootstrap policy gives each what it needs, and no more.
    client: client({ name: `system:${name}`, groups: ['system:authenticated'] }, name),
    clock,
    random: random.split(name),
    logger: logger.child({ component: name }),
    metrics,
  });
  // The one of today: a renewal has the same key, and lasts longer.
  let { authority } = pki;
  const certificateSigner: CertificateSigner = { sign: (request) => signCertificateRequest(authority, request) };
  background.start('controllers', (signal) =>
    runControllers(
      component('kube-controller-manager'),
      {
        caCertificate: pki.authorityPem,
        certificateSigner,
        ...(network.nodeIpam && { nodeIpam: network.nodeIpam }),
        nodeLifecycle: cluster.nodeLifecycle,
        healing: cluster.healing,
        sendNotices: createHttpNoticeSender({
          allowed: cluster.notificationAllow,
          userAgent: userAgentOf('notifications'),
        }),
        loadBalancers: cluster.loadBalancers,
        attachDetach: { hash: sha256Hex, forceDetachOnTimeout: cluster.forceDetachOnTimeout },
        ...(cluster.localVolumeClass !== undefined && {
          localVolumes: { className: cluster.localVolumeClass, connectionOf: nodeConnection },
        }),
        refusals,
        ...(ownNode && { ownNodeName: ownNode.name }),
      },
      signal,
    ),
  );
  background.start('store damage', (signal) =>
    damage.tell(client(selfUser, 'store'), (key) => server.objectOfKey(key), signal),
  );
  background.start('scheduler', (signal) => runScheduler(component('kube-scheduler'), signal));
  const renew = async (): Promise<void> => {
    const renewed = await openPki(clock, options);
    edge.setCertificate(withAuthority(renewed));
    nodes.setClient(renewed.kubeletClient);
    dashboard.renewed(renewed);
    authority = renewed.authority;
    ownNode?.onRenewed(renewed);
    writeKubeconfig(options.dataDir.paths, renewed, address);
  };
  background.start('certificates', (signal) => renewCertificates({ clock, logger }, renew, signal));
}

async function openPki(clock: Clock, { dataDir, listen, names, network }: ControlPlaneOptions): Promise<Pki> {
  const { serviceCidr } = network;
  // The first address of the services' range: that of the `kubernetes` service.
  const service = serviceCidr === undefined ? '10.96.0.1' : firstAddressOf(parsePodCidr(serviceCidr));
  return refusingBadFiles(() =>
    ensurePki({
      dir: dataDir.paths.pki,
      nodeName: names.nodeName,
      serverNames: [service, ...names.server, ...(isWildcard(listen) ? [] : [listen.host])],
      kubeletNames: names.kubelet,
      fs: systemFileSystem,
      clock,
      signer: systemSigner,
    }),
  );
}

/** Problems that the user can repair become a UserError. */
async function refusingBadFiles<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PkiError) throw new UserError(error.message, { cause: error });
    throw error;
  }
}

async function openStore(
  { clock, background }: Ground,
  { paths, instanceId }: ControlPlaneOptions['dataDir'],
  damage: StoreDamage,
): Promise<Store> {
  const mayBegin = !hadStore(paths);
  if (mayBegin) await systemFileSystem.mkdir(paths.store, { mode: 0o700 });
  try {
    return await openSqliteStore({
      path: storeFile(paths),
      clock,
      identity: instanceId,
      mayBegin,
      listener: {
        onFailure: (error) => background.fail('store', error),
        onDamage: (damaged) => damage.found(damaged),
        onNotes: (notes) => damage.mended(notes),
      },
    });
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    throw refusedStore(error, paths);
  }
}

/** Machines that join know the authority by its hash: the server shows it along with its own certificate. */
function withAuthority({ server, authorityPem }: Pki): KeyPair {
  return { ...server, certificatePem: `${server.certificatePem}${authorityPem}` };
}

async function startEdge(
  { clock, logger }: Ground,
  listen: ListenAddress,
  { server, pki, metrics }: Pick<ControlPlane, 'server' | 'pki'> & { readonly metrics: MetricsRegistry },
): Promise<EdgeServer> {
  const result = await startEdgeServer({
    connection: server.connection,
    addresses: [listen],
    trust: {
      certificate: withAuthority(pki),
      authorityPem: pki.authorityPem,
      tokens: (token) => server.authenticateToken(token),
    },
    shares: connectionShares(maxOpenFiles()),
    clock,
    logger: logger.child({ component: 'edge' }),
    metrics,
    name: 'apiserver',
  });
  if (result.ok) return result.server;
  const { code, message, address } = result.error;
  if (code === 'in-use') throw new UserError(takenPort(formatAddress(address)), { exitCode: exitCodes.inUse });
  throw new UserError(message);
}

function writeKubeconfig(paths: DataPaths, pki: Pki, address: ListenAddress): void {
  const host = isWildcard(address) ? (address.host === '::' ? '::1' : '127.0.0.1') : address.host;
  const server = `https://${formatAddress({ ...address, host })}`;
  const text = formatKubeconfig({ server, authorityPem: pki.authorityPem, client: pki.admin });
  replaceFile(paths.kubeconfig, text);
}

/** Once a day: certificates with little lifetime left are renewed, for the server and in the kubeconfig. */
async function renewCertificates(
  { clock, logger }: Pick<Ground, 'clock' | 'logger'>,
  renew: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let failed = false;
  while (!signal.aborted) {
    await clock.sleep(failed ? RENEW_AGAIN_MS : RENEW_EVERY_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await renew();
      failed = false;
    } catch (error) {
      // A disk that is full today: the certificates have weeks left, and nothing else may end for it.
      failed = true;
      logger.error('certificates not renewed', { error });
    }
  }
}
