/** Writes ustar archives in memory: for images that mendlet builds itself. Pure and deterministic: no times, owner root. */
export type TarEntry =
  | { readonly type: 'file'; readonly path: string; readonly data: Uint8Array; readonly mode: number }
  | { readonly type: 'directory'; readonly path: string; readonly mode: number }
  | { readonly type: 'symlink'; readonly path: string; readonly target: string };

const BLOCK = 512;
const MAX_NAME_BYTES = 100;
const TYPE_FLAG = { file: '0', symlink: '2', directory: '5' } as const;
const encoder = new TextEncoder();

/** The archive, entries in the given order (parents first). Throws for a path or target of more than 100 bytes. */
export function tar(entries: readonly TarEntry[]): Uint8Array {
  const blocks = entries.flatMap((entry) => {
    const data = entry.type === 'file' ? entry.data : new Uint8Array();
    return [header(entry, data.length), data, new Uint8Array((BLOCK - (data.length % BLOCK)) % BLOCK)];
  });
  return concat([...blocks, new Uint8Array(2 * BLOCK)]);
}

function header(entry: TarEntry, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const name = entry.type === 'directory' ? `${entry.path}/` : entry.path;
  put(block, 0, name);
  put(block, 100, octal(entry.type === 'symlink' ? 0o777 : entry.mode, 7));
  put(block, 108, octal(0, 7));
  put(block, 116, octal(0, 7));
  put(block, 124, octal(size, 11));
  put(block, 136, octal(0, 11));
  put(block, 148, ' '.repeat(8));
  put(block, 156, TYPE_FLAG[entry.type]);
  if (entry.type === 'symlink') put(block, 157, entry.target);
  put(block, 257, 'ustar');
  put(block, 263, '00');
  put(block, 265, 'root');
  put(block, 297, 'root');
  put(
    block,
    148,
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
  );
  return block;
}

function put(block: Uint8Array, offset: number, text: string): void {
  const bytes = encoder.encode(text);
  if (bytes.length > MAX_NAME_BYTES) throw new RangeError(`${text} is too long for a tar header`);
  block.set(bytes, offset);
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
