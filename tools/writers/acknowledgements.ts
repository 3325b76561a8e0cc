/** Listens for what writers (`fsync-writer.ts`) say was acknowledged by fsync. */
import { createServer, type Server, type Socket } from 'node:net';

/** A line is far shorter; a longer one ends the connection. */
const MAX_LINE = 4096;

export class Acknowledgements {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isClosed = false;
  /** Volume → the last number that was acknowledged. */
  readonly last = new Map<string, number>();
  /** Starts that found less than was acknowledged before, and lines that cannot be read. */
  readonly problems: string[] = [];
  /** Writers that have begun. */
  starts = 0;

  private constructor() {
    this.#server = createServer((socket) => this.#listen(socket));
  }

  static async listen(host: string): Promise<Acknowledgements> {
    const heard = new Acknowledgements();
    await new Promise<void>((done, fail) => {
      heard.#server.on('error', fail);
      heard.#server.listen(0, host, done);
    });
    return heard;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('nobody listens any more');
    return address.port;
  }

  /** Of all volumes. */
  get records(): number {
    return [...this.last.values()].reduce((sum, n) => sum + n, 0);
  }

  async close(): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #listen(socket: Socket): void {
    // It was under way when the server was closed.
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    let rest = '';
    // A writer that was killed, or whose machine lost its power, says no farewell.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => void this.#sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.hear(line);
      if (rest.length > MAX_LINE) socket.destroy();
    });
  }

  /** One line of a writer. */
  hear(line: string): void {
    const [, what, volume = '', number] = /^(start|ack) (\S+) \S+ (\d+)$/.exec(line) ?? [];
    if (what === undefined) {
      this.problems.push(`a writer said ${JSON.stringify(line.slice(0, 200))}`);
      return;
    }
    const before = this.last.get(volume) ?? 0;
    if (what === 'ack') {
      this.last.set(volume, Math.max(before, Number(number)));
      return;
    }
    this.starts += 1;
    if (Number(number) < before)
      this.problems.push(`${volume}: a writer found ${number} records, and ${before} were acknowledged`);
  }
}
