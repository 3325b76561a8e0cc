/** HTTP/1.1 upgrades (SPDY/3.1 and WebSocket, for exec, attach and port-forward): raw bytes pass both ways. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { internalError } from '../../api/index.ts';
import { encodeText, type Headers, type HttpResponse, relay, toDuplexStream } from '../../lib/index.ts';
import { type ExchangeOptions, isResponse, readRequest, statusResponse } from './exchange.node.ts';
import { UPGRADE_LINGER_MS } from './limits.ts';

function formatHead(status: number, headers: Headers): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, ' ')}\r\n`);
  return encodeText(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`);
}

/** An ordinary answer to an upgrade; the connection ends with it. */
async function refuse(socket: Duplex, response: HttpResponse): Promise<void> {
  const stream = toDuplexStream(socket);
  const { status, headers, body } = response;
  const length: Headers = body instanceof Uint8Array ? { 'content-length': String(body.length) } : {};
  const { 'transfer-encoding': _, ...kept } = headers;
  await stream.write(formatHead(status, { ...kept, ...length, connection: 'close' }));
  if (body instanceof Uint8Array) await stream.write(body);
  else for await (const chunk of body) await stream.write(chunk);
  stream.end();
}

/** Serves one upgrade to its end. Never rejects. */
export async function serveUpgrade(
  incoming: IncomingMessage,
  socket: Duplex,
  head: Uint8Array,
  options: ExchangeOptions,
  stop: AbortSignal,
): Promise<void> {
  const controller = new AbortController();
  const onStop = (): void => void socket.destroy();
  socket.on('error', () => {});
  socket.on('close', () => controller.abort(new Error('the client is gone')));
  stop.addEventListener('abort', onStop, { once: true });
  let lingering: NodeJS.Timeout | undefined;
  try {
    const request = await readRequest(incoming, options, controller.signal);
    if (isResponse(request)) {
      await refuse(socket, request);
      return;
    }
    const answer = await options.connection.upgrade(request);
    if (!answer.upgraded) {
      await refuse(socket, answer.response);
      return;
    }
    const client = toDuplexStream(socket, head);
    await client.write(formatHead(101, answer.headers));
    await relay(client, answer.stream, () => {
      lingering = setTimeout(() => socket.destroy(), UPGRADE_LINGER_MS);
    });
  } catch (error) {
    if (!controller.signal.aborted) options.logger.warn('upgrade failed', { error, url: incoming.url });
    await refuse(socket, statusResponse(internalError('the upgrade failed', { cause: error }))).catch(() => {});
    socket.destroy();
  } finally {
    clearTimeout(lingering);
    stop.removeEventListener('abort', onStop);
  }
}
