/** An ordinary answer whose body a WebSocket carries: a log, or a watch. */
import {
  answerHandshake,
  childController,
  CLOSE_INTERNAL_ERROR,
  CLOSE_NORMAL,
  type Clock,
  createDuplexPair,
  encodeText,
  errorMessage,
  type HttpRequest,
  type HttpResponse,
  type UpgradeResponse,
  WebSocketConnection,
} from '../../lib/index.ts';

export interface SocketAnswer {
  /** The subprotocols that it speaks; '' for none. */
  readonly protocols: readonly string[];
  /** The ordinary answer to the request. */
  readonly answer: (request: HttpRequest) => Promise<HttpResponse>;
  /** The frames of one piece of its body. */
  readonly frames: (piece: Uint8Array, protocol: string) => Uint8Array;
  /** Sent before the body. */
  readonly first?: (protocol: string) => Uint8Array;
}

/** The WebSocket that carries the answer's body; the answer itself when it is no success, or the handshake's refusal. */
export async function answerOverWebSocket(
  request: HttpRequest,
  clock: Clock,
  socketAnswer: SocketAnswer,
): Promise<UpgradeResponse> {
  const handshake = answerHandshake(request, socketAnswer.protocols);
  if (!handshake.ok) {
    const { status, message, headers } = handshake;
    return { upgraded: false, response: refusedHandshake(status, message, headers) };
  }
  const child = childController(request.signal);
  const response = await socketAnswer.answer({ ...request, signal: child.controller.signal });
  if (response.status !== 200) {
    child.release();
    return { upgraded: false, response };
  }
  const [stream, ours] = createDuplexPair();
  const { headers, protocol } = handshake;
  void serve(new WebSocketConnection(ours, clock), response.body, protocol, socketAnswer).finally(() => {
    // The client is gone: what waits for its next piece must not go on waiting.
    child.controller.abort(new Error('the client is gone'));
    child.release();
  });
  return { upgraded: true, status: 101, headers, stream };
}

export function refusedHandshake(status: number, message: string, headers: HttpResponse['headers'] = {}): HttpResponse {
  const type = { 'content-type': 'text/plain; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: encodeText(message) };
}

/** Sends the body until its end or the client's; resolves when the client is gone. Never rejects. */
async function serve(
  socket: WebSocketConnection,
  body: HttpResponse['body'],
  protocol: string,
  { frames, first }: SocketAnswer,
): Promise<void> {
  const output = async (): Promise<void> => {
    try {
      if (first !== undefined) await socket.send(first(protocol));
      if (body instanceof Uint8Array) await socket.send(frames(body, protocol));
      else for await (const piece of body) await socket.send(frames(piece, protocol));
      socket.close(CLOSE_NORMAL, '');
    } catch (error) {
      socket.close(CLOSE_INTERNAL_ERROR, errorMessage(error));
    }
  };
  void output();
  for await (const _ of socket.messages()) {
    // A reader has nothing to say.
  }
  socket.destroy();
}
