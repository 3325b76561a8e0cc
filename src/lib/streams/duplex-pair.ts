/** The two ends of a two-way byte stream in memory. A write ends when the other side has read it; nothing is buffered. */
import { ConnectionError, type DuplexStream } from '../http.ts';

interface Offer {
  readonly chunk: Uint8Array;
  readonly taken: () => void;
  readonly refused: (error: Error) => void;
}

/** One direction. */
class Pipe {
  #offers: Offer[] = [];
  #ended = false;
  #broken: Error | undefined;
  #wake: (() => void) | undefined;

  write(chunk: Uint8Array): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#ended) return Promise.reject(new ConnectionError('connection broke: written after its end'));
    return new Promise((taken, refused) => {
      this.#offers.push({ chunk, taken, refused });
      this.#wakeReader();
    });
  }

  end(): void {
    this.#ended = true;
    this.#wakeReader();
  }

  break(error: Error): void {
    if (this.#broken !== undefined) return;
    this.#broken = error;
    for (const { refused } of this.#offers) refused(error);
    this.#offers = [];
    this.#wakeReader();
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const offer = this.#offers.shift();
      if (offer !== undefined) {
        offer.taken();
        yield offer.chunk;
      } else if (this.#ended) {
        return;
      } else if (this.#broken !== undefined) {
        throw this.#broken;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

/** `destroy` on either end breaks both directions: readers and writers get a `ConnectionError`. */
export function createDuplexPair(): readonly [DuplexStream, DuplexStream] {
  const there = new Pipe();
  const back = new Pipe();
  const end = (incoming: Pipe, outgoing: Pipe): DuplexStream => ({
    readable: incoming.read(),
    write: (chunk) => outgoing.write(chunk),
    end: () => outgoing.end(),
    destroy: (error) => {
      const reason = new ConnectionError(`connection broke: ${error?.message ?? 'closed early'}`, { cause: error });
      incoming.break(reason);
      outgoing.break(reason);
    },
  });
  return [end(back, there), end(there, back)];
}
