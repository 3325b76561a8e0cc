/** The client of an attacker: HTTP/2 connections, many requests at once, and watches whose bytes are dropped. */
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import type { Credentials } from './credentials.ts';

export interface Sent {
  readonly code: number;
  readonly bytes: number;
  readonly text: string;
}

export class AttackerClient {
  readonly #credentials: Credentials;
  readonly #sessions: ClientHttp2Session[] = [];
  #next = 0;

  constructor(credentials: Credentials, connections = 4) {
    this.#credentials = credentials;
    for (let i = 0; i < connections; i++) this.#sessions.push(this.#open());
  }

  #open(): ClientHttp2Session {
    const { server, ca, cert, key } = this.#credentials;
    const session = connect(server.origin, { ca, cert, key, maxSessionMemory: 500 });
    session.on('error', () => {});
    session.setMaxListeners(0);
    return session;
  }

  /** Sends a request; never rejects. The code is 0 when there was no answer. */
  send(method: string, path: string, body?: string | Uint8Array, headers: IncomingHttpHeaders = {}): Promise<Sent> {
    return new Promise((resolve) => {
      const session = this.#sessions[this.#next++ % this.#sessions.length] as ClientHttp2Session;
      let code = 0;
      let bytes = 0;
      const kept: Buffer[] = [];
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const stream = session.request({ ':method': method, ':path': path, ...type, ...headers });
      stream.on('response', (answer) => {
        code = Number(answer[':status']);
      });
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= 65_536) kept.push(chunk);
      });
      stream.on('error', () => {});
      const over = (): void => resolve({ code, bytes, text: Buffer.concat(kept).toString() });
      stream.on('close', over);
      // An answer may end before its request, in which case Node's client would wait for ever to send the rest.
      stream.on('end', over);
      stream.end(body);
    });
  }

  /** Starts a watch whose bytes are dropped. @returns a function with the number of bytes so far */
  watch(path: string): () => number {
    const session = this.#sessions[this.#next++ % this.#sessions.length] as ClientHttp2Session;
    let bytes = 0;
    const stream = session.request({ ':method': 'GET', ':path': path });
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    stream.on('error', () => {});
    return () => bytes;
  }

  close(): void {
    for (const session of this.#sessions) session.destroy();
  }
}

/** Runs `act` for 0 to `count` - 1, `atOnce` of them at a time. */
export async function crowd(count: number, atOnce: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, work));
}
