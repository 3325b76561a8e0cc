/** Tells the server for `mendlet down` that the node is gone for good. */
import { isNotFound, NODES } from '../../api/index.ts';
import { createHttpConnection } from '../../client/http-connection.node.ts';
import { createKubeClient } from '../../client/index.ts';
import { systemClock } from '../../lib/clock.node.ts';
import { errorMessage } from '../../lib/index.ts';
import type { DataPaths } from '../data-dir-path.ts';
import { readCredentials } from './credentials.node.ts';

const TIMEOUT_MS = 10_000;

/**
 * Deletes the node's object.
 * @returns the work that is left for a person; `undefined`: none
 */
export async function leaveCluster(paths: DataPaths, nodeName: string): Promise<string | undefined> {
  const rest = (why: string): string =>
    `node ${nodeName} stays in its cluster until somebody removes it (kubectl delete node ${nodeName}): ${why}`;
  try {
    const credentials = await readCredentials(paths);
    if (credentials === undefined) return undefined;
    const connection = createHttpConnection({ ...credentials, clock: systemClock });
    try {
      const client = createKubeClient(connection, { clock: systemClock, timeoutMs: TIMEOUT_MS });
      await client.delete(NODES, undefined, nodeName);
    } finally {
      connection.close();
    }
    return undefined;
  } catch (error) {
    return isNotFound(error) ? undefined : rest(errorMessage(error));
  }
}
