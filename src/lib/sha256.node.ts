/** SHA-256 of a text, in hexadecimal: a key for secrets that must be recognized and need not be stored. */
import { createHash } from 'node:crypto';

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
