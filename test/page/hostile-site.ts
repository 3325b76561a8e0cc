/** A stranger's web site on another port of this machine: blank pages for attacks by script, and a record of what browsers sent to it. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export class HostileSite {
  readonly requests: SentRequest[] = [];
  readonly #server: Server;
  /** Cookies that each answer sets. */
  cookies: readonly string[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<HostileSite> {
    const server = createServer((request, response) => {
      site.requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
      response.setHeader('content-type', request.url?.endsWith('.js') === true ? 'text/javascript' : 'text/html');
      response.setHeader('access-control-allow-origin', '*');
      if (site.cookies.length > 0) response.setHeader('set-cookie', [...site.cookies]);
      response.end('<!doctype html><title>a stranger</title><body>nothing to see</body>');
    });
    const site = new HostileSite(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return site;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The site under a name that leads to this machine. */
  at(name: string): string {
    return `http://${name}:${this.port}/`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
