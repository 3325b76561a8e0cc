/** Builds HTTP/2 frames (RFC 9113), including invalid ones. */

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const TYPES = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const END_STREAM = 1;
export const ACK = 1;
export const END_HEADERS = 4;
export const PADDED = 8;

export function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array(0)): Buffer {
  return frameOfLength(payload.length, type, flags, stream, payload);
}

/** A frame whose length field may be wrong. */
export function frameOfLength(
  length: number,
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array,
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

export function word(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * i);
  return bytes;
}

export function settings(entries: readonly (readonly [number, number])[] = []): Buffer {
  const payload = Buffer.alloc(6 * entries.length);
  for (const [i, [id, value]] of entries.entries()) {
    payload.writeUInt16BE(id, 6 * i);
    payload.writeUInt32BE(value >>> 0, 6 * i + 2);
  }
  return frame(TYPES.settings, 0, 0, payload);
}

export const settingsAck = frame(TYPES.settings, ACK, 0);
export const ping = frame(TYPES.ping, 0, 0, Buffer.alloc(8));
export const reset = (stream: number, code = 8): Buffer => frame(TYPES.rstStream, 0, stream, word(code));
export const windowUpdate = (stream: number, by: number): Buffer => frame(TYPES.windowUpdate, 0, stream, word(by));
export const priority = (stream: number, on = 0): Buffer =>
  frame(TYPES.priority, 0, stream, Buffer.concat([word(on), Buffer.from([1])]));

/** A header as a literal that is never indexed, with short texts. */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x00]), hpackText(name), hpackText(value)]);
}

function hpackText(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length: number[] = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
  length.push(rest);
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** The header block of a request. */
export function block(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Buffer {
  const all = { ':method': method, ':scheme': 'https', ':authority': 'x', ':path': path, ...headers };
  return Buffer.concat(Object.entries(all).map(([name, value]) => literal(name, value)));
}

export function request(stream: number, method: string, path: string, headers?: Record<string, string>): Buffer {
  return frame(TYPES.headers, END_HEADERS | END_STREAM, stream, block(method, path, headers));
}

/** A request whose body is still to come. */
export function openRequest(stream: number, path: string, headers?: Record<string, string>): Buffer {
  return frame(TYPES.headers, END_HEADERS, stream, block('POST', path, headers));
}

export function data(stream: number, payload: Uint8Array, flags = 0): Buffer {
  return frame(TYPES.data, flags, stream, payload);
}

export interface SeenFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The complete frames in a server's bytes. */
export function framesIn(bytes: Buffer): readonly SeenFrame[] {
  const frames: SeenFrame[] = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    if (at + 9 + length > bytes.length) break;
    frames.push({
      type: bytes[at + 3] ?? 0,
      flags: bytes[at + 4] ?? 0,
      stream: bytes.readUInt32BE(at + 5) & 0x7fff_ffff,
      payload: bytes.subarray(at + 9, at + 9 + length),
    });
    at += 9 + length;
  }
  return frames;
}

/** The error code of the GOAWAY in a server's bytes; undefined: there is none. */
export function goAwayCode(bytes: Buffer): number | undefined {
  return framesIn(bytes)
    .findLast(({ type }) => type === TYPES.goAway)
    ?.payload.readUInt32BE(4);
}
export const ENHANCE_YOUR_CALM = 11;
