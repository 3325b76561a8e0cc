/** One version of one object as all its readers share it: decoded once, encoded seldom. Never mutate it. */
import { decodeText, encodeText } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { asParsed } from './as-parsed.ts';
import type { ByteBudget } from './byte-budget.ts';
import { objectText, objectTextOf, withFieldsAsText, withSharedText, withVersion } from './object-text.ts';

const decodedLines = new Map<string, string>([
  ['ADDED', '{"type":"ADDED","object":'],
  ['MODIFIED', '{"type":"MODIFIED","object":'],
  ['DELETED', '{"type":"DELETED","object":'],
]);

/**
 * From an object that an older version stored to today's form: canonical, with today's defaults, as upstream decodes from its
 * storage. So it is equal to what a client sends again, whose object gets both. Nothing is written for it.
 */
export interface ReadStored {
  (stored: ApiObject): ApiObject;
  /** Bytes of this process need it too: today's form may change while it runs. */
  readonly always?: true;
}

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
    const item = new CachedObject(key, revision, decodeStored(value, revision, read), value.length, texts);
    // What is read anew may have another text.
    if (read?.always !== true) item.#keep(textOfEncoded(value, revision));
    return item;
  }

  /** An object that has just been written, as its `value`. */
  static written({ key, revision, value }: Encoded, object: ApiObject): CachedObject {
    const metadata = { ...object.metadata, resourceVersion: String(revision) };
    const item = new CachedObject(key, revision, { ...object, metadata });
    item.#keep(textOfEncoded(value, revision));
    return item;
  }

  /** The same object at another revision: sent to a watcher when it left the selector, or is deleted. */
  at(revision: number): CachedObject {
    const metadata = { ...this.object.metadata, resourceVersion: String(revision) };
    return new CachedObject(this.key, revision, { ...this.object, metadata }, this.bytes);
  }

  /** Its JSON. */
  get text(): string {
    if (this.#text !== undefined) return this.#text;
    const text = objectText(this.object);
    this.#keep(text);
    return text;
  }

  #keep(text: string | undefined): void {
    if (text === undefined) return;
    this.#text = text;
    this.#texts?.add(this, text.length);
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
    return encodeText(`${decodedLines.get(type)}${this.#text ?? objectText(this.object)}}\n`);
  }
}

/**
 * Bytes that this process has encoded, as the store hands them back: they have today's form, which is not made anew. Others may be an
 * older version's.
 */
const encodedHere = new WeakMap<Uint8Array, EncodedHere>();

/** What is known of an object that this process has encoded: neither its text nor the object is made again. */
interface EncodedHere {
  /** See `ObjectText.from`. */
  readonly from: number;
  /** For the answer and for the cache, which come soon: bytes may lie long in the store. */
  recent: Recent | undefined;
  readers: number;
}

interface Recent {
  readonly text: string;
  /** As it would be parsed from the text; its managed fields are shared. */
  readonly object: ApiObject;
  /** The text with the revision that it was stored at, which is one for all readers. */
  stored?: { readonly revision: number; readonly text: string };
}

const TEXT_READERS = 2;

/** The object of the store's bytes, with `revision` as its resourceVersion. */
export function decodeStored(value: Uint8Array, revision: number, read?: ReadStored): ApiObject {
  const encoded = read?.always === true ? undefined : encodedHere.get(value);
  const object = encoded?.recent?.object ?? parseStored(value, encoded === undefined ? read : undefined);
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function parseStored(value: Uint8Array, read: ReadStored = (object) => object): ApiObject {
  return withFieldsAsText(read(JSON.parse(decodeText(value)) as ApiObject));
}

/** The store's bytes of an object that has today's form: without its resourceVersion. */
export function encodeStored(object: ApiObject): Uint8Array {
  const { resourceVersion: _, ...metadata } = object.metadata;
  if (metadata.managedFields !== undefined) metadata.managedFields = withSharedText(metadata.managedFields);
  const stored = { ...object, metadata };
  const { text, from } = objectTextOf(stored);
  const value = encodeText(text);
  // Readers get the object that was written, not a copy: versions of it share what they have in common, and none is parsed.
  encodedHere.set(value, { from, recent: { text, object: asParsed(stored) }, readers: 0 });
  return value;
}

/** The JSON, at `revision`, of an object that this process has just encoded; undefined for others. */
function textOfEncoded(value: Uint8Array, revision: number): string | undefined {
  const encoded = encodedHere.get(value);
  const recent = encoded?.recent;
  if (encoded === undefined || recent === undefined) return undefined;
  encoded.readers += 1;
  if (encoded.readers === TEXT_READERS) encoded.recent = undefined;
  if (recent.stored?.revision !== revision) {
    recent.stored = { revision, text: withVersion(recent.text, encoded.from, String(revision)) };
  }
  return recent.stored.text;
}
