/** Creates the objects that a cluster has from its first moment: the system namespaces. */
import { NAMESPACES } from '../api/index.ts';
import { type Connection, OWN_HEADERS } from './ports.ts';
import { encodeText } from '../lib/index.ts';
import { SYSTEM_NAMESPACES } from './registry/namespaces.ts';

/** Creates what is missing, through the server itself. `server` acts as its own user. */
export async function bootstrap(server: Connection): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) {
    const there = await server.request({ method: 'GET', url: `/api/v1/namespaces/${name}`, headers: {} });
    if (there.status === 200) continue;
    const body = encodeText(JSON.stringify({ apiVersion: 'v1', kind: NAMESPACES.kind, metadata: { name } }));
    const answer = await server.request({ method: 'POST', url: '/api/v1/namespaces', headers: OWN_HEADERS, body });
    if (answer.status >= 300 && answer.status !== 409) {
      throw new Error(`could not create namespace ${name}: HTTP ${answer.status}`);
    }
  }
}
