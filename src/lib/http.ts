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

/** No (complete) answer came. Whether the request took effect is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}
