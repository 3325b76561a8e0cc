/** Recognises mendlet's own API server by its version. */
import { StatusError } from '../api/index.ts';
import { type Connection, ConnectionError, decodeText, readAll } from '../lib/index.ts';

const MAX_VERSION_BYTES = 65_536;

/** `gitVersion` of GET /version: "v1.36.2", ours with "+mendlet". Rejects with `StatusError` or `ConnectionError`. */
export async function readServerVersion(connection: Connection, signal: AbortSignal): Promise<string> {
  const response = await connection.request({ method: 'GET', url: '/version', headers: {}, signal });
  const text = decodeText(await readAll(response.body, MAX_VERSION_BYTES));
  if (response.status !== 200) {
    const message = `GET /version: ${response.status} ${text.slice(0, 200)}`;
    throw new StatusError({ status: 'Failure', code: response.status, reason: 'Unknown', message });
  }
  try {
    const { gitVersion } = JSON.parse(text) as { readonly gitVersion?: unknown };
    if (typeof gitVersion === 'string') return gitVersion;
  } catch {
    // Reported below.
  }
  throw new ConnectionError('GET /version: the answer is no version');
}
