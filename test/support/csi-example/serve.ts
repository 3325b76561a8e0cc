/** gRPC over sockets of this machine: a server, and clients. */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { DescService } from '@bufbuild/protobuf';
import { type Client, type ConnectRouter, createClient } from '@connectrpc/connect';
import { connectNodeAdapter, createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';

/** Serves at the socket, which goes when this program is told to end. */
export function serve(socket: string, routes: (router: ConnectRouter) => void): void {
  mkdirSync(dirname(socket), { recursive: true });
  rmSync(socket, { force: true });
  const server = createServer(connectNodeAdapter({ routes, requestPathPrefix: '' }));
  server.listen(socket, () => chmodSync(socket, 0o600));
  console.log(`serving at ${socket}`);
  process.on('SIGTERM', () => rmSync(socket, { force: true }));
}

/** A client whose calls connect anew when the server has gone and come back. */
export function clientAt<T extends DescService>(service: T, socket: string): Client<T> {
  const sessionManager = new Http2SessionManager('http://localhost', {}, { createConnection: () => connect(socket) });
  const transport = createGrpcTransport({ baseUrl: 'http://localhost', sessionManager, defaultTimeoutMs: 60_000 });
  return createClient(service, transport);
}
