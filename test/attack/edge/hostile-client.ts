/** A client that sends any bytes and frames over TLS, HTTP/1.1 and HTTP/2, without a protocol library. */
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

export interface Target {
  readonly port: number;
  /** An address of this machine; the server sees each loopback address as a different client. */
  readonly host?: string;
  readonly credentials?: { readonly certificatePem: string; readonly keyPem: string };
}

/** A TCP connection on which nothing was sent. */
export async function openSilent({ port, host = '127.0.0.1' }: Target): Promise<Wire> {
  const socket = connectTcp(port, host);
  const wire = new Wire(socket);
  await Promise.race([once(socket, 'connect'), wire.ended]);
  return wire;
}

/** A connection after its TLS handshake. @param protocols the offered ALPN protocols */
export async function openTls(target: Target, protocols: readonly string[]): Promise<Wire> {
  const { port, host = '127.0.0.1', credentials } = target;
  const socket = connectTls({
    port,
    host,
    ALPNProtocols: [...protocols],
    rejectUnauthorized: false,
    ...(credentials && { cert: credentials.certificatePem, key: credentials.keyPem }),
  });
  const wire = new Wire(socket);
  await Promise.race([once(socket, 'secureConnect'), wire.ended]);
  return wire;
}

const MAX_KEPT_BYTES = 1024 * 1024;

/** A socket that keeps received bytes, up to a bound, and notes its end. */
export class Wire {
  readonly socket: Socket | TLSSocket;
  /** Resolves when the connection is over, however it ends. */
  readonly ended: Promise<void>;
  isOver = false;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(socket: Socket | TLSSocket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      if (this.#length >= MAX_KEPT_BYTES) return;
      this.#chunks.push(chunk);
      this.#length += chunk.length;
    });
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        this.isOver = true;
        resolve();
      });
    });
    // The socket must be read to notice its end.
    socket.resume();
  }

  get received(): Buffer {
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }

  get text(): string {
    return this.received.toString('latin1');
  }

  /** Resolves when the kernel has accepted the bytes, or the connection is over. */
  async send(bytes: Uint8Array | string): Promise<void> {
    if (this.isOver || this.socket.destroyed) return;
    await Promise.race([new Promise<void>((resolve) => this.socket.write(bytes, () => resolve())), this.ended]);
  }

  /** Resolves when `seen` returns true, or the connection is over. */
  async until(seen: (wire: Wire) => boolean): Promise<void> {
    while (!this.isOver && !seen(this)) {
      await Promise.race([once(this.socket, 'data').catch(() => {}), this.ended]);
    }
  }

  close(): void {
    this.socket.destroy();
  }
}
