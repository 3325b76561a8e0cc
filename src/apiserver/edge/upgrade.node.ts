/** HTTP/1.1 upgrades (SPDY/3.1 and WebSocket, for exec, attach and port-forward): raw bytes pass both ways. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { internalError } from '../../api/index.ts';
import {
  type Clock,
  encodeText,
  type Headers,
  type HttpResponse,
  relay,
  type Timer,
  toDuplexStream,
  type UpgradeResponse,
} from '../../lib/index.ts';
import type { Endings } from './endings.ts';
import { admit, type ExchangeOptions, statusResponse } from './exchange.node.ts';
import { LINGER_MS, UPGRADE_LINGER_MS } from './limits.ts';
import type { ServedConnection } from './served-connection.node.ts';

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

export interface UpgradeMessages {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes after the request's head. */
  readonly head: Uint8Array;
  readonly peer: ServedConnection;
}

/** Serves one upgrade to its end. Never rejects. */
export async function serveUpgrade(
  { incoming, socket, head, peer }: UpgradeMessages,
  options: ExchangeOptions,
  endings: Endings,
): Promise<void> {
  const { clock } = options;
  const controller = new AbortController();
  const over = peer.begin();
  socket.on('error', () => {});
  socket.on('close', () => controller.abort(new Error('the client is gone')));
  const leave = endings.add(() => void socket.destroy());
  let lingering: Timer | undefined;
  try {
    const answer = await ask(incoming, peer, options, controller.signal);
    if (!answer.upgraded) {
      await refuse(socket, answer.response);
      await lingered(socket, clock);
      return;
    }
    const client = toDuplexStream(socket, head);
    await client.write(formatHead(101, answer.headers));
    await relay(client, answer.stream, () => {
      lingering = clock.setTimer(UPGRADE_LINGER_MS, () => socket.destroy());
    });
  } catch (error) {
    if (!controller.signal.aborted) options.logger.warn('upgrade failed', { error, url: incoming.url });
    await refuse(socket, statusResponse(internalError('the upgrade failed', { cause: error }))).catch(() => {});
    socket.destroy();
  } finally {
    lingering?.cancel();
    leave();
    over();
  }
}

/** The authorizer's answer; for a stranger nothing is held except the question. */
async function ask(
  incoming: IncomingMessage,
  peer: ServedConnection,
  options: ExchangeOptions,
  signal: AbortSignal,
): Promise<UpgradeResponse> {
  const admission = await admit(incoming, peer, options);
  if (!admission.ok) return { upgraded: false, response: statusResponse(admission.error) };
  const { user, headers, leave } = admission;
  const { method = 'GET', url = '/' } = incoming;
  try {
    return await options.connection.upgrade({ method, url, headers, signal, user });
  } finally {
    leave();
  }
}

/** A client gets to read the refusal; then its socket ends, whatever it still sends. */
async function lingered(socket: Duplex, clock: Clock): Promise<void> {
  if (socket.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(LINGER_MS, () => socket.destroy());
    socket.once('close', () => {
      timer.cancel();
      resolve();
    });
    socket.once('end', () => socket.destroy());
    socket.resume();
  });
}
