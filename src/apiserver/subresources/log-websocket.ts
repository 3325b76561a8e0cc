/** pods/log over a WebSocket: one message for each piece of the log (upstream: wsstream.Reader). */
import {
  answerHandshake,
  CLOSE_INTERNAL_ERROR,
  CLOSE_NORMAL,
  type Clock,
  createDuplexPair,
  encodeText,
  encodeWebSocketFrame,
  errorMessage,
  type HttpRequest,
  type HttpResponse,
  type UpgradeResponse,
  WebSocketConnection,
} from '../../lib/index.ts';

const BASE64 = 'base64.binary.k8s.io';
const PROTOCOLS: readonly string[] = ['binary.k8s.io', BASE64, ''];

/** The WebSocket that carries `log`'s body; the answer itself when there is no log to carry, or the handshake's refusal. */
export async function logOverWebSocket(
  request: HttpRequest,
  clock: Clock,
  log: () => Promise<HttpResponse>,
): Promise<UpgradeResponse> {
  const handshake = answerHandshake(request, PROTOCOLS);
  if (!handshake.ok) {
    const headers = { 'content-type': 'text/plain; charset=utf-8', ...handshake.headers };
    const { status, message } = handshake;
    return { upgraded: false, response: { status, headers, body: encodeText(message) } };
  }
  const response = await log();
  if (response.status !== 200) return { upgraded: false, response };
  const [stream, ours] = createDuplexPair();
  const { headers, protocol } = handshake;
  void serve(new WebSocketConnection(ours, clock), response.body, protocol === BASE64);
  return { upgraded: true, status: 101, headers, stream };
}

/** Sends the log, and an empty message before it (as upstream), until its end or the client's. Never rejects. */
async function serve(socket: WebSocketConnection, body: HttpResponse['body'], base64: boolean): Promise<void> {
  const send = (piece: Uint8Array): Promise<void> => socket.send(encodePiece(piece, base64));
  const output = (async () => {
    try {
      await send(new Uint8Array(0));
      if (body instanceof Uint8Array) await send(body);
      else for await (const piece of body) await send(piece);
      socket.close(CLOSE_NORMAL, '');
    } catch (error) {
      socket.close(CLOSE_INTERNAL_ERROR, errorMessage(error));
    }
  })();
  for await (const _ of socket.messages()) {
    // A reader of logs has nothing to say.
  }
  socket.destroy();
  // A log that is waited for ends by the request's signal: the client is gone.
  await output;
}

function encodePiece(piece: Uint8Array, base64: boolean): Uint8Array {
  if (!base64) return encodeWebSocketFrame('binary', piece);
  const text = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64');
  return encodeWebSocketFrame('text', encodeText(text));
}
