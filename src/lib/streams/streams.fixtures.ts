/** Divides the bytes of a peer at any place, for tests. */
import fc from 'fast-check';

/** The same bytes in pieces, some of them empty. */
export function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % Math.max(1, sizes.length)] ?? bytes.length;
    pieces.push(bytes.slice(at, at + size));
    at += size;
    if (i > bytes.length && sizes.every((each) => each === 0)) break;
  }
  return pieces;
}

export const sizes: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

export const bytes = (maxLength: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ maxLength });
