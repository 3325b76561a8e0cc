/** One request and its answer: Node's message objects on the one side, `Connection.request` on the other. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { constants, type Http2ServerRequest } from 'node:http2';
import type { Writable } from 'node:stream';
import { internalError, requestEntityTooLarge, type StatusError, unauthorized } from '../../api/index.ts';
import {
  type Connection,
  encodeText,
  fromNodeHeaders,
  type HttpRequest,
  type HttpResponse,
  type Logger,
  readAll,
  readChunks,
  TooManyBytesError,
  withoutConnectionHeaders,
} from '../../lib/index.ts';
import { authenticate, type TokenAuthenticator } from './authentication.ts';
import { LINGER_BYTES, LINGER_MS, MAX_REQUEST_BODY_BYTES } from './limits.ts';
import { peerCertificate } from './peer-certificate.node.ts';

export type NodeRequest = IncomingMessage | Http2ServerRequest;
/** What the responses of HTTP/1.1 and of HTTP/2 have in common (Node's types of the latter lack `flushHeaders`). */
export interface NodeResponse extends Writable {
  readonly headersSent: boolean;
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  flushHeaders(): void;
}

export interface ExchangeOptions {
  readonly connection: Connection;
  readonly tokens: TokenAuthenticator;
  readonly logger: Logger;
}

/** The Kubernetes `Status` of an error, as a response. */
export function statusResponse(error: StatusError): HttpResponse {
  const body = encodeText(JSON.stringify(error.status));
  return { status: error.code, headers: { 'content-type': 'application/json' }, body };
}

/** The request as the handler wants it, or the answer why not. */
export async function readRequest(
  incoming: NodeRequest,
  options: ExchangeOptions,
  signal: AbortSignal,
): Promise<HttpRequest | HttpResponse> {
  const headers = fromNodeHeaders(incoming.headers);
  const socket = 'stream' in incoming ? incoming.stream.session?.socket : incoming.socket;
  const peer = socket === undefined ? ({ kind: 'none' } as const) : peerCertificate(socket);
  const user = await authenticate(peer, headers['authorization'], options.tokens);
  if (user === undefined) return statusResponse(unauthorized());
  // Credentials end here: what a handler does not get it cannot pass on.
  const { authorization: _, ...kept } = headers;
  return { method: incoming.method ?? 'GET', url: incoming.url ?? '/', headers: kept, signal, user };
}

export function isResponse(value: HttpRequest | HttpResponse): value is HttpResponse {
  return 'status' in value;
}

async function readBody(incoming: NodeRequest): Promise<Uint8Array | undefined> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > MAX_REQUEST_BODY_BYTES) throw new TooManyBytesError(MAX_REQUEST_BODY_BYTES);
  const body = await readAll(readChunks(incoming), MAX_REQUEST_BODY_BYTES);
  return body.length === 0 ? undefined : body;
}

/** Resolves when the response takes more, or is over. */
function drained(outgoing: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    const onEvent = (): void => {
      outgoing.off('drain', onEvent);
      outgoing.off('close', onEvent);
      resolve();
    };
    outgoing.on('drain', onEvent);
    outgoing.on('close', onEvent);
  });
}

/** Pulls one piece at a time, and only when the client took the one before it: a slow client holds up only itself. */
async function sendStream(
  outgoing: NodeResponse,
  body: AsyncIterable<Uint8Array>,
  gone: Promise<'gone'>,
): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([chunks.next(), gone]);
    if (next === 'gone') {
      // Not awaited: an iterator that waits for its next event ends only by the request's signal, which is aborted.
      chunks.return?.()?.catch(() => {});
      return;
    }
    if (next.done === true) break;
    if (next.value.length > 0 && !outgoing.write(next.value)) await Promise.race([drained(outgoing), gone]);
  }
  outgoing.end();
}

async function send(
  incoming: NodeRequest,
  outgoing: NodeResponse,
  response: HttpResponse,
  gone: Promise<'gone'>,
): Promise<void> {
  const { status, body } = response;
  const isHead = incoming.method === 'HEAD';
  const headers = incoming.httpVersionMajor === 2 ? withoutConnectionHeaders(response.headers) : response.headers;
  if (body instanceof Uint8Array) {
    outgoing.writeHead(status, { 'content-length': body.length, ...headers });
    if (isHead || body.length === 0) outgoing.end();
    else outgoing.end(body);
    return;
  }
  outgoing.writeHead(status, { ...headers });
  // A watch may be silent for minutes; its client waits for the head.
  outgoing.flushHeaders();
  if (isHead) outgoing.end();
  else await sendStream(outgoing, body, gone);
}

async function answer(incoming: NodeRequest, options: ExchangeOptions, signal: AbortSignal): Promise<HttpResponse> {
  const request = await readRequest(incoming, options, signal);
  if (isResponse(request)) return request;
  const body = await readBody(incoming);
  return options.connection.request(body === undefined ? request : { ...request, body });
}

/** Serves one request to its end. Never rejects. `stop` ends streamed answers (the server closes). */
export async function serveExchange(
  incoming: NodeRequest,
  outgoing: NodeResponse,
  options: ExchangeOptions,
  stop: AbortSignal,
): Promise<void> {
  const controller = new AbortController();
  const { promise: gone, resolve: setGone } = Promise.withResolvers<'gone'>();
  const onClose = (): void => {
    setGone('gone');
    controller.abort(new Error('the client is gone'));
  };
  const onStop = (): void => controller.abort(stop.reason);
  outgoing.on('close', onClose);
  // Errors of the transport come with a close.
  outgoing.on('error', () => {});
  incoming.on('error', () => {});
  try {
    const response = await answer(incoming, options, controller.signal);
    // Short answers are let finish; a stream would go on for ever.
    if (!(response.body instanceof Uint8Array)) {
      if (stop.aborted) onStop();
      else stop.addEventListener('abort', onStop, { once: true });
    }
    await send(incoming, outgoing, response, gone);
  } catch (error) {
    fail(incoming, outgoing, error, { logger: options.logger, signal: controller.signal });
  } finally {
    stop.removeEventListener('abort', onStop);
  }
  // Under way until the last byte has left: closing the server earlier would cut it off.
  await gone;
}

function fail(
  incoming: NodeRequest,
  outgoing: NodeResponse,
  error: unknown,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): void {
  if (outgoing.headersSent) {
    // The only way left to tell the client that the answer is not whole.
    if (!signal.aborted) logger.warn('answer broken off', { error });
    outgoing.destroy();
    return;
  }
  const response =
    error instanceof TooManyBytesError
      ? statusResponse(requestEntityTooLarge(`limit is ${error.maxBytes}`))
      : statusResponse(internalError('the request could not be served', { cause: error }));
  if (!(error instanceof TooManyBytesError) && !signal.aborted) logger.error('request failed', { error });
  // What the client still sends is not read, so the connection cannot be used again.
  const connection = incoming.httpVersionMajor === 2 ? {} : { connection: 'close' };
  outgoing.writeHead(response.status, { ...response.headers, ...connection });
  if (response.body instanceof Uint8Array) outgoing.write(response.body);
  if ('stream' in incoming) {
    // HTTP/2: tell the client to send no more; the rest would sit in the window until it gives up.
    outgoing.once('finish', () => incoming.stream.close(constants.NGHTTP2_NO_ERROR));
    outgoing.end();
  } else if (incoming.readableEnded || incoming.destroyed) outgoing.end();
  else endAfterBody(incoming, outgoing);
}

/**
 * Ends an HTTP/1.1 answer when its client has sent all, within bounds: many read only then, and a connection that is closed
 * on bytes which nobody read is reset, the answer lost with it.
 */
function endAfterBody(incoming: NodeRequest, outgoing: NodeResponse): void {
  let bytes = 0;
  const end = (): void => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  incoming.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) end();
  });
  incoming.once('end', end);
  incoming.once('close', end);
}
