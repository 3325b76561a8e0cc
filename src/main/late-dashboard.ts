/** The live page of a control plane: its API server is there first, and hands out links once the page is served. */
import type { ApiServer, DashboardLinks } from '../apiserver/index.ts';
import type { Pki } from '../apiserver/edge/pki.node.ts';
import type { DashboardListen } from '../cli/index.ts';
import { createKubeClient } from '../client/index.ts';
import type { Viewer } from '../dashboard/index.ts';
import type { Clock, UserInfo } from '../lib/index.ts';
import { certificateFacts } from './certificate-facts.node.ts';
import type { Ground } from './ground.ts';
import { serveDashboard, type ServedDashboard } from './serve-dashboard.ts';
import { userAgentOf } from './user-agent.ts';

export interface LatePage {
  readonly listen: DashboardListen;
  /** In which name and port are kept. */
  readonly file: string;
  /** The cluster's name on the page. */
  readonly cluster: string;
}

export class LateDashboard {
  #served: (ServedDashboard & { readonly viewerOf: (user: UserInfo) => Viewer }) | undefined;

  readonly links: DashboardLinks = (user, wish) => {
    if (this.#served === undefined) return 'none';
    const { dashboard, viewerOf } = this.#served;
    return dashboard.link(viewerOf(user), wish) ?? 'full';
  };

  /** @throws UserError */
  async start(
    { clock, logger }: Pick<Ground, 'clock' | 'logger'>,
    { listen, file, cluster }: LatePage,
    { server, pki }: { readonly server: ApiServer; readonly pki: Pki },
    stack: AsyncDisposableStack,
  ): Promise<void> {
    if (listen === 'off') return;
    const viewerOf = (user: UserInfo): Viewer => viewerAs(user, server, clock);
    const served = await serveDashboard(
      { clock, logger: logger.child({ component: 'dashboard' }) },
      {
        listen,
        flag: '--dashboard',
        tls: pki.server,
        file,
        cluster,
        viewerOfToken: async (token) => {
          const user = await server.authenticateToken(token);
          return user === undefined ? undefined : viewerOf(user);
        },
      },
      stack,
    );
    this.#served = { ...served, viewerOf };
  }

  renewed({ server }: Pki): void {
    if (this.#served?.place.isTls === true) this.#served.server.setCertificate(server);
  }
}

function viewerAs(user: UserInfo, server: ApiServer, clock: Clock): Viewer {
  const { name, uid = '', groups, extra = {} } = user;
  const connection = server.as(user);
  return {
    name,
    key: JSON.stringify([
      name,
      uid,
      groups.toSorted(),
      Object.keys(extra)
        .toSorted()
        .map((fact) => [fact, extra[fact]]),
    ]),
    connection,
    client: createKubeClient(connection, { clock, userAgent: userAgentOf('dashboard') }),
    readCertificate: certificateFacts,
  };
}
