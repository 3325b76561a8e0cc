/** The subprotocols in which channels share a WebSocket: `v5.channel.k8s.io` and its elders. Pure. */
import { encodePrefixedMessage, encodeText, encodeWebSocketFrame, type MessagePiece } from '../../lib/index.ts';

/** Channels of exec and attach (upstream: remotecommand's constants). */
export const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
const CLOSE_SIGNAL = 255;
const ZERO_DIGIT = 48;

export interface ChannelProtocol {
  /** Text messages: a digit for the channel, then base64. Else binary ones: a byte, then the data. */
  readonly base64: boolean;
  /** The message 255 CHANNEL half-closes a channel. */
  readonly closeSignal: boolean;
  /** The error channel always ends with a `Status` in JSON; before v4 it has a text, and only for a failure. */
  readonly jsonStatus: boolean;
}

const text = { closeSignal: false, jsonStatus: false };
const json = { closeSignal: false, jsonStatus: true };

/** By name. '': a client that names none. */
export const EXEC_PROTOCOLS: Readonly<Record<string, ChannelProtocol>> = {
  'v5.channel.k8s.io': { base64: false, closeSignal: true, jsonStatus: true },
  'v4.channel.k8s.io': { base64: false, ...json },
  'v4.base64.channel.k8s.io': { base64: true, ...json },
  'v3.channel.k8s.io': { base64: false, ...text },
  'v2.channel.k8s.io': { base64: false, ...text },
  'channel.k8s.io': { base64: false, ...text },
  'base64.channel.k8s.io': { base64: true, ...text },
  '': { base64: false, ...text },
};

/** For port-forward, one pair of channels per port (upstream's names: v4 alone). */
export const PORT_PROTOCOLS: Readonly<Record<string, ChannelProtocol>> = {
  'v4.channel.k8s.io': { base64: false, ...json },
  'v4.base64.channel.k8s.io': { base64: true, ...json },
  '': { base64: false, ...json },
};

/** One message on a channel. */
export function encodeChannel({ base64 }: ChannelProtocol, channel: number, payload: Uint8Array): Uint8Array {
  if (!base64) return encodePrefixedMessage(channel, payload);
  const content = Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('base64');
  return encodeWebSocketFrame('text', encodeText(`${channel}${content}`));
}

export type ChannelInput =
  | { readonly type: 'data'; readonly channel: number; readonly payload: Uint8Array }
  | { readonly type: 'close'; readonly channel: number }
  /** A close signal that closes nothing: upstream ends the connection. */
  | { readonly type: 'malformed' };

/** Pieces of messages to what they say. One per connection. */
export class ChannelReader {
  readonly #protocol: ChannelProtocol;
  #channel: number | undefined;
  /** Base64 comes in fours: the beginning of one; or the body of a close signal. */
  #rest: Uint8Array = new Uint8Array(0);

  constructor(protocol: ChannelProtocol) {
    this.#protocol = protocol;
  }

  push({ payload, first, last }: MessagePiece): ChannelInput | undefined {
    if (first) {
      this.#channel = undefined;
      this.#rest = new Uint8Array(0);
    }
    let body = payload;
    if (this.#channel === undefined) {
      const head = payload[0];
      if (head === undefined) return undefined;
      this.#channel = this.#protocol.base64 ? head - ZERO_DIGIT : head;
      body = payload.subarray(1);
    }
    if (this.#protocol.closeSignal && this.#channel === CLOSE_SIGNAL) return this.#closeSignal(body, last);
    const data = this.#protocol.base64 ? this.#decoded(body, last) : body;
    return data.length === 0 ? undefined : { type: 'data', channel: this.#channel, payload: data };
  }

  #closeSignal(body: Uint8Array, last: boolean): ChannelInput | undefined {
    if (this.#rest.length + body.length > 1) return { type: 'malformed' };
    if (body.length === 1) this.#rest = body.slice();
    if (!last) return undefined;
    const [channel] = this.#rest;
    return channel === undefined ? { type: 'malformed' } : { type: 'close', channel };
  }

  #decoded(body: Uint8Array, last: boolean): Uint8Array {
    const whole = Buffer.concat([this.#rest, body]);
    const usable = last ? whole.length : whole.length - (whole.length % 4);
    this.#rest = new Uint8Array(whole.subarray(usable));
    return new Uint8Array(Buffer.from(whole.subarray(0, usable).toString('latin1'), 'base64'));
  }
}
