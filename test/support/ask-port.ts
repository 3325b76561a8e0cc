/** Small clients of ports, each of which tells in one word what became of it. */
import { createSocket, type Socket } from 'node:dgram';
import { connect } from 'node:net';

const TIMEOUT_MS = 3000;

/** The body of the answer, or "failed: CODE". A new connection each time. */
export function askHttp(url: string): Promise<string> {
  const { hostname: host, port, pathname } = new URL(url);
  return new Promise((done) => {
    let text = '';
    const socket = connect({ host, port: Number(port), timeout: TIMEOUT_MS }, () =>
      socket.write(`GET ${pathname} HTTP/1.0\r\nHost: ${host}\r\n\r\n`),
    );
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('timeout', () => socket.destroy(new Error('timeout')));
    socket.on('error', (error: NodeJS.ErrnoException) => done(`failed: ${error.code ?? error.message}`));
    socket.on('end', () => done(text.split(/\r?\n\r?\n/)[1]?.trim() ?? ''));
  });
}

/** One question from a new port. */
export async function overUdp(host: string, port: number): Promise<string> {
  const flow = new UdpFlow(host, port);
  try {
    return await flow.ask();
  } finally {
    flow.close();
  }
}

/** Questions from one and the same port, which are one flow to connection tracking. */
export class UdpFlow {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #port: number;

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
    this.#socket = createSocket('udp4');
  }

  ask(): Promise<string> {
    return new Promise((done) => {
      const timer = setTimeout(() => finish('failed: timeout'), 1000);
      const onMessage = (message: Buffer): void => finish(message.toString().trim());
      const finish = (said: string): void => {
        clearTimeout(timer);
        this.#socket.off('message', onMessage);
        done(said);
      };
      this.#socket.on('message', onMessage);
      this.#socket.send('hello', this.#port, this.#host);
    });
  }

  close(): void {
    this.#socket.close();
  }
}
