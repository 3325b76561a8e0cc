/** The common part of HTTP/1.1 and HTTP/2 messages, as Node's types describe it. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { Writable } from 'node:stream';

export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** Node's types of HTTP/2 responses lack `flushHeaders`. */
export interface NodeResponse extends Writable {
  readonly headersSent: boolean;
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  flushHeaders(): void;
  writeContinue(): void;
}
