/** The opaque `continue` token of paged lists: a revision and the last key that was sent (upstream's own encoding). */
import { badRequest, type StatusError } from '../../api/index.ts';
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
  let value: unknown;
  try {
    value = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    throw refusal('it was not made by this server for this list');
  }
  if (!isRecord(value) || value['v'] !== TOKEN_VERSION) throw refusal('server does not recognize this encoded version');
  const { rv, start } = value;
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || (rv <= 0 && rv !== -1)) {
    throw refusal(`incorrect encoded start resourceVersion (version ${TOKEN_VERSION})`);
  }
  if (typeof start !== 'string' || start === '') throw refusal(`encoded start key empty (version ${TOKEN_VERSION})`);
  if (start.split('/').some((part) => part === '..' || part === '.')) throw refusal('its key leaves the list');
  return { revision: rv, after: prefix + start };
}

function refusal(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
