/** A request's body, which stays with its client until an authorized reader wants it. */
import { badRequest, requestEntityTooLarge, requestTimeout, StatusError } from '../../api/index.ts';
import { type Clock, readChunks, type UserInfo } from '../../lib/index.ts';
import type { BodyAccounts } from './body-accounts.ts';
import type { Account, ByteBudget } from './byte-budget.ts';
import type { EdgeMetrics } from './edge-metrics.ts';
import { Endings, unlessEnded } from './endings.ts';
import {
  BODY_GRACE_MS,
  MAX_REQUEST_BODY_BYTES,
  MIN_BODY_BYTES_PER_SECOND,
  STRANGER_WINDOW_BYTES,
  STREAM_WINDOW_BYTES,
} from './limits.ts';
import type { NodeRequest } from './node-messages.node.ts';
import type { ServedConnection } from './served-connection.node.ts';

export interface BodyOptions {
  readonly clock: Clock;
  readonly budget: ByteBudget;
  readonly accounts: BodyAccounts;
  readonly metrics: EdgeMetrics;
}

/** First piece of memory for a body that does not say its length. */
const FIRST_PIECE_BYTES = 16 * 1024;

export class RequestBody {
  readonly #incoming: NodeRequest;
  readonly #options: BodyOptions;
  readonly #peer: ServedConnection;
  /** Says "100 Continue" to a client that waits for it. */
  readonly #invite: () => void;
  readonly #announced: number | undefined;
  #state: 'none' | 'unread' | 'reading' | 'read';
  #held: { readonly accounts: readonly Account[]; bytes: number } | undefined;

  constructor(incoming: NodeRequest, peer: ServedConnection, invite: () => void, options: BodyOptions) {
    this.#incoming = incoming;
    this.#peer = peer;
    this.#invite = invite;
    this.#options = options;
    this.#announced = announcedLength(incoming);
    this.#state = hasBody(incoming) ? 'unread' : 'none';
  }

  /** Is there still something unread? */
  get isPending(): boolean {
    return this.#state === 'unread' || this.#state === 'reading';
  }

  /**
   * Counts the bytes that the client may send before anything reads them.
   * @returns the refusal if that is too much by now
   */
  arrive(): StatusError | undefined {
    if (this.#state === 'none') return undefined;
    const window = this.#peer.user === undefined ? STRANGER_WINDOW_BYTES : STREAM_WINDOW_BYTES;
    const bytes = Math.min(this.#announced ?? window, window);
    this.#peer.credit(bytes);
    const refused = this.#take(this.#accountsOf(this.#peer.user), bytes);
    if (refused !== undefined) this.#options.metrics.refused('body-budget');
    return refused;
  }

  /**
   * Reads all of it, for `user`; `undefined` when there is none. May wait for room. Rejects with a `StatusError`: 400 (broken
   * off), 408 (too slow), 413 (too large), 429 (its share is used up), 503 (everybody's is).
   */
  async read(user: UserInfo | undefined, signal: AbortSignal): Promise<Uint8Array | undefined> {
    if (this.#state !== 'unread') return undefined;
    if (this.#announced !== undefined && this.#announced > MAX_REQUEST_BODY_BYTES) throw this.#tooLarge();
    this.#state = 'reading';
    await this.#claim(user, signal);
    this.#invite();
    const body = await this.#readInTime(signal);
    this.#state = 'read';
    return body.length === 0 ? undefined : body;
  }

  /** The request is answered, or its client gone. Idempotent. */
  release(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    this.#options.budget.release(held.accounts, held.bytes);
    this.#options.accounts.forget(held.accounts);
  }

  /** Counts the whole body against its user from now on. */
  async #claim(user: UserInfo | undefined, signal: AbortSignal): Promise<void> {
    this.release();
    const accounts = this.#accountsOf(user ?? this.#peer.user);
    // A body of unannounced length is counted as it comes: most are small, and would wait for room without need.
    const bytes = this.#announced ?? STRANGER_WINDOW_BYTES;
    const refused = await this.#options.budget.wait(accounts, bytes, signal);
    if (refused === undefined) {
      this.#held = { accounts, bytes };
      // Its client left while it waited: nothing would release it later.
      if (signal.aborted) this.release();
      return;
    }
    this.#options.accounts.forget(accounts);
    this.#options.metrics.refused('body-budget');
    throw refused;
  }

  #take(accounts: readonly Account[], bytes: number): StatusError | undefined {
    const refused = this.#options.budget.take(accounts, bytes);
    if (refused === undefined) this.#held = { accounts, bytes };
    else this.#options.accounts.forget(accounts);
    return refused;
  }

  #accountsOf(user: UserInfo | undefined): readonly Account[] {
    const { accounts } = this.#options;
    const { bodyAccount, address } = this.#peer;
    return user === undefined ? accounts.ofStranger(bodyAccount, address) : accounts.ofUser(bodyAccount, user);
  }

  /** Counts more of a body that did not say its length: twice as much as before. */
  async #grow(signal: AbortSignal): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    const more = Math.min(held.bytes, MAX_REQUEST_BODY_BYTES - held.bytes);
    const refused = more > 0 ? await this.#options.budget.wait(held.accounts, more, signal) : undefined;
    if (refused !== undefined) {
      this.#options.metrics.refused('body-budget');
      throw refused;
    }
    // Its client left while it waited, and what it held was given back.
    if (this.#held === held) held.bytes += more;
    else this.#options.budget.release(held.accounts, more);
  }

  async #readInTime(signal: AbortSignal): Promise<Uint8Array> {
    const { clock, metrics } = this.#options;
    const began = clock.now().mono;
    const buffer = new GrowingBuffer(this.#announced);
    const late = new Endings();
    const unwatch = this.#peer.watch((now) => {
      if (now - began > bodyTimeMs(buffer.length)) late.end(new Error('the body is late'));
    });
    const chunks = readChunks(this.#incoming);
    try {
      for (;;) {
        const next = await unlessEnded(chunks.next(), late);
        if (next === 'ended') {
          metrics.refused('body-timeout');
          throw requestTimeout(
            `the request's body came too slowly: ${buffer.length} bytes in ${Math.round((clock.now().mono - began) / 1000)} s`,
          );
        }
        if (next.done === true) return buffer.whole();
        this.#peer.credit(next.value.length);
        // All of it in one piece, as most are: no copy.
        if (next.value.length === this.#announced) return next.value;
        if (buffer.length + next.value.length > MAX_REQUEST_BODY_BYTES) throw this.#tooLarge();
        while (this.#held !== undefined && buffer.length + next.value.length > this.#held.bytes)
          await this.#grow(signal);
        buffer.push(next.value);
      }
    } catch (error) {
      if (error instanceof StatusError) throw error;
      throw badRequest('the body of the request broke off');
    } finally {
      unwatch();
    }
  }

  #tooLarge(): StatusError {
    this.#options.metrics.refused('body-too-large');
    return requestEntityTooLarge(`limit is ${MAX_REQUEST_BODY_BYTES}`);
  }
}

/** How long a body of which so many bytes have come may have taken, ms. */
function bodyTimeMs(bytes: number): number {
  return BODY_GRACE_MS + (bytes / MIN_BODY_BYTES_PER_SECOND) * 1000;
}

function announcedLength({ headers }: NodeRequest): number | undefined {
  const text = headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

function hasBody(incoming: NodeRequest): boolean {
  if ('stream' in incoming) return !incoming.stream.endAfterHeaders;
  return incoming.headers['transfer-encoding'] !== undefined || (announcedLength(incoming) ?? 0) > 0;
}

/** Bytes copied out of the pieces in which they come: a piece of one byte would hold the whole buffer it was read into. */
class GrowingBuffer {
  readonly #announced: number | undefined;
  #bytes = new Uint8Array(0);
  #length = 0;

  constructor(announced: number | undefined) {
    this.#announced = announced;
  }

  get length(): number {
    return this.#length;
  }

  push(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) {
      const doubled = Math.max(needed, this.#bytes.length * 2, FIRST_PIECE_BYTES);
      const bytes = new Uint8Array(Math.max(needed, Math.min(doubled, this.#announced ?? MAX_REQUEST_BODY_BYTES)));
      bytes.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = bytes;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = needed;
  }

  whole(): Uint8Array {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#length);
  }
}
