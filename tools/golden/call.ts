/** The port to an API server, so that a server in memory and one behind TLS get the same questions. */

/** JSON of any kind: a server's answer is inspected, never trusted. */
export type Json = Record<string, unknown>;

export interface Answer {
  /** The HTTP status; 0 when the connection broke each time. */
  readonly status: number;
  /** The raw text. */
  readonly text: string;
}

/** The answer as JSON; other text becomes a message. */
export function bodyOf({ text }: Answer): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return { message: text.slice(0, MAX_MESSAGE) };
  }
}

const MAX_MESSAGE = 200;

/** @param body an object, or raw JSON text */
export type Call = (method: string, path: string, body?: Json | string) => Promise<Answer>;

/** An object that the questions are variations of. */
export interface Base {
  /** Its kind; or its kind, '#', and a variant. */
  readonly name: string;
  readonly resource: string;
  readonly object: Json & { readonly apiVersion: string; readonly kind: string; readonly metadata: Json };
}

export const NAMESPACE = 'golden-values';

/** The path of all objects of the base's resource, in our namespace if it has any. */
export function collectionOf({ resource, object }: Base): string {
  const { apiVersion, metadata } = object;
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return metadata['namespace'] === undefined ? `${group}/${resource}` : `${group}/namespaces/${NAMESPACE}/${resource}`;
}

/** The query of a dry run that refuses unknown fields. */
export const DRY = '?dryRun=All&fieldValidation=Strict&fieldManager=golden';

/** Does `work` for all items, at most `limit` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, lane));
}
