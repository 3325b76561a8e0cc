/** The kubelet's own API on its port: TLS, and each request checked against the API server. */
import type { KeyPair } from './key-pair.ts';
import { type EdgeServer, formatAddress, type ListenAddress, startEdgeServer } from '../apiserver/edge/server.node.ts';
import { connectionShares } from '../apiserver/index.ts';
import { exitCodes } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import { createAccessControl, guardConnection } from '../kubelet/index.ts';
import {
  type Clock,
  type Connection,
  createMetrics,
  encodeText,
  type HttpResponse,
  type Logger,
  type MetricsRegistry,
} from '../lib/index.ts';
import { sha256Hex } from '../lib/sha256.node.ts';
import { outwardAddresses } from '../network/network-machine.node.ts';
import { maxOpenFiles } from './open-files.node.ts';
import { takenPort } from './taken-port.node.ts';
import { UserError } from './user-error.ts';

/** Upstream's port; in `up` the API server is in the same process. */
export const defaultKubeletListen: ListenAddress = { host: '127.0.0.1', port: 10_250 };
/** A kubelet's clients are API servers and scrapers of metrics; each exec and port-forward is a connection. */
const MAX_KUBELET_CONNECTIONS = 1024;
export const kubeletListenFlag = '--kubelet-listen';

export interface KubeletEdgeOptions {
  /** Absent: the usual port, or any free one if that is taken. */
  readonly listen: ListenAddress | undefined;
  readonly usual: ListenAddress;
  readonly nodeName: string;
  readonly certificate: KeyPair;
  /** The name in the API server's client certificate. */
  readonly authorityPem: string;
  /** The kubelet's own connection to the API server, for authorization. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface KubeletEdge {
  readonly edge: EdgeServer;
  readonly port: number;
  /** Metrics of the port; the kubelet adds its own to them, and shows both. */
  readonly metrics: MetricsRegistry;
  /** From now on this answers. */
  serve(connection: Connection): void;
  /** Listens on the pod bridge's address, too. @throws UserError only where the port was asked for */
  listenForPods(gateway: string): Promise<void>;
}

/**
 * Listens; `stack` gets the started parts.
 * @throws UserError (exit code 3) for a requested port that is taken
 */
export async function startKubeletEdge(options: KubeletEdgeOptions, stack: AsyncDisposableStack): Promise<KubeletEdge> {
  const { nodeName, client, clock, logger, usual } = options;
  let kubelet: Connection | undefined;
  const metrics = createMetrics();
  const access = createAccessControl({ client, clock, logger, nodeName, digest: sha256Hex });
  const starting = async (): Promise<HttpResponse> => ({
    status: 503,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' },
    body: encodeText('the node agent is starting'),
  });
  const connection: Connection = {
    request: (request) => kubelet?.request(request) ?? starting(),
    upgrade: async (request) => kubelet?.upgrade(request) ?? { upgraded: false, response: await starting() },
  };
  const edgeOptions = {
    connection: guardConnection(connection, access),
    trust: {
      certificate: options.certificate,
      authorityPem: options.authorityPem,
      tokens: (token: string) => access.authenticate(token),
    },
    shares: connectionShares(maxOpenFiles(), MAX_KUBELET_CONNECTIONS),
    clock,
    logger,
    name: 'kubelet',
    metrics,
  };
  const start = (listen: ListenAddress): ReturnType<typeof startEdgeServer> =>
    startEdgeServer({ ...edgeOptions, addresses: [listen] });
  let listen = options.listen ?? usual;
  let started = await start(listen);
  if (!started.ok && started.error.code === 'in-use' && options.listen === undefined) {
    listen = { ...listen, port: 0 };
    started = await start(listen);
  }
  if (!started.ok) throw listenError(started.error);
  const edge = started.server;
  stack.defer(() => edge.close());
  const port = edge.addresses[0]?.port ?? 0;
  if (options.listen === undefined && port !== usual.port) {
    logger.warn('another process has the usual port of the kubelet; this one has another', {
      usual: formatAddress(usual),
      port,
    });
  }
  return {
    edge,
    port,
    metrics,
    serve: (served) => {
      kubelet = served;
    },
    listenForPods: async (gateway) => {
      // A listener on all addresses has this one too.
      if (listen.host === '0.0.0.0' || listen.host === '::' || listen.host === gateway) return;
      const result = await edge.listen({ host: gateway, port });
      if (result.ok) return;
      if (options.listen !== undefined) throw listenError(result.error);
      logger.warn('the kubelet cannot be reached from pods', { error: result.error.message });
    },
  };
}

function listenError({ code, message, address }: { code: string; message: string; address: ListenAddress }): UserError {
  if (code !== 'in-use') return new UserError(message);
  return new UserError(takenPort(formatAddress(address), kubeletListenFlag), { exitCode: exitCodes.inUse });
}

/** Names of the kubelet's certificate besides the node's own: the addresses of this machine, and of the listener. */
export function kubeletNames(listen: ListenAddress | undefined, gateway: string): readonly string[] {
  const host = listen?.host;
  const given = host === undefined || host === '0.0.0.0' || host === '::' ? [] : [host];
  return [...new Set([gateway, ...given, ...outwardAddresses()])];
}
