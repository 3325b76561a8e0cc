/** Writes a message of the DNS into a limited space, with name compression (RFC 1035 §4.1.4). Pure. */
import { type DnsName, nameKey } from './name.ts';
import { MAX_MESSAGE_BYTES } from './wire.ts';

/** A pointer has 14 bits. */
const MAX_POINTER = 0x3fff;

/** A place to go back to, when what follows does not fit. */
export interface Mark {
  readonly at: number;
  readonly names: number;
}

/** What is written past the limit is dropped, and makes `fits` false until the writer goes back. */
export class MessageWriter {
  /** Grows: most messages are short. */
  #bytes = new Uint8Array(512);
  #at = 0;
  #limit: number;
  /** Names that were written, with all their parents, by key, in the order of writing. */
  readonly #places = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = Math.min(limit, MAX_MESSAGE_BYTES);
  }

  get at(): number {
    return this.#at;
  }

  get fits(): boolean {
    return this.#at <= this.#limit;
  }

  /** From now on less may be written, or more. */
  limitTo(limit: number): void {
    this.#limit = limit;
  }

  mark(): Mark {
    return { at: this.#at, names: this.#places.size };
  }

  goBack({ at, names }: Mark): void {
    this.#at = at;
    for (const name of [...this.#places.keys()].slice(names)) this.#places.delete(name);
  }

  uint8(value: number): void {
    if (this.#at >= this.#bytes.length) this.#grow(this.#at + 1);
    this.#bytes[this.#at++] = value;
  }

  uint16(value: number): void {
    this.uint8(value >> 8);
    this.uint8(value & 0xff);
  }

  uint32(value: number): void {
    this.uint16(Math.floor(value / 65_536) & 0xffff);
    this.uint16(value & 0xffff);
  }

  setUint16(at: number, value: number): void {
    this.#bytes[at] = value >> 8;
    this.#bytes[at + 1] = value & 0xff;
  }

  raw(bytes: Uint8Array): void {
    if (this.#at + bytes.length > this.#bytes.length) this.#grow(this.#at + bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Later names may point to `name`, which begins at `at` already. */
  knowName(name: DnsName, at: number): void {
    let place = at;
    for (const [first, label] of name.entries()) {
      this.#remember(nameKey(name, first), place);
      place += label.length + 1;
    }
  }

  /** @param compress false where a standard forbids it; later names may point to this one all the same */
  name(name: DnsName, compress = true): void {
    for (const [first, label] of name.entries()) {
      const rest = nameKey(name, first);
      const known = this.#places.get(rest);
      if (known !== undefined && compress) {
        this.uint16(0xc000 | known);
        return;
      }
      if (known === undefined) this.#remember(rest, this.#at);
      this.text(label);
    }
    this.uint8(0);
  }

  /** A length and the characters, each one byte. */
  text(text: string): void {
    this.uint8(text.length);
    for (let at = 0; at < text.length; at++) this.uint8(text.charCodeAt(at) & 0xff);
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  #remember(key: string, at: number): void {
    if (at <= MAX_POINTER && !this.#places.has(key)) this.#places.set(key, at);
  }

  #grow(needed: number): void {
    const bytes = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}
