/** Serves the live page: the listener, the name, and the dashboard behind them. */
import { hostname } from 'node:os';
import { exitCodes, type ListenAddress } from '../cli/index.ts';
import { Dashboard, type DashboardOptions, type Place } from '../dashboard/index.ts';
import { type DashboardServer, startDashboardServer } from '../dashboard/dashboard-server.node.ts';
import { systemSecrets } from '../dashboard/secrets.node.ts';
import { type Clock, errorMessage, type Logger } from '../lib/index.ts';
import { isLoopback, isWildcard } from './addresses.ts';
import { keepPlace, type KeptPlace, newPlace, readPlace } from './dashboard-place.node.ts';
import { pageFiles } from './page-files.node.ts';
import { takenPort } from './taken-port.node.ts';
import { UserError } from './user-error.ts';

export interface KeyAndCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface DashboardWish extends Omit<DashboardOptions, 'place'> {
  readonly listen: ListenAddress;
  /** The flag that names the address, for messages. */
  readonly flag: string;
  /** Beyond loopback. */
  readonly tls?: KeyAndCertificate;
  /** The file in which name and port are kept; absent: they are new each time. */
  readonly file?: string;
}

export interface ServedDashboard {
  readonly dashboard: Dashboard;
  readonly server: DashboardServer;
  readonly place: Place;
}

/** @throws UserError when it cannot be served there */
export async function serveDashboard(
  ports: { readonly clock: Clock; readonly logger: Logger },
  wish: DashboardWish,
  stack: AsyncDisposableStack,
): Promise<ServedDashboard> {
  const { listen, flag, tls, file, ...options } = wish;
  const isLocal = isLoopback(listen);
  if (!isLocal && tls === undefined) {
    throw new UserError(
      `${flag} ${formatAddress(listen)} is beyond loopback, where the page is served with TLS alone: give --tls-cert and --tls-key`,
      { exitCode: exitCodes.usage },
    );
  }
  const kept = file === undefined ? newPlace() : readPlace(file);
  const encrypted = isLocal ? undefined : tls;
  const { server, id } = await startOn(listen, kept, {
    flag,
    logger: ports.logger,
    ...(encrypted && { tls: encrypted }),
  });
  stack.defer(() => server.close());
  if (file !== undefined) keepPlace(file, { id, port: server.port });
  const name = isLocal ? `mendlet-${id}.localhost` : isWildcard(listen) ? hostname().toLowerCase() : listen.host;
  const shown = name.includes(':') ? `[${name}]` : name;
  const place: Place = { name: shown, port: server.port, isTls: encrypted !== undefined, id };
  const dashboard = new Dashboard({ ...ports, secrets: systemSecrets, files: pageFiles() }, { ...options, place });
  stack.defer(() => dashboard.close());
  server.serve((request, known) => dashboard.handle(request, known));
  return { dashboard, server, place };
}

/** "127.0.0.1:8080", "[::1]:8080" */
function formatAddress({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

interface Means {
  readonly flag: string;
  readonly logger: Logger;
  readonly tls?: KeyAndCertificate;
}

/** On the port of the last time where none is asked for. A page on another port has another name: an old tab may hold on to the old. */
async function startOn(
  listen: ListenAddress,
  kept: KeptPlace,
  { flag, ...means }: Means,
): Promise<{ readonly server: DashboardServer; readonly id: string }> {
  if (listen.port === 0 && kept.port !== 0) {
    try {
      const server = await startDashboardServer({ ...means, listen: { ...listen, port: kept.port } });
      return { server, id: kept.id };
    } catch (error) {
      means.logger.info('the port of the live page is taken; it gets another', {
        port: kept.port,
        error: errorMessage(error),
      });
      return { server: await startDashboardServer({ ...means, listen }), id: newPlace().id };
    }
  }
  try {
    return { server: await startDashboardServer({ ...means, listen }), id: kept.id };
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const address = formatAddress(listen);
    if (isTaken) throw new UserError(takenPort(address, flag), { cause: error, exitCode: exitCodes.inUse });
    throw new UserError(`cannot listen on ${address}: ${errorMessage(error)}`, { cause: error });
  }
}
