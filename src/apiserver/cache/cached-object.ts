/** One version of one object as all its readers share it: decoded once, encoded at most once. Never mutate it. */
import { decodeText, encodeText } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';

const decodedLines = new Map<string, string>([
  ['ADDED', '{"type":"ADDED","object":'],
  ['MODIFIED', '{"type":"MODIFIED","object":'],
  ['DELETED', '{"type":"DELETED","object":'],
]);

export type WatchType = 'ADDED' | 'MODIFIED' | 'DELETED';

export class CachedObject {
  readonly key: string;
  readonly revision: number;
  readonly object: ApiObject;
  #text: string | undefined;

  constructor(key: string, revision: number, object: ApiObject) {
    this.key = key;
    this.revision = revision;
    this.object = object;
  }

  /** From the store's bytes, which hold no resourceVersion: the revision is it. */
  static decode(key: string, revision: number, value: Uint8Array): CachedObject {
    return new CachedObject(key, revision, decodeStored(value, revision));
  }

  /** The same object as seen at another revision: what a watcher gets when it left its selector, or is deleted. */
  at(revision: number): CachedObject {
    const metadata = { ...this.object.metadata, resourceVersion: String(revision) };
    return new CachedObject(this.key, revision, { ...this.object, metadata });
  }

  /** Its JSON. */
  get text(): string {
    this.#text ??= JSON.stringify(this.object);
    return this.#text;
  }

  /** One line of a watch answer. */
  line(type: WatchType): Uint8Array {
    return encodeText(`${decodedLines.get(type)}${this.text}}\n`);
  }
}

/** The object of the store's bytes, with `revision` as its resourceVersion. */
export function decodeStored(value: Uint8Array, revision: number): ApiObject {
  const object = JSON.parse(decodeText(value)) as ApiObject;
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** The store's bytes of an object: without its resourceVersion. */
export function encodeStored(object: ApiObject): Uint8Array {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return encodeText(JSON.stringify({ ...object, metadata }));
}
