/**
 * The connections of the dashboard. When all places are taken, strangers pay first: a new connection takes the place of the oldest one
 * on which nobody with a session has asked anything, then of one that is idle.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_CONNECTIONS } from './limits.ts';

interface Open {
  /** As it was accepted, below its TLS. */
  readonly socket: Socket;
  underWay: number;
  /** Somebody with a session has asked on it. */
  isKnown: boolean;
}

export class Connections {
  /** By both its ends, the oldest first: a socket and the TLS upon it have only these in common. */
  readonly #open = new Map<string, Open>();

  /** A socket was accepted; its TLS handshake is still to come. */
  accept(socket: Socket): void {
    const key = endsOf(socket);
    const connection: Open = { socket, underWay: 0, isKnown: false };
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
    if (this.#open.size >= MAX_CONNECTIONS) {
      const [other, weakest] = this.#weakest() ?? [];
      if (other === undefined || weakest === undefined) {
        socket.destroy();
        return;
      }
      this.#open.delete(other);
      weakest.socket.destroy();
    }
    this.#open.set(key, connection);
  }

  serving(socket: Socket, outgoing: ServerResponse): void {
    const connection = this.#open.get(endsOf(socket));
    if (connection === undefined) return;
    connection.underWay += 1;
    outgoing.once('close', () => {
      connection.underWay -= 1;
    });
  }

  known(socket: Socket): void {
    const connection = this.#open.get(endsOf(socket));
    if (connection !== undefined) connection.isKnown = true;
  }

  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #weakest(): readonly [string, Open] | undefined {
    let idle: readonly [string, Open] | undefined;
    for (const entry of this.#open) {
      if (!entry[1].isKnown) return entry;
      if (entry[1].underWay === 0) idle ??= entry;
    }
    return idle;
  }
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
