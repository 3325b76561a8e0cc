/** pods/log over a WebSocket: one message for each piece of the log (upstream: wsstream.Reader). */
import {
  type Clock,
  encodeText,
  encodeWebSocketFrame,
  type HttpRequest,
  type HttpResponse,
  type UpgradeResponse,
} from '../../lib/index.ts';
import { answerOverWebSocket } from '../http/answer-websocket.ts';

const BASE64 = 'base64.binary.k8s.io';
const PROTOCOLS: readonly string[] = ['binary.k8s.io', BASE64, ''];

/** The WebSocket that carries `log`'s body; the answer itself when there is no log to carry, or the handshake's refusal. */
export function logOverWebSocket(
  request: HttpRequest,
  clock: Clock,
  log: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<UpgradeResponse> {
  return answerOverWebSocket(request, clock, {
    protocols: PROTOCOLS,
    answer: log,
    frames: encodePiece,
    // Upstream sends an empty message first.
    first: (protocol) => encodePiece(new Uint8Array(0), protocol),
  });
}

function encodePiece(piece: Uint8Array, protocol: string): Uint8Array {
  if (protocol !== BASE64) return encodeWebSocketFrame('binary', piece);
  const text = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64');
  return encodeWebSocketFrame('text', encodeText(text));
}
