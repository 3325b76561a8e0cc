/** A watch over a WebSocket: each event is one text message (upstream: WatchServer.HandleWS). */
import {
  type Clock,
  concatBytes,
  encodeWebSocketFrame,
  type HttpRequest,
  type HttpResponse,
  offeredProtocols,
  type UpgradeResponse,
} from '../../lib/index.ts';
import { answerOverWebSocket, refusedHandshake } from '../http/answer-websocket.ts';

const NEWLINE = 0x0a;

/**
 * The WebSocket that carries `watch`'s events; the answer itself when it is no watch, or the handshake's refusal. A client may name one
 * subprotocol, whichever it likes (as upstream); more are refused.
 */
export async function watchOverWebSocket(
  request: HttpRequest,
  clock: Clock,
  watch: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<UpgradeResponse> {
  const [protocol = '', ...more] = offeredProtocols(request);
  if (more.length > 0) {
    return { upgraded: false, response: refusedHandshake(400, 'a watch takes one subprotocol at most') };
  }
  return answerOverWebSocket(request, clock, { protocols: [protocol], answer: watch, frames: framesOfLines });
}

/** One text frame for each line; a piece of a watch ends with a line's end. */
function framesOfLines(piece: Uint8Array): Uint8Array {
  const frames: Uint8Array[] = [];
  for (let from = 0; from < piece.length; ) {
    const at = piece.indexOf(NEWLINE, from);
    const end = at < 0 ? piece.length : at + 1;
    frames.push(encodeWebSocketFrame('text', piece.subarray(from, end)));
    from = end;
  }
  return frames.length === 1 && frames[0] !== undefined ? frames[0] : concatBytes(frames);
}
