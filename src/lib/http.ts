/**
 * HTTP as messages, with no sockets: what the API server, the kubelet's own API and every client speak, in memory and
 * over the wire with the same bytes.
 */
export type Headers = Readonly<Record<string, string>>;

export interface HttpRequest {
  /** GET, POST, PUT, PATCH, DELETE … in capitals. */
  readonly method: string;
  /** Decoded nothing: path and query as on the request line, e.g. "/api/v1/pods?watch=1". */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Headers;
  readonly body?: Uint8Array;
  /**
   * A body that is still with the client, on requests that come from a socket: nobody's memory is spent before it is known who
   * asks and whether they may. Whoever answers such a request reads it with `withBody`, after that and not before.
   */
  readonly readBody?: () => Promise<Uint8Array | undefined>;
  /** Aborted when the client is gone or no longer wants the answer. */
  readonly signal?: AbortSignal;
  /** Who asks, set by the authenticating edge only (never by a remote client). */
  readonly user?: UserInfo;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Whole, or a stream (watch, logs -f). Ending the iteration early cancels the stream. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What the authenticator knows besides, e.g. the pod that a service account's token is bound to. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A two-way byte stream: an upgraded connection. */
export interface DuplexStream {
  readonly readable: AsyncIterable<Uint8Array>;
  /** Resolves when the peer (or the kernel) took the bytes: this is the back-pressure. */
  write(chunk: Uint8Array): Promise<void>;
  /** No more from us; the other direction goes on. */
  end(): void;
  /** Both directions end now. Idempotent. */
  destroy(error?: Error): void;
}

/** The answer to an upgrade: switched (101, with the raw bytes that follow the response head), or an ordinary response. */
export type UpgradeResponse =
  | { readonly upgraded: true; readonly status: 101; readonly headers: Headers; readonly stream: DuplexStream }
  | { readonly upgraded: false; readonly response: HttpResponse };

/**
 * Something that answers requests: the API server for its clients, a kubelet for the API server (`NodeConnection`).
 * `request` rejects only with `ConnectionError`: no answer, and it is unknown whether the request took effect.
 */
export interface Connection {
  request(request: HttpRequest): Promise<HttpResponse>;
  /** For exec, attach, port-forward: SPDY/3.1 or WebSocket. The handshake headers pass through unchanged. */
  upgrade(request: HttpRequest): Promise<UpgradeResponse>;
}

/**
 * A `Connection` that may be put behind a socket: it promises to authorize each request first and then to read its body
 * (`withBody`). The mark is there so that one which knows nothing of unread bodies does not compile in that place.
 */
export interface GuardedConnection extends Connection {
  readonly readsBodies: true;
}

/**
 * The request with its body: read now if it is still with the client. Called once the request is authorized.
 *
 * Rejects with what the edge threw: a `StatusError` that says why the body was not taken (too large, too slow, no room).
 */
export async function withBody(request: HttpRequest): Promise<HttpRequest> {
  if (request.readBody === undefined) return request;
  const { readBody, ...rest } = request;
  const body = await readBody();
  return body === undefined ? rest : { ...rest, body };
}

/** No (complete) answer came. Whether the request took effect is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}
