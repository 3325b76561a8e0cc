/** The control plane of `up` and `server`: store, certificates, API server with its TLS edge, controllers and scheduler. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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
import type { NodeIpamSettings } from '../network/index.ts';
import type { Clock, Logger, MetricsRegistry, Random, UserInfo } from '../lib/index.ts';
import { loopBreather } from '../lib/breather.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { refusals, runScheduler } from '../scheduler/index.ts';
import { StoreOpenError, type Store } from '../store/index.ts';
import { StoreDamage } from './store-damage.ts';
import { hadStore, refusedStore, storeFile } from './store-file.node.ts';
import { openSqliteStore } from '../store/sqlite.node.ts';
import type { Background } from './background.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import type { DataPaths } from './data-dir-path.ts';
import { firstAddressOf, isWildcard } from './addresses.ts';
import { RemoteNodes } from './remote-nodes.node.ts';
import type { KeyPair } from './key-pair.ts';
import { maxOpenFiles } from './open-files.node.ts';
import { takenPort } from './taken-port.node.ts';
import { UserError } from './user-error.ts';
import { kubernetesVersion } from './version.ts';

export interface ControlPlaneOptions {
  readonly paths: DataPaths;
  /** The id of the data folder: its store is no other's. */
  readonly instanceId: string;
  readonly nodeName: string;
  readonly listen: ListenAddress;
  /** Further names and addresses of this machine: that of the pods' bridge, those that nodes know. */
  readonly serverNames: readonly string[];
  /** Absent: the usual one. */
  readonly serviceCidr?: string;
  /** The network from which nodes get their parts; absent: each brings its own. */
  readonly nodeIpam?: NodeIpamSettings;
  readonly cluster: ClusterSettings;
  /** The node in this process. */
  readonly ownNodeName?: string;
  /** Names of the kubelet's certificate, beside the node's. */
  readonly kubeletNames: readonly string[];
  /** The certificates were looked after, and may be new. */
  readonly onRenewed?: (pki: Pki) => void;
  /** Nodes in this process; all others are reached over the network. */
  readonly localNode?: NodeConnections;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly background: Background;
}

export interface ControlPlane {
  readonly server: ApiServer;
  readonly edge: EdgeServer;
  readonly pki: Pki;
  /** The address that it listens on, with the chosen port. */
  readonly address: ListenAddress;
  /** A client in memory; `component` names it in logs and User-Agent. */
  client(user: UserInfo, component: string): KubeClient;
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
  options: ControlPlaneOptions,
  stack: AsyncDisposableStack,
): Promise<ControlPlane> {
  const { clock, random, logger, metrics, background, paths } = options;
  const damage = new StoreDamage({ clock, random, logger: logger.child({ component: 'store' }), metrics });
  // Before the keys: where there are keys, there was a store.
  const store = await openStore(options, damage);
  stack.defer(() => store.close());
  const pki = await openPki(options);
  const tokens = await refusingBadFiles(() => openTokenSigner({ dir: paths.pki, fs: systemFileSystem }));
  const nodes = new RemoteNodes({
    clock,
    authorityPem: pki.authorityPem,
    client: pki.kubeletClient,
    nodeOf: (name, signal) => client(selfUser, 'node-connections').get(NODES, undefined, name, signal),
  });
  stack.defer(() => nodes.close());
  const server: ApiServer = createApiServer(
    {
      store,
      clock,
      random: random.split('apiserver'),
      logger: logger.child({ component: 'apiserver' }),
      metrics,
      breather: loopBreather,
      nodeConnection: (name) => options.localNode?.(name) ?? nodes.connection(name),
      originConnection: (origin) => createHttpConnection({ server: origin, insecureSkipTlsVerify: true, clock }),
    },
    {
      version: { gitVersion: kubernetesVersion, platform: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}` },
      ...(options.serviceCidr !== undefined && { serviceCidr: options.serviceCidr }),
      admission: options.cluster.admission,
      tokens,
      damagedObjects: () => damage.count,
    },
  );
  stack.defer(() => server.close());
  // It is awaited below; if we leave before, nothing else awaits it.
  server.ready.catch(() => {});
  const edge = await startEdge(options, server, pki);
  stack.defer(() => edge.close());
  stack.defer(() => background.end());
  await server.ready;
  const address = edge.addresses[0] ?? options.listen;
  writeKubeconfig(paths, pki, address);
  const client = (user: UserInfo, component: string): KubeClient =>
    createKubeClient(server.as(user), { clock, userAgent: `mendlet-${component}/${kubernetesVersion}` });
  const component = (name: string) => ({
    // The bootstrap policy gives each what it needs, and no more.
    client: client({ name: `system:${name}`, groups: ['system:authenticated'] }, name),
    clock,
    random: random.split(name),
    logger: logger.child({ component: name }),
    metrics,
  });
  const caCertificate = pki.authorityPem;
  // The one of today: a renewal has the same key, and lasts longer.
  let { authority } = pki;
  const certificateSigner: CertificateSigner = { sign: (request) => signCertificateRequest(authority, request) };
  background.start('controllers', (signal) =>
    runControllers(
      {
        ...component('kube-controller-manager'),
        caCertificate,
        certificateSigner,
        ...(options.nodeIpam && { nodeIpam: options.nodeIpam }),
        nodeLifecycle: options.cluster.nodeLifecycle,
        healing: options.cluster.healing,
        refusals,
        ...(options.ownNodeName !== undefined && { ownNodeName: options.ownNodeName }),
      },
      signal,
    ),
  );
  background.start('store damage', (signal) => damage.tell(client(selfUser, 'store'), signal));
  background.start('scheduler', (signal) => runScheduler(component('kube-scheduler'), signal));
  const renewed = (pki: Pki): void => {
    authority = pki.authority;
    options.onRenewed?.(pki);
  };
  background.start('certificates', (signal) =>
    renewCertificates({ ...options, onRenewed: renewed }, { edge, nodes, address }, signal),
  );
  return { server, edge, pki, address, client };
}

async function openPki(options: ControlPlaneOptions): Promise<Pki> {
  const { paths, nodeName, clock, listen, serverNames, serviceCidr, kubeletNames } = options;
  // The first address of the services' range: that of the `kubernetes` service.
  const service = serviceCidr === undefined ? '10.96.0.1' : firstAddressOf(parsePodCidr(serviceCidr));
  const names = [service, ...serverNames, ...(isWildcard(listen) ? [] : [listen.host])];
  return refusingBadFiles(() =>
    ensurePki({
      dir: paths.pki,
      nodeName,
      serverNames: names,
      kubeletNames,
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
  { paths, instanceId, clock, background }: ControlPlaneOptions,
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

async function startEdge(options: ControlPlaneOptions, server: ApiServer, pki: Pki): Promise<EdgeServer> {
  const { listen, clock, logger, metrics } = options;
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
  // The same again needs no disk, which may be full.
  if (existsSync(paths.kubeconfig) && readFileSync(paths.kubeconfig, 'utf8') === text) return;
  writeFileSync(`${paths.kubeconfig}.new`, text, { mode: 0o600 });
  // A reader sees the old or the new one.
  renameSync(`${paths.kubeconfig}.new`, paths.kubeconfig);
}

/** Once a day: certificates with little lifetime left are renewed, for the server and in the kubeconfig. */
async function renewCertificates(
  options: ControlPlaneOptions,
  { edge, nodes, address }: { readonly edge: EdgeServer; readonly nodes: RemoteNodes; readonly address: ListenAddress },
  signal: AbortSignal,
): Promise<void> {
  let failed = false;
  while (!signal.aborted) {
    await options.clock.sleep(failed ? RENEW_AGAIN_MS : RENEW_EVERY_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const pki = await openPki(options);
      edge.setCertificate(withAuthority(pki));
      nodes.setClient(pki.kubeletClient);
      options.onRenewed?.(pki);
      writeKubeconfig(options.paths, pki, address);
      failed = false;
    } catch (error) {
      // A disk that is full today: the certificates have weeks left, and nothing else may end for it.
      failed = true;
      options.logger.error('certificates not renewed', { error });
    }
  }
}
