/**
 * One request and its answer: Node's message objects on the one side, `Connection.request` on the other. The user is found
 * here; the connection decides whether he may ask for this, and then reads the body. A body that it does not read is never
 * taken in.
 */
import { constants } from 'node:http2';
import { internalError, requestHeadersTooLarge, StatusError, tooManyRequests, unauthorized } from '../../api/index.ts';
import {
  type Clock,
  encodeText,
  fromNodeHeaders,
  type GuardedConnection,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  type Logger,
  type UserInfo,
  withoutConnectionHeaders,
} from '../../lib/index.ts';
import { ANONYMOUS, authenticate, protocolToken, type TokenAuthenticator } from './authentication.ts';
import type { EdgeMetrics } from './edge-metrics.ts';
import { Endings, unlessEnded } from './endings.ts';
import {
  ANSWER_GRACE_MS,
  LINGER_BYTES,
  LINGER_MS,
  MAX_HEADER_BYTES,
  MAX_HEADERS,
  MIN_BODY_BYTES_PER_SECOND,
  WATCHED_ANSWER_BYTES,
} from './limits.ts';
import type { NodeRequest, NodeResponse } from './node-messages.node.ts';
import { peerCertificate } from './peer-certificate.node.ts';
import { type BodyOptions, RequestBody } from './request-body.node.ts';
import type { ServedConnection } from './served-connection.node.ts';
import type { StrangerRequests } from './stranger-requests.ts';

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: EdgeMetrics;
  readonly connection: GuardedConnection;
  readonly tokens: TokenAuthenticator;
  readonly strangers: StrangerRequests;
  /** The connection has shown this user's credentials. @returns false when there is no room for one more of theirs */
  readonly promote: (peer: ServedConnection, user: UserInfo) => boolean;
  /** What holds bodies back. */
  readonly bodies: Pick<BodyOptions, 'budget' | 'accounts'>;
}

/** The request's user, and its headers without credentials; or the refusal. */
export type Admission =
  | {
      readonly ok: true;
      readonly user: UserInfo;
      readonly headers: Headers;
      /** To be called when the answer begins. */
      readonly leave: () => void;
    }
  | { readonly ok: false; readonly error: StatusError };

const nothing = (): void => {};

/** The Kubernetes `Status` of an error, as a response. */
export function statusResponse(error: StatusError): HttpResponse {
  const body = encodeText(JSON.stringify(error.status));
  const seconds = error.status.details?.retryAfterSeconds;
  const later: Headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return { status: error.code, headers: { 'content-type': 'application/json', ...later }, body };
}

/** HTTP/2 has a bound of its own only for clients that have agreed to it. `raw`: names and values. */
function headProblem(raw: readonly string[]): string | undefined {
  if (raw.length > 2 * MAX_HEADERS) return `more than ${MAX_HEADERS} headers`;
  let bytes = 0;
  for (const text of raw) bytes += text.length;
  return bytes > MAX_HEADER_BYTES ? `more than ${MAX_HEADER_BYTES} bytes of headers` : undefined;
}

/** Finds the user. Only a bounded number of strangers is looked at at once, because the check of a token may take seconds. */
export async function admit(
  incoming: NodeRequest,
  peer: ServedConnection,
  options: ExchangeOptions,
): Promise<Admission> {
  const { metrics, strangers } = options;
  const problem = headProblem(incoming.rawHeaders);
  if (problem !== undefined) {
    metrics.refused('headers-too-large');
    return { ok: false, error: requestHeadersTooLarge(problem) };
  }
  const headers = fromNodeHeaders(incoming.headers);
  const protocols = headers['sec-websocket-protocol'];
  const inProtocol = protocolToken(protocols ?? '');
  const isWebSocket = headers['upgrade']?.toLowerCase() === 'websocket';
  const leave = peer.user === undefined ? strangers.enter(peer.address) : nothing;
  if (leave === undefined) {
    metrics.refused('too-many-strangers');
    const message = 'too many requests without known credentials are under way; try again later';
    return { ok: false, error: tooManyRequests(message, 1) };
  }
  let user: UserInfo | undefined;
  try {
    const socket = 'stream' in incoming ? incoming.stream.session?.socket : incoming.socket;
    const certificate = socket === undefined ? ({ kind: 'none' } as const) : peerCertificate(socket);
    user = await authenticate(
      certificate,
      headers['authorization'],
      options.tokens,
      isWebSocket ? inProtocol.token : undefined,
    );
  } finally {
    // Strangers who are admitted at all are counted.
    if (user !== ANONYMOUS) leave();
  }
  if (user === undefined) return { ok: false, error: unauthorized() };
  if (user !== ANONYMOUS && !options.promote(peer, user)) {
    metrics.refused('too-many-connections');
    const message = `user ${JSON.stringify(user.name)} has too many connections, and none of them is idle`;
    return { ok: false, error: tooManyRequests(message, 1) };
  }
  // Credentials end here: a handler cannot pass on what it does not get.
  const { authorization: _, 'sec-websocket-protocol': __, ...kept } = headers;
  const { rest } = inProtocol;
  return { ok: true, user, headers: rest === undefined ? kept : { ...kept, 'sec-websocket-protocol': rest }, leave };
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
async function sendStream(outgoing: NodeResponse, body: AsyncIterable<Uint8Array>, gone: Endings): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await unlessEnded(chunks.next(), gone);
    if (next === 'ended') {
      // Not awaited: an iterator that waits for its next event ends only by the request's signal, which is aborted.
      chunks.return?.()?.catch(() => {});
      return;
    }
    if (next.done === true) break;
    if (next.value.length > 0 && !outgoing.write(next.value)) await unlessEnded(drained(outgoing), gone);
  }
  outgoing.end();
}

export interface ExchangeMessages {
  readonly incoming: NodeRequest;
  readonly outgoing: NodeResponse;
  readonly peer: ServedConnection;
  /** The client sends its body only when it is told to. */
  readonly expectsContinue: boolean;
}

/** Serves one request to its end. Never rejects. `endings` end streamed answers (the server closes). */
export async function serveExchange(
  messages: ExchangeMessages,
  options: ExchangeOptions,
  endings: Endings,
): Promise<void> {
  await new Exchange(messages, options).serve(endings);
}

class Exchange {
  readonly #incoming: NodeRequest;
  readonly #outgoing: NodeResponse;
  readonly #peer: ServedConnection;
  readonly #options: ExchangeOptions;
  readonly #body: RequestBody;
  readonly #controller = new AbortController();
  readonly #gone = Promise.withResolvers<'gone'>();
  /** The same, for what waits for it again and again. */
  readonly #leaving = new Endings();
  /** The client waits for our word before it sends its body, and has not got it. */
  #isAwaited: boolean;

  constructor({ incoming, outgoing, peer, expectsContinue }: ExchangeMessages, options: ExchangeOptions) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#peer = peer;
    this.#options = options;
    this.#isAwaited = expectsContinue;
    const { clock, metrics, bodies } = options;
    this.#body = new RequestBody(incoming, peer, () => this.#invite(), { clock, metrics, ...bodies });
  }

  async serve(endings: Endings): Promise<void> {
    const { signal } = this.#controller;
    let leave = (): void => {};
    const over = this.#peer.begin();
    this.#outgoing.on('close', () => {
      this.#gone.resolve('gone');
      this.#leaving.end(new Error('the client is gone'));
      this.#controller.abort(new Error('the client is gone'));
      this.#body.release();
    });
    // Errors of the transport come with a close.
    this.#outgoing.on('error', () => {});
    this.#incoming.on('error', () => {});
    try {
      const response = await this.#answer();
      // Short answers are let finish; a stream would go on for ever.
      if (!(response.body instanceof Uint8Array)) leave = endings.add(() => this.#controller.abort(endings.reason));
      await this.#send(response);
    } catch (error) {
      await this.#fail(error, signal);
    } finally {
      leave();
      this.#body.release();
    }
    // Under way until the last byte has left: closing the server earlier would cut it off.
    await this.#gone.promise;
    over();
  }

  async #answer(): Promise<HttpResponse> {
    const tooMuch = this.#body.arrive();
    if (tooMuch !== undefined) return statusResponse(tooMuch);
    const admission = await admit(this.#incoming, this.#peer, this.#options);
    if (!admission.ok) return statusResponse(admission.error);
    const { signal } = this.#controller;
    const { user, headers, leave } = admission;
    const request: HttpRequest = {
      method: this.#incoming.method ?? 'GET',
      url: this.#incoming.url ?? '/',
      headers,
      signal,
      user,
      ...(this.#body.isPending && { readBody: () => this.#body.read(user === ANONYMOUS ? undefined : user, signal) }),
    };
    try {
      return await this.#options.connection.request(request);
    } finally {
      leave();
    }
  }

  async #send(response: HttpResponse): Promise<void> {
    const { status, body } = response;
    if ('stream' in this.#incoming) this.#peer.answers(this.#incoming.stream);
    if (this.#body.isPending && body instanceof Uint8Array) return this.#sendUnread(response, body);
    const isHead = this.#incoming.method === 'HEAD';
    const outgoing = this.#outgoing;
    const isHttp2 = this.#incoming.httpVersionMajor === 2;
    const headers = isHttp2 ? withoutConnectionHeaders(response.headers) : response.headers;
    if (body instanceof Uint8Array) {
      outgoing.writeHead(status, { 'content-length': body.length, ...headers });
      if (isHead || body.length === 0) outgoing.end();
      else outgoing.end(body);
      this.#expectTaken(body.length);
      return;
    }
    outgoing.writeHead(status, { ...headers });
    // A watch may be silent for minutes; its client waits for the head.
    outgoing.flushHeaders();
    if (isHead) outgoing.end();
    else await sendStream(outgoing, body, this.#leaving);
  }

  /** The answer to a request whose body is not wanted: later bytes of the client are not read, and its stream is closed. */
  #sendUnread(response: HttpResponse, body: Uint8Array): void {
    const incoming = this.#incoming;
    const outgoing = this.#outgoing;
    const { status } = response;
    const headers = { ...withoutConnectionHeaders(response.headers), 'content-length': body.length };
    if ('stream' in incoming) {
      outgoing.writeHead(status, headers);
      // Tells the client to send no more; otherwise the rest would stay in the window until it gives up.
      outgoing.once('finish', () => incoming.stream.close(constants.NGHTTP2_NO_ERROR));
      outgoing.end(incoming.method === 'HEAD' ? undefined : body);
      this.#expectTaken(body.length);
      return;
    }
    outgoing.writeHead(status, { ...headers, connection: 'close' });
    if (incoming.method !== 'HEAD') outgoing.write(body);
    // A client that waits for our word sends nothing without it.
    if (this.#isAwaited || incoming.readableEnded || incoming.destroyed) outgoing.end();
    else this.#endAfterBody();
  }

  /** A whole answer that its client does not take is not kept for ever. */
  #expectTaken(bytes: number): void {
    // A small one is in the kernel's hands at once; a timer for each would cost more than it saves.
    if (bytes < WATCHED_ANSWER_BYTES) return;
    const patienceMs = ANSWER_GRACE_MS + (bytes / MIN_BODY_BYTES_PER_SECOND) * 1000;
    const timer = this.#options.clock.setTimer(patienceMs, () => this.#outgoing.destroy());
    void this.#gone.promise.then(() => timer.cancel());
  }

  async #fail(error: unknown, signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    if (this.#outgoing.headersSent) {
      // The only way left to tell the client that the answer is incomplete.
      if (!signal.aborted) logger.warn('answer broken off', { error });
      this.#outgoing.destroy();
      return;
    }
    const isOurs = !(error instanceof StatusError);
    if (isOurs && !signal.aborted) logger.error('request failed', { error });
    const answer = isOurs ? internalError('the request could not be served', { cause: error }) : error;
    await this.#send(statusResponse(answer));
  }

  #invite(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    this.#outgoing.writeContinue();
  }

  /**
   * Ends an HTTP/1.1 answer when its client has sent everything, within bounds. Many clients read only then, and a connection
   * that is closed with unread bytes is reset, which loses the answer.
   */
  #endAfterBody(): void {
    let bytes = 0;
    const end = (): void => {
      timer.cancel();
      this.#outgoing.end();
      // Node waits for the rest of the request, and so would we.
      this.#options.clock.setTimer(LINGER_MS, () => this.#outgoing.destroy());
    };
    const timer = this.#options.clock.setTimer(LINGER_MS, end);
    this.#incoming.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > LINGER_BYTES) end();
    });
    this.#incoming.once('end', end);
    this.#incoming.once('close', end);
  }
}
