/** The version of the API server, as it says itself. */
import { type Connection, decodeText, readAll } from '../../lib/index.ts';

const MAX_BYTES = 64 * 1024;
const MAX_VERSION = 100;

/** Undefined: it did not say. Never rejects. */
export async function serverVersion(connection: Connection, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { status, body } = await connection.request({ method: 'GET', url: '/version', headers: {}, signal });
    const text = decodeText(await readAll(body, MAX_BYTES));
    const { gitVersion } = JSON.parse(text) as { readonly gitVersion?: unknown };
    return status === 200 && typeof gitVersion === 'string' ? gitVersion.slice(0, MAX_VERSION) : undefined;
  } catch {
    return undefined;
  }
}
