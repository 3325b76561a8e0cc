/** Opens the runtime's streaming URL (exec, attach, port-forward) on this machine and hands back its raw bytes. */
import * as http from 'node:http';
import { Socket, type TcpSocketConnectOpts } from 'node:net';
import {
  type Clock,
  ConnectionError,
  type DuplexStream,
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

/** The client's headers for the API server are not for the runtime. */
const DROPPED_HEADERS = new Set(['host', 'authorization', 'cookie', 'content-length', 'transfer-encoding']);

function forwardedHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !DROPPED_HEADERS.has(name)));
}

/**
 * A socket that is read to its end after a write failed. The runtime closes when the command ended, perhaps with unread
 * input: the kernel then refuses our next bytes, while the command's last output and its status wait to be read. Node would
 * drop them.
 */
class PatientSocket extends Socket {
  writeError: Error | undefined;

  override _write(chunk: unknown, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    super._write(chunk, encoding, this.#patient(done));
  }

  override _writev(
    chunks: { readonly chunk: unknown; readonly encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    super._writev?.(chunks, this.#patient(done));
  }

  #patient(done: (error?: Error | null) => void): (error?: Error | null) => void {
    return (error) => {
      this.writeError ??= error ?? undefined;
      done();
    };
  }
}

function toStream(socket: PatientSocket, head: Uint8Array): DuplexStream {
  const stream = toDuplexStream(socket, head);
  return {
    ...stream,
    write: async (chunk) => {
      if (socket.writeError === undefined) await stream.write(chunk);
      const cause = socket.writeError;
      if (cause !== undefined) throw new ConnectionError(`connection broke: ${cause.message}`, { cause });
    },
  };
}

function upgrade(clock: Clock, url: string, request: HttpRequest): Promise<UpgradeResponse> {
  return new Promise((resolve, reject) => {
    const socket = new PatientSocket();
    const sent = http.request(url, {
      method: request.method,
      headers: forwardedHeaders(request.headers),
      // No agent is used: an upgraded connection never goes back to a pool.
      createConnection: (options) => socket.connect(options as TcpSocketConnectOpts),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    const timer = clock.setTimer(ANSWER_TIMEOUT_MS, () =>
      sent.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)),
    );
    sent.on('close', () => timer.cancel());
    sent.on('error', (error) =>
      reject(new ConnectionError(`streaming server of the runtime: ${error.message}`, { cause: error })),
    );
    sent.on('upgrade', (response, _, head) => {
      timer.cancel();
      socket.setNoDelay(true);
      request.signal?.addEventListener('abort', () => socket.destroy(), { once: true });
      const stream = toStream(socket, head);
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
