/** Tells a static program from one that needs shared libraries. Pure. */

const PT_INTERP = 3;

/**
 * @param head the first 4 KiB of a file: the program headers of an ordinary binary are in it
 * @returns whether it is a 64-bit little-endian ELF binary without an interpreter (so it runs in an empty image)
 */
export function isStaticElf(head: Uint8Array): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.length < 64 || view.getUint32(0) !== 0x7f454c46 || head[4] !== 2 || head[5] !== 1) return false;
  const offset = Number(view.getBigUint64(32, true));
  const size = view.getUint16(54, true);
  const count = view.getUint16(56, true);
  if (size < 4 || count === 0 || offset + size * count > head.length) return false;
  for (let index = 0; index < count; index++) {
    if (view.getUint32(offset + size * index, true) === PT_INTERP) return false;
  }
  return true;
}
