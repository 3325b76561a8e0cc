/** A wire between browser and server that a test can cut, and let hang without an end, as bad networks do. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Wire {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #state: 'whole' | 'cut' | 'hanging' = 'whole';
  #port = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Begins to carry; `to` says where, as soon as it is known. */
  static async start(): Promise<Wire> {
    const server = createServer((near) => wire.#carry(near));
    const wire = new Wire(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  to(port: number): void {
    this.#port = port;
  }

  /** Ends all connections, and takes no new ones. */
  cut(): void {
    this.#state = 'cut';
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  }

  /** Carries nothing any more in either direction; all connections stay open. */
  hang(): void {
    this.#state = 'hanging';
    for (const sockets of this.#pairs) for (const each of sockets) each.pause();
  }

  /** Carries again, also what was held back. */
  mend(): void {
    this.#state = 'whole';
    for (const sockets of this.#pairs) for (const each of sockets) each.resume();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((done) => this.#server.close(done));
  }

  #carry(near: Socket): void {
    if (this.#state === 'cut') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(this.#port, '127.0.0.1');
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    const give = (from: Socket, to: Socket): void => {
      from.on('data', (chunk) => {
        if (!to.write(chunk)) from.pause();
      });
      to.on('drain', () => {
        if (this.#state !== 'hanging') from.resume();
      });
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
    };
    give(near, far);
    give(far, near);
    if (this.#state === 'hanging') for (const each of pair) each.pause();
  }
}
