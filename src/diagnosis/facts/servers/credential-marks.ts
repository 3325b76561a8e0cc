/** Makes marks of passwords, by which two of them are compared without keeping them. Pure. */
import { fnv1a64 } from '../../../lib/index.ts';

/** Names of keys that hold a user, a password or a token, or a URL that may have one. */
export const HOLDS_CREDENTIAL = /user|login|pass|pwd|token|secret|auth|cred|ur[li]|dsn|conn|jdbc|amqp|database/i;
/** The password in a URL: "postgres://app:s3cret@db/shop", "redis://:s3cret@cache". */
const IN_URL = /^[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@]{0,200}:([^\s/]{1,300})@[^@]*$/i;
/** "host=db password=s3cret", "Server=db;Password=s3cret" */
const IN_PAIRS = /(?:^|[\s;&?])(?:password|pwd)=([^\s;&]{1,300})/i;

/** No password is longer, characters: certificates and whole files are none. */
const MAX_CREDENTIAL = 4096;

/**
 * A text that is the same for the same password, and never shown. It lives as long as one question.
 *
 * @param value a password, or a URL or list of pairs that has one
 * @returns undefined where it is empty, or longer than any password
 */
export function credentialMark(value: string): string | undefined {
  if (value.length > MAX_CREDENTIAL) return undefined;
  const [, coded] = IN_URL.exec(value) ?? [];
  const password = coded === undefined ? (IN_PAIRS.exec(value)?.[1] ?? value) : decoded(coded);
  return password === '' ? undefined : fnv1a64(password);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
