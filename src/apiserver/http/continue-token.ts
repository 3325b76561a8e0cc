/** The opaque `continue` token of paged lists: a revision and the last key that was sent (upstream's own encoding). */
import { badRequest } from '../../api/index.ts';
import { isRecord } from '../registry/object.ts';

const TOKEN_VERSION = 'meta.k8s.io/v1';

export interface ContinueToken {
  /** The revision of the first page; -1: the newest revision (after the first one was compacted). */
  readonly revision: number;
  /** The last key that was sent. */
  readonly after: string;
}

/** `prefix` is not in the token: it belongs to one path. */
export function encodeContinue(token: ContinueToken, prefix: string): string {
  const text = JSON.stringify({ v: TOKEN_VERSION, rv: token.revision, start: token.after.slice(prefix.length) });
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Throws 400 for anything that this server did not make for `prefix`. */
export function decodeContinue(text: string, prefix: string): ContinueToken {
  const refusal = badRequest('continue key is not valid: it was not made by this server for this list');
  let value: unknown;
  try {
    value = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    throw refusal;
  }
  if (!isRecord(value) || value['v'] !== TOKEN_VERSION) throw refusal;
  const { rv, start } = value;
  const goodRevision = typeof rv === 'number' && Number.isSafeInteger(rv) && (rv > 0 || rv === -1);
  if (!goodRevision || typeof start !== 'string' || start === '' || start.split('/').includes('..')) throw refusal;
  return { revision: rv, after: prefix + start };
}
