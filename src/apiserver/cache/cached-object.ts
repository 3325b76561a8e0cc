/** One version of one object as all its readers share it: decoded once, encoded seldom. Never mutate it. */
import { decodeText, encodeText } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';
import type { ByteBudget } from './byte-budget.ts';

const decodedLines = new Map<string, string>([
  ['ADDED', '{"type":"ADDED","object":'],
  ['MODIFIED', '{"type":"MODIFIED","object":'],
  ['DELETED', '{"type":"DELETED","object":'],
]);

/**
 * From an object that an older version stored to today's form: canonical, with today's defaults, as upstream decodes from its
 * storage. So it is equal to what a client sends again, whose object gets both. Nothing is written for it.
 */
export type ReadStored = (stored: ApiObject) => ApiObject;

/** An entry of the store. */
export interface Encoded {
  readonly key: string;
  readonly revision: number;
  readonly value: Uint8Array;
}

export type WatchType = 'ADDED' | 'MODIFIED' | 'DELETED';

export class CachedObject {
  readonly key: string;
  readonly revision: number;
  readonly object: ApiObject;
  /** The revision of its JSON in the store; 0: never stored. */
  readonly bytes: number;
  readonly #texts: ByteBudget | undefined;
  #text: string | undefined;

  /** `texts` bounds what all objects keep of their JSON; without it the text goes with the object. */
  constructor(key: string, revision: number, object: ApiObject, bytes = 0, texts?: ByteBudget) {
    this.key = key;
    this.revision = revision;
    this.object = object;
    this.bytes = bytes;
    this.#texts = texts;
  }

  /** From the store's bytes, which hold no resourceVersion: the revision is it. */
  static decode(entry: Encoded, read?: ReadStored, texts?: ByteBudget): CachedObject {
    const { key, revision, value } = entry;
    return new CachedObject(key, revision, decodeStored(value, revision, read), value.length, texts);
  }

  /** The same object at another revision: sent to a watcher when it left the selector, or is deleted. */
  at(revision: number): CachedObject {
    const metadata = { ...this.object.metadata, resourceVersion: String(revision) };
    return new CachedObject(this.key, revision, { ...this.object, metadata }, this.bytes);
  }

  /** Its JSON. */
  get text(): string {
    if (this.#text !== undefined) return this.#text;
    const text = JSON.stringify(this.object);
    this.#text = text;
    this.#texts?.add(this, text.length);
    return text;
  }

  /** Drops the text that it keeps for its next reader. */
  forget(): void {
    this.#text = undefined;
  }

  /** It will not be read again: the bytes that it keeps do not count any more. */
  retire(): void {
    this.#text = undefined;
    this.#texts?.release(this);
  }

  /** One line of a watch answer. */
  line(type: WatchType): Uint8Array {
    // The line is what is kept (see CacheEvent, SharedPieces): the text would lie there twice.
    return encodeText(`${decodedLines.get(type)}${this.#text ?? JSON.stringify(this.object)}}\n`);
  }
}

/**
 * Bytes that this process has encoded, as the store hands them back: they have today's form, which is not made anew. Others may be an
 * older version's.
 */
const encodedHere = new WeakSet<Uint8Array>();

/** The object of the store's bytes, with `revision` as its resourceVersion. */
export function decodeStored(value: Uint8Array, revision: number, read: ReadStored = (object) => object): ApiObject {
  const parsed = JSON.parse(decodeText(value)) as ApiObject;
  const object = encodedHere.has(value) ? parsed : read(parsed);
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** The store's bytes of an object that has today's form: without its resourceVersion. */
export function encodeStored(object: ApiObject): Uint8Array {
  const { resourceVersion: _, ...metadata } = object.metadata;
  const value = encodeText(JSON.stringify({ ...object, metadata }));
  encodedHere.add(value);
  return value;
}
