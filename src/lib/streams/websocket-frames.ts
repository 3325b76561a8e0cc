/** Encodes and decodes WebSocket frames (RFC 6455, section 5). Pure; data passes in the pieces in which it arrives. */
import { decodeText, encodeText } from '../bytes.ts';
import { MAX_WEBSOCKET_CONTROL_BYTES, MAX_WEBSOCKET_MESSAGE_BYTES } from './limits.ts';

export const CLOSE_NORMAL = 1000;
export const CLOSE_PROTOCOL_ERROR = 1002;
export const CLOSE_TOO_BIG = 1009;
export const CLOSE_INTERNAL_ERROR = 1011;

const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export type WebSocketEvent =
  /** A piece of a message. `first` and `last` mark the message's ends; a piece may be empty. */
  | { readonly type: 'data'; readonly payload: Uint8Array; readonly first: boolean; readonly last: boolean }
  | { readonly type: 'ping' | 'pong'; readonly payload: Uint8Array }
  | { readonly type: 'close'; readonly code: number; readonly reason: string };

/** The peer broke the protocol: the connection must be closed with `code` and not be read further. */
export class WebSocketError extends Error {
  override readonly name = 'WebSocketError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface Frame {
  readonly final: boolean;
  readonly opcode: number;
  readonly mask: Uint8Array | undefined;
  readonly length: number;
  /** Payload bytes so far. */
  seen: number;
  /** The payload so far of a control frame. */
  readonly held: Uint8Array | undefined;
}

/** Decodes bytes to events. One per direction of a connection. */
export class WebSocketDecoder {
  readonly #masked: boolean;
  readonly #maxMessageBytes: number;
  readonly #head = new Uint8Array(14);
  #headBytes = 0;
  #frame: Frame | undefined;
  /** A message is incomplete, and its next data frame is a continuation. */
  #open = false;
  #messageBytes = 0;

  /** `masked`: the peer is a client, whose frames must be masked; those of a server must not be. */
  constructor(options: { readonly masked: boolean; readonly maxMessageBytes?: number }) {
    this.#masked = options.masked;
    this.#maxMessageBytes = options.maxMessageBytes ?? MAX_WEBSOCKET_MESSAGE_BYTES;
  }

  /** The events that `chunk` completes, in order. Throws `WebSocketError`, after which the decoder must not be used. */
  *push(chunk: Uint8Array): Generator<WebSocketEvent, void, undefined> {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#frame === undefined) {
        this.#head[this.#headBytes] = chunk[offset] as number;
        this.#headBytes += 1;
        offset += 1;
        this.#frame = this.#readHead();
        if (this.#frame === undefined) continue;
      }
      const frame: Frame = this.#frame;
      const taken = chunk.subarray(offset, offset + frame.length - frame.seen);
      if (taken.length === 0 && frame.length > 0) return;
      offset += taken.length;
      const payload = unmasked(taken, frame.mask, frame.seen);
      const begins = frame.seen === 0;
      if (frame.held !== undefined) frame.held.set(payload, frame.seen);
      frame.seen += taken.length;
      const isWhole = frame.seen === frame.length;
      if (isWhole) this.#frame = undefined;
      if (frame.held === undefined) {
        const last = isWhole && frame.final;
        if (isWhole) this.#open = !frame.final;
        if (last) this.#messageBytes = 0;
        yield { type: 'data', payload, first: begins && frame.opcode !== OPCODES.continuation, last };
      } else if (isWhole) {
        yield controlEvent(frame.opcode, frame.held);
      }
    }
  }

  /** The frame, if its head is complete. */
  #readHead(): Frame | undefined {
    const head = this.#head;
    if (this.#headBytes < 2) return undefined;
    const short = (head[1] as number) & 0x7f;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const isMasked = ((head[1] as number) & 0x80) !== 0;
    if (this.#headBytes < 2 + lengthBytes + (isMasked ? 4 : 0)) return undefined;
    this.#headBytes = 0;
    const first = head[0] as number;
    const opcode = first & 0x0f;
    const final = (first & 0x80) !== 0;
    const view = new DataView(head.buffer);
    const length = lengthBytes === 0 ? short : lengthBytes === 2 ? view.getUint16(2) : Number(view.getBigUint64(2));
    if ((first & 0x70) !== 0) throw broken('reserved bits are set');
    if (isMasked !== this.#masked) throw broken(isMasked ? 'a masked frame' : 'a frame that is not masked');
    const mask = isMasked ? head.slice(2 + lengthBytes, 6 + lengthBytes) : undefined;
    if (opcode >= OPCODES.close) {
      if (opcode > OPCODES.pong) throw broken(`unknown opcode ${opcode}`);
      if (!final) throw broken('a control frame in fragments');
      if (length > MAX_WEBSOCKET_CONTROL_BYTES) throw broken('a control frame of more than 125 bytes');
      return { final, opcode, mask, length, seen: 0, held: new Uint8Array(length) };
    }
    if (opcode > OPCODES.binary) throw broken(`unknown opcode ${opcode}`);
    if ((opcode === OPCODES.continuation) !== this.#open) {
      throw broken(this.#open ? 'a new message within another' : 'a continuation of no message');
    }
    this.#messageBytes += length;
    if (this.#messageBytes > this.#maxMessageBytes) {
      throw new WebSocketError(CLOSE_TOO_BIG, `a message of more than ${this.#maxMessageBytes} bytes`);
    }
    return { final, opcode, mask, length, seen: 0, held: undefined };
  }
}

/** @param maskingKey four bytes that a client must give, unpredictable ones on an open network */
export function encodeWebSocketFrame(
  kind: 'text' | 'binary' | 'close' | 'ping' | 'pong',
  payload: Uint8Array,
  maskingKey?: Uint8Array,
): Uint8Array {
  const { frame, bodyAt } = emptyFrame(OPCODES[kind], payload.length, maskingKey);
  frame.set(unmasked(payload, maskingKey, 0), bodyAt);
  return frame;
}

/** A binary message of a server: one byte, then the payload. */
export function encodePrefixedMessage(prefix: number, payload: Uint8Array): Uint8Array {
  const { frame, bodyAt } = emptyFrame(OPCODES.binary, payload.length + 1, undefined);
  frame[bodyAt] = prefix;
  frame.set(payload, bodyAt + 1);
  return frame;
}

function emptyFrame(
  opcode: number,
  length: number,
  maskingKey: Uint8Array | undefined,
): { readonly frame: Uint8Array; readonly bodyAt: number } {
  const lengthBytes = length < 126 ? 0 : length < 0x1_0000 ? 2 : 8;
  const bodyAt = 2 + lengthBytes + (maskingKey === undefined ? 0 : 4);
  const frame = new Uint8Array(bodyAt + length);
  const view = new DataView(frame.buffer);
  frame[0] = 0x80 | opcode;
  frame[1] = (maskingKey === undefined ? 0 : 0x80) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) view.setUint16(2, length);
  if (lengthBytes === 8) view.setBigUint64(2, BigInt(length));
  if (maskingKey !== undefined) frame.set(maskingKey, 2 + lengthBytes);
  return { frame, bodyAt };
}

/** `reason` is cut to the maximum of a control frame. */
export function encodeWebSocketClose(code: number, reason: string, maskingKey?: Uint8Array): Uint8Array {
  const text = encodeText(reason).subarray(0, MAX_WEBSOCKET_CONTROL_BYTES - 2);
  const payload = new Uint8Array(2 + text.length);
  new DataView(payload.buffer).setUint16(0, code);
  payload.set(text, 2);
  return encodeWebSocketFrame('close', payload, maskingKey);
}

function controlEvent(opcode: number, payload: Uint8Array): WebSocketEvent {
  if (opcode === OPCODES.ping) return { type: 'ping', payload };
  if (opcode === OPCODES.pong) return { type: 'pong', payload };
  // 1005 means that the peer gave no code.
  if (payload.length === 0) return { type: 'close', code: 1005, reason: '' };
  if (payload.length === 1) throw broken('a close frame with half a code');
  return {
    type: 'close',
    code: ((payload[0] as number) << 8) | (payload[1] as number),
    reason: decodeText(payload.subarray(2)),
  };
}

/** XOR with the key, which starts `position` bytes in. The input stays as it is. */
function unmasked(bytes: Uint8Array, key: Uint8Array | undefined, position: number): Uint8Array {
  if (key === undefined) return bytes;
  const out = new Uint8Array(bytes.length);
  const k = [0, 1, 2, 3].map((i) => key[(position + i) & 3] as number);
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = k;
  let i = 0;
  for (; i + 3 < bytes.length; i += 4) {
    out[i] = (bytes[i] as number) ^ k0;
    out[i + 1] = (bytes[i + 1] as number) ^ k1;
    out[i + 2] = (bytes[i + 2] as number) ^ k2;
    out[i + 3] = (bytes[i + 3] as number) ^ k3;
  }
  for (; i < bytes.length; i += 1) out[i] = (bytes[i] as number) ^ (k[i & 3] as number);
  return out;
}

function broken(message: string): WebSocketError {
  return new WebSocketError(CLOSE_PROTOCOL_ERROR, message);
}
