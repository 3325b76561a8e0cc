/**
 * A short name for what a template says: 32 bits of FNV-1a over its canonical JSON, in the letters of generated names
 * (upstream: ComputeHash and SafeEncodeString; theirs is over a dump of Go's structs, so that the value itself differs).
 */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** @param collisionCount another name for the same content, when the first was taken by something else */
export function safeHash(content: unknown, collisionCount?: number): string {
  const suffix = collisionCount === undefined ? '' : `#${collisionCount}`;
  const digits = String(fnv1a32(canonicalJson(content) + suffix));
  return Array.from(digits, (digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

/** JSON with sorted names and without absent values: equal for equal content. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
