/** Messages of the DNS in a stream: each has its length before it (RFC 1035 §4.2.2). Pure. */
import { concatBytes } from '../../lib/index.ts';
import { uint16At } from './codec/wire.ts';

/** What came of a stream and is not read yet: at most one message and one chunk, as long as its reader keeps up. */
export class TcpFrames {
  #bytes: Uint8Array = new Uint8Array(0);

  push(chunk: Uint8Array): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : concatBytes([this.#bytes, chunk]);
  }

  /** The next whole message. */
  next(): Uint8Array | undefined {
    if (this.#bytes.length < 2) return undefined;
    const end = 2 + uint16At(this.#bytes, 0);
    if (this.#bytes.length < end) return undefined;
    const packet = this.#bytes.subarray(2, end);
    this.#bytes = this.#bytes.subarray(end);
    return packet;
  }
}

export function tcpFrame(packet: Uint8Array): Uint8Array {
  return concatBytes([Uint8Array.of(packet.length >> 8, packet.length & 0xff), packet]);
}
