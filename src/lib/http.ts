/**
 * HTTP as messages, without sockets: the API server, the kubelet's own API and all clients use these types, in memory and over
 * the network with the same bytes.
 */
export type Headers = Readonly<Record<string, string>>;

export interface HttpRequest {
  /** GET, POST, PUT, PATCH, DELETE … in capitals. */
  readonly method: string;
  /** Path and query as on the request line, not decoded: "/api/v1/pods?watch=1". */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Headers;
  readonly body?: Uint8Array;
  /**
   * Reads a body that the client has not been asked for yet, on requests from a socket, so that no memory is used before the
   * request is authorized. The server reads it with `withBody` after that, and not before.
   */
  readonly readBody?: () => Promise<Uint8Array | undefined>;
  /** Aborted when the client is gone or no longer wants the answer. */
  readonly signal?: AbortSignal;
  /** The authenticated user; only the authenticating edge sets it, never a remote client. */
  readonly user?: UserInfo;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The whole body, or a stream (watch, logs -f). Ending the iteration early cancels the stream. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Further facts of the authenticator, e.g. the pod that a service account's token is bound to. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A two-way byte stream: an upgraded connection. */
export interface DuplexStream {
  readonly readable: AsyncIterable<Uint8Array>;
  /** Resolves when the peer (or the kernel) has accepted the bytes, which is the back-pressure. */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends our direction; the other one stays open. */
  end(): void;
  /** Ends both directions now. Idempotent. */
  destroy(error?: Error): void;
}

/** The answer to an upgrade: switched (101, with the raw bytes that follow the response head), or an ordinary response. */
export type UpgradeResponse =
  | { readonly upgraded: true; readonly status: 101; readonly headers: Headers; readonly stream: DuplexStream }
  | { readonly upgraded: false; readonly response: HttpResponse };

/**
 * An endpoint for requests: the API server for its clients, a kubelet for the API server (`NodeConnection`). `request` rejects
 * only with `ConnectionError`: there was no answer, and it is unknown whether the request took effect.
 */
export interface Connection {
  request(request: HttpRequest): Promise<HttpResponse>;
  /** For exec, attach, port-forward: SPDY/3.1 or WebSocket. The handshake headers pass through unchanged. */
  upgrade(request: HttpRequest): Promise<UpgradeResponse>;
}

/**
 * A `Connection` that may serve a socket: it promises to authorize each request first and to read its body then (`withBody`).
 * The mark makes the compiler refuse a connection there that does not know unread bodies.
 */
export interface GuardedConnection extends Connection {
  readonly readsBodies: true;
}

/**
 * The request with its body, which is read now if it has not been. It must be called only after the request is authorized.
 *
 * Rejects with the edge's error: a `StatusError` that says why the body was refused (too large, too slow, no room).
 */
export async function withBody(request: HttpRequest): Promise<HttpRequest> {
  if (request.readBody === undefined) return request;
  const { readBody, ...rest } = request;
  const body = await readBody();
  return body === undefined ? rest : { ...rest, body };
}

/** There was no complete answer. Whether the request took effect is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}
