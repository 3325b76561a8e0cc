/** SHA-256 of a text, in hexadecimal: what stands for a secret where it must be found again and need not be kept. */
import { createHash } from 'node:crypto';

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
