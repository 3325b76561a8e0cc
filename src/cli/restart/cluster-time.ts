/** Reads the cluster's time: this machine's clock may be wrong by minutes, and restarts are compared with times of nodes. */
import type { Clock, Connection } from '../../lib/index.ts';
import { readAll } from '../../lib/index.ts';

/** Wall ms by the server's Date header, else by our own clock. @throws ConnectionError */
export async function clusterTime(connection: Connection, clock: Clock): Promise<number> {
  const { headers, body } = await connection.request({ method: 'GET', url: '/version', headers: {} });
  if (!(body instanceof Uint8Array)) await readAll(body, 1 << 20);
  const own = clock.now().wall;
  const told = Date.parse(headers['date'] ?? '');
  // The header has whole seconds. A smaller difference does not count, and our own clock is finer.
  return Number.isNaN(told) || Math.abs(told - own) < 2000 ? own : told;
}
