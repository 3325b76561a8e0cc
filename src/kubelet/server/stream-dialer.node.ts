/** Opens the runtime's streaming URLs (on loopback, plain HTTP) and hands the upgraded connection on. */
import { type IncomingMessage, request as httpRequest } from 'node:http';
import {
  ConnectionError,
  type HttpRequest,
  type HttpResponse,
  toDuplexStream,
  type UpgradeResponse,
} from '../../lib/index.ts';
import type { StreamDialer } from '../ports.ts';

const DIAL_TIMEOUT_MS = 30_000;
const MAX_REFUSAL_BYTES = 64 * 1024;

export function createStreamDialer(): StreamDialer {
  return { upgrade };
}

/** Rejects with ConnectionError when the streaming server does not answer. */
function upgrade(url: string, request: HttpRequest): Promise<UpgradeResponse> {
  return new Promise((resolve, reject) => {
    const { host: _host, 'content-length': _length, ...headers } = request.headers;
    const dialing = AbortSignal.timeout(DIAL_TIMEOUT_MS);
    const outgoing = httpRequest(url, { method: request.method, headers: { ...headers }, agent: false });
    const giveUp = (): void => void outgoing.destroy(new Error(`no answer from ${new URL(url).host}`));
    dialing.addEventListener('abort', giveUp, { once: true });
    const answered = (): void => dialing.removeEventListener('abort', giveUp);
    outgoing.on('upgrade', (response, socket, head) => {
      answered();
      resolve({ upgraded: true, status: 101, headers: plainHeaders(response), stream: toDuplexStream(socket, head) });
    });
    outgoing.on('response', (response) => {
      answered();
      refusal(response).then((answer) => resolve({ upgraded: false, response: answer }), reject);
    });
    outgoing.on('error', (error) => {
      answered();
      reject(new ConnectionError(error.message, { cause: error }));
    });
    outgoing.end();
  });
}

async function refusal(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_REFUSAL_BYTES) break;
  }
  return {
    status: response.statusCode ?? 500,
    headers: plainHeaders(response),
    body: new Uint8Array(Buffer.concat(chunks)),
  };
}

function plainHeaders(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}
