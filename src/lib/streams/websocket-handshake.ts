/** The server's half of the WebSocket handshake (RFC 6455, section 4.2). Pure. */
import { encodeText } from '../bytes.ts';
import type { Headers, HttpRequest } from '../http.ts';
import { sha1 } from './sha1.ts';

const ACCEPT_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export type WebSocketHandshake =
  /** `headers` are those of the answer with status 101. `protocol` is '' when the client named none. */
  | { readonly ok: true; readonly headers: Headers; readonly protocol: string }
  | { readonly ok: false; readonly status: number; readonly message: string; readonly headers: Headers };

export function isWebSocketRequest({ headers }: HttpRequest): boolean {
  return (headers['upgrade'] ?? '').toLowerCase() === 'websocket';
}

/** The subprotocols that the client named, in its order. */
export function offeredProtocols({ headers }: HttpRequest): readonly string[] {
  return (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/**
 * Answers a handshake. The client's first subprotocol that is in `supported` is chosen, as upstream does; a client that names
 * none gets none if `supported` contains ''.
 */
export function answerHandshake(request: HttpRequest, supported: readonly string[]): WebSocketHandshake {
  const { method, headers } = request;
  const key = headers['sec-websocket-key'] ?? '';
  if (method !== 'GET') return refusal(405, 'a WebSocket is opened with GET');
  if (headers['sec-websocket-version'] !== '13') {
    return { ...refusal(426, 'WebSocket version 13 is wanted'), headers: { 'sec-websocket-version': '13' } };
  }
  if (!/^[A-Za-z0-9+/]{22}==$/.test(key)) return refusal(400, 'malformed Sec-WebSocket-Key');
  const offered = offeredProtocols(request);
  const protocol = (offered.length === 0 ? [''] : offered).find((each) => supported.includes(each));
  if (protocol === undefined) {
    const known = supported.filter((each) => each !== '').join(' ');
    return refusal(403, `requested protocol(s) are not supported: [${offered.join(' ')}]; supports [${known}]`);
  }
  const accept = Buffer.from(sha1(encodeText(key + ACCEPT_GUID))).toString('base64');
  return {
    ok: true,
    protocol,
    headers: {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-accept': accept,
      ...(protocol !== '' && { 'sec-websocket-protocol': protocol }),
    },
  };
}

function refusal(status: number, message: string): Extract<WebSocketHandshake, { readonly ok: false }> {
  return { ok: false, status, message, headers: {} };
}
