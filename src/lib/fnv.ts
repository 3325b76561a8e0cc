/** FNV-1a, as upstream's hash/fnv: small, synchronous, pure. */

/** 32 bits, in hexadecimal without leading zeros. */
export function fnv1a32(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16);
}

const FNV64_PRIME = 0x100000001b3n;

/** 64 bits, in hexadecimal without leading zeros. */
export function fnv1a64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV64_PRIME);
  return hash.toString(16);
}
