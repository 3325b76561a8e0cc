/** Bytes and text: bounded reading and line splitting of streams. */
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const NEWLINE = 10;

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Decodes UTF-8; malformed bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0] as Uint8Array;
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

/** A body or line has more bytes than the reader allows. */
export class TooManyBytesError extends Error {
  override readonly name = 'TooManyBytesError';
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** The whole body. Rejects with `TooManyBytesError` past `maxBytes`. */
export async function readAll(body: Uint8Array | AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  if (body instanceof Uint8Array) {
    if (body.length > maxBytes) throw new TooManyBytesError(maxBytes);
    return body;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new TooManyBytesError(maxBytes);
    chunks.push(chunk);
  }
  return concatBytes(chunks);
}

/**
 * The lines of a stream, without their newline, in batches: each batch has the lines that one chunk completed, at least one. A
 * last line without a newline counts. Rejects with `TooManyBytesError` for a line longer than `maxLineBytes`.
 */
export async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<readonly string[], void, undefined> {
  let open: Uint8Array[] = [];
  let openBytes = 0;
  for await (const chunk of stream) {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      if (openBytes + piece.length > maxLineBytes) throw new TooManyBytesError(maxLineBytes);
      lines.push(openBytes === 0 ? decodeText(piece) : decodeText(concatBytes([...open, piece])));
      open = [];
      openBytes = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      open.push(chunk.subarray(start));
      openBytes += chunk.length - start;
      if (openBytes > maxLineBytes) throw new TooManyBytesError(maxLineBytes);
    }
    if (lines.length > 0) yield lines;
  }
  if (openBytes > 0) yield [decodeText(concatBytes(open))];
}
