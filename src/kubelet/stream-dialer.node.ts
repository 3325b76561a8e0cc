/** Opens the runtime's streaming URL (exec, attach, port-forward) on this machine and hands back its raw bytes. */
import * as http from 'node:http';
import {
  type Clock,
  ConnectionError,
  fromNodeHeaders,
  type Headers,
  type HttpRequest,
  readChunks,
  toDuplexStream,
  type UpgradeResponse,
} from '../lib/index.ts';
import type { StreamDialer } from './ports.ts';

/** The runtime answers an upgrade at once; it does not wait for the container. */
const ANSWER_TIMEOUT_MS = 30_000;

/** What the client said to the API server about itself is not for the runtime. */
const DROPPED_HEADERS = new Set(['host', 'authorization', 'cookie', 'content-length', 'transfer-encoding']);

function forwardedHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !DROPPED_HEADERS.has(name)));
}

function upgrade(clock: Clock, url: string, request: HttpRequest): Promise<UpgradeResponse> {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, {
      method: request.method,
      headers: forwardedHeaders(request.headers),
      // What is upgraded never goes back to a pool.
      agent: false,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    const timer = clock.setTimer(ANSWER_TIMEOUT_MS, () =>
      sent.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)),
    );
    sent.on('close', () => timer.cancel());
    sent.on('error', (error) =>
      reject(new ConnectionError(`streaming server of the runtime: ${error.message}`, { cause: error })),
    );
    sent.on('upgrade', (response, socket, head) => {
      timer.cancel();
      socket.setNoDelay(true);
      request.signal?.addEventListener('abort', () => socket.destroy(), { once: true });
      const stream = toDuplexStream(socket, head);
      resolve({ upgraded: true, status: 101, headers: fromNodeHeaders(response.headers), stream });
    });
    sent.on('response', (response) => {
      timer.cancel();
      const headers = fromNodeHeaders(response.headers);
      resolve({ upgraded: false, response: { status: response.statusCode ?? 0, headers, body: readChunks(response) } });
    });
    sent.end(request.body);
  });
}

/** A `StreamDialer` for `http://` URLs. */
export function createStreamDialer({ clock }: { readonly clock: Clock }): StreamDialer {
  return { upgrade: (url, request) => upgrade(clock, url, request) };
}
