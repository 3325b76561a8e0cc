/** Serves the answers of health check node ports over HTTP. */
import { createServer } from 'node:http';
import type { ListenForHealth } from './health-checks.ts';

/** Balancers ask once in some seconds. */
const MAX_CONNECTIONS = 64;
const TIMEOUT_MS = 5000;

export const listenForHealth: ListenForHealth = (port, answer) => {
  const { promise, resolve, reject } = Promise.withResolvers<{ close(): void }>();
  const server = createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, (request, response) => {
    const { status, headers, body } = answer();
    request.resume();
    response.writeHead(status, headers).end(body);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.once('error', reject);
  server.listen({ port, host: '0.0.0.0' }, () => {
    server.off('error', reject);
    server.on('error', () => {});
    resolve({
      close: () => {
        server.close();
        server.closeAllConnections();
      },
    });
  });
  return promise;
};
