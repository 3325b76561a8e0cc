/** Answers of other servers, kept for as long as they grant, and longer while nobody gives newer ones (RFC 8767). */
import type { Query } from './codec/decode-query.ts';
import { HEADER_BYTES, uint32At } from './codec/wire.ts';
import { MAX_CACHED_ANSWERS, MAX_CACHED_BYTES, MAX_STALE_SECONDS, STALE_TTL_SECONDS } from './limits.ts';

export interface CachedAnswer {
  readonly packet: Uint8Array;
  /** Where it has times to live. */
  readonly ttlPlaces: readonly number[];
  /** Mono ms. */
  readonly storedAt: number;
  readonly lifetimeMs: number;
}

/** Bounded by number and by bytes; the least recently used go first. */
export class AnswerCache {
  readonly #answers = new Map<string, CachedAnswer>();
  #bytes = 0;

  get size(): number {
    return this.#answers.size;
  }

  /** Also one whose time is over, unless it is too old for anything. */
  get(key: string, mono: number): CachedAnswer | undefined {
    const found = this.#answers.get(key);
    if (found === undefined) return undefined;
    this.#remove(key);
    if (mono - found.storedAt - found.lifetimeMs > MAX_STALE_SECONDS * 1000) return undefined;
    this.#add(key, found);
    return found;
  }

  set(key: string, answer: CachedAnswer): void {
    this.#remove(key);
    // One alone may not push out hundreds.
    if (answer.packet.length > MAX_CACHED_BYTES / 256) return;
    this.#add(key, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_CACHED_ANSWERS && this.#bytes <= MAX_CACHED_BYTES) return;
      this.#remove(oldest);
    }
  }

  #add(key: string, answer: CachedAnswer): void {
    this.#answers.set(key, answer);
    this.#bytes += answer.packet.length + key.length;
  }

  #remove(key: string): void {
    const found = this.#answers.get(key);
    if (found === undefined) return;
    this.#answers.delete(key);
    this.#bytes -= found.packet.length + key.length;
  }
}

export function isFresh({ storedAt, lifetimeMs }: CachedAnswer, mono: number): boolean {
  return mono - storedAt < lifetimeMs;
}

/** For another client: its id, its spelling of the question, and the time that is left. */
export function agedAnswer(answer: CachedAnswer, query: Query, mono: number): Uint8Array {
  const packet = ownAnswer(answer.packet, query);
  const age = Math.floor((mono - answer.storedAt) / 1000);
  const fresh = isFresh(answer, mono);
  for (const at of answer.ttlPlaces) {
    const left = fresh ? Math.max(0, uint32At(packet, at) - age) : STALE_TTL_SECONDS;
    packet.set([left >>> 24, (left >>> 16) & 0xff, (left >>> 8) & 0xff, left & 0xff], at);
  }
  return packet;
}

/** A copy with the client's id and its spelling of the question, which has the same length. */
export function ownAnswer(packet: Uint8Array, query: Query): Uint8Array {
  const copy = packet.slice();
  copy.set([query.id >> 8, query.id & 0xff]);
  copy.set(query.question, HEADER_BYTES);
  return copy;
}
