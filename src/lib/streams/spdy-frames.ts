/**
 * SPDY/3.1 frames, as far as a client of a container runtime needs them (the draft's sections 2.2 and 2.6). Pure.
 *
 * Header blocks that we write are a zlib stream of stored blocks, which every decompressor accepts. Header blocks that we receive
 * are not unpacked, as a runtime sends nothing of interest in them. So there is no compression state.
 */
import { encodeText } from '../bytes.ts';
import { MAX_SPDY_CONTROL_BYTES, MAX_SPDY_DATA_BYTES } from './limits.ts';

const VERSION = 3;
const FLAG_FIN = 1;
const HEAD_BYTES = 8;
const TYPES = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** Status codes of RST_STREAM. */
export const RST_REFUSED_STREAM = 3;
export const RST_CANCEL = 5;

export type SpdyEvent =
  /** A piece of a DATA frame; `fin` comes with its last one. */
  | { readonly type: 'data'; readonly streamId: number; readonly payload: Uint8Array; readonly fin: boolean }
  | { readonly type: 'syn-stream'; readonly streamId: number; readonly fin: boolean }
  | { readonly type: 'syn-reply'; readonly streamId: number; readonly fin: boolean }
  | { readonly type: 'headers'; readonly streamId: number; readonly fin: boolean }
  | { readonly type: 'rst-stream'; readonly streamId: number; readonly status: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'go-away'; readonly lastStreamId: number }
  /** SETTINGS, WINDOW_UPDATE and types that the draft does not define. */
  | { readonly type: 'other'; readonly frameType: number };

/** The bytes are not SPDY/3; the connection must not be read any further. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}

interface OpenData {
  readonly streamId: number;
  readonly fin: boolean;
  left: number;
}

/** Decodes bytes to events. One per direction of a connection. */
export class SpdyDecoder {
  readonly #head = new Uint8Array(HEAD_BYTES);
  #headBytes = 0;
  #data: OpenData | undefined;
  #control: Uint8Array | undefined;
  #controlBytes = 0;

  /** Whether the last byte so far ended a frame. */
  get atBoundary(): boolean {
    return this.#headBytes === 0 && this.#data === undefined && this.#control === undefined;
  }

  /** The events that `chunk` completes, in order. Throws `SpdyError`, after which the decoder must not be used. */
  *push(chunk: Uint8Array): Generator<SpdyEvent, void, undefined> {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#data !== undefined) {
        const payload = chunk.subarray(offset, offset + this.#data.left);
        offset += payload.length;
        yield this.#dataEvent(this.#data, payload);
      } else if (this.#control !== undefined) {
        const piece = chunk.subarray(offset, offset + this.#control.length - this.#controlBytes);
        offset += piece.length;
        this.#control.set(piece, this.#controlBytes);
        this.#controlBytes += piece.length;
        if (this.#controlBytes === this.#control.length) yield this.#controlEvent(this.#control);
      } else {
        const piece = chunk.subarray(offset, offset + HEAD_BYTES - this.#headBytes);
        offset += piece.length;
        this.#head.set(piece, this.#headBytes);
        this.#headBytes += piece.length;
        if (this.#headBytes === HEAD_BYTES) yield* this.#begin();
      }
    }
  }

  *#begin(): Generator<SpdyEvent, void, undefined> {
    this.#headBytes = 0;
    const view = new DataView(this.#head.buffer);
    const first = view.getUint32(0);
    const flags = view.getUint8(4);
    const length = view.getUint32(4) & 0xff_ffff;
    if (first >>> 31 === 0) {
      this.#data = { streamId: first, fin: (flags & FLAG_FIN) !== 0, left: length };
      if (length === 0) yield this.#dataEvent(this.#data, new Uint8Array(0));
      return;
    }
    const version = (first >>> 16) & 0x7fff;
    if (version !== VERSION) throw new SpdyError(`a frame of SPDY version ${version}, not ${VERSION}`);
    if (length > MAX_SPDY_CONTROL_BYTES) throw new SpdyError(`a control frame of ${length} bytes`);
    this.#control = new Uint8Array(length);
    this.#controlBytes = 0;
    if (length === 0) yield this.#controlEvent(this.#control);
  }

  #dataEvent(data: OpenData, payload: Uint8Array): SpdyEvent {
    data.left -= payload.length;
    if (data.left === 0) this.#data = undefined;
    return { type: 'data', streamId: data.streamId, payload, fin: data.fin && data.left === 0 };
  }

  /** The event of the last head and this body. */
  #controlEvent(body: Uint8Array): SpdyEvent {
    this.#control = undefined;
    const frameType = ((this.#head[2] as number) << 8) | (this.#head[3] as number);
    const fin = ((this.#head[4] as number) & FLAG_FIN) !== 0;
    const view = new DataView(body.buffer);
    const word = (at: number): number => {
      if (at + 4 > body.length) throw new SpdyError(`a control frame of type ${frameType} with ${body.length} bytes`);
      return view.getUint32(at);
    };
    const streamId = (): number => word(0) & 0x7fff_ffff;
    switch (frameType) {
      case TYPES.synStream:
        return { type: 'syn-stream', streamId: streamId(), fin };
      case TYPES.synReply:
        return { type: 'syn-reply', streamId: streamId(), fin };
      case TYPES.headers:
        return { type: 'headers', streamId: streamId(), fin };
      case TYPES.rstStream:
        return { type: 'rst-stream', streamId: streamId(), status: word(4) };
      case TYPES.ping:
        return { type: 'ping', id: word(0) };
      case TYPES.goAway:
        return { type: 'go-away', lastStreamId: streamId() };
      default:
        return { type: 'other', frameType };
    }
  }
}

/** DATA frames for `payload`, one after the other; the last has FIN if `fin`. */
export function encodeSpdyData(streamId: number, payload: Uint8Array, fin: boolean): Uint8Array {
  const frames = Math.max(1, Math.ceil(payload.length / MAX_SPDY_DATA_BYTES));
  const out = new Uint8Array(frames * HEAD_BYTES + payload.length);
  const view = new DataView(out.buffer);
  let at = 0;
  for (let i = 0; i < frames; i += 1) {
    const piece = payload.subarray(i * MAX_SPDY_DATA_BYTES, (i + 1) * MAX_SPDY_DATA_BYTES);
    view.setUint32(at, streamId);
    view.setUint32(at + 4, piece.length | (fin && i === frames - 1 ? FLAG_FIN << 24 : 0));
    out.set(piece, at + HEAD_BYTES);
    at += HEAD_BYTES + piece.length;
  }
  return out;
}

/** Writes SYN_STREAM frames. One per connection: the zlib stream of the header blocks begins with the first of them. */
export class SpdyStreamOpener {
  #isFirst = true;

  /** `headers`: names in lower case. */
  open(streamId: number, headers: Readonly<Record<string, string>>): Uint8Array {
    const block = storedHeaders(headers, this.#isFirst);
    this.#isFirst = false;
    const body = new Uint8Array(10 + block.length);
    new DataView(body.buffer).setUint32(0, streamId);
    body.set(block, 10);
    return controlFrame(TYPES.synStream, body);
  }
}

export function encodeSpdyReset(streamId: number, status: number): Uint8Array {
  return controlFrame(TYPES.rstStream, words(streamId, status));
}

export function encodeSpdyPing(id: number): Uint8Array {
  return controlFrame(TYPES.ping, words(id));
}

export function encodeSpdyReply(streamId: number): Uint8Array {
  return controlFrame(TYPES.synReply, words(streamId));
}

/** The empty stored block of a sync flush. Go's reader returns a block only when it sees the next one. */
const FLUSH = [0, 0, 0, 0xff, 0xff];

/** A name/value block as zlib: its two bytes of head (first time only; no preset dictionary), one stored block, a flush. */
function storedHeaders(headers: Readonly<Record<string, string>>, withHead: boolean): Uint8Array {
  const texts = Object.entries(headers).flatMap(([name, value]) => [encodeText(name), encodeText(value)]);
  const length = 4 + texts.reduce((sum, text) => sum + 4 + text.length, 0);
  const head = withHead ? [0x78, 0x01] : [];
  const out = new Uint8Array(head.length + 5 + length + FLUSH.length);
  const view = new DataView(out.buffer);
  out.set(head);
  let at = head.length + 1;
  view.setUint16(at, length, true);
  view.setUint16(at + 2, ~length & 0xffff, true);
  at += 4;
  view.setUint32(at, texts.length / 2);
  at += 4;
  for (const text of texts) {
    view.setUint32(at, text.length);
    out.set(text, at + 4);
    at += 4 + text.length;
  }
  out.set(FLUSH, at);
  return out;
}

function controlFrame(type: number, body: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEAD_BYTES + body.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, (0x8000_0000 | (VERSION << 16) | type) >>> 0);
  view.setUint32(4, body.length);
  frame.set(body, HEAD_BYTES);
  return frame;
}

function words(...values: readonly number[]): Uint8Array {
  const out = new Uint8Array(values.length * 4);
  const view = new DataView(out.buffer);
  for (const [i, value] of values.entries()) view.setUint32(i * 4, value);
  return out;
}
