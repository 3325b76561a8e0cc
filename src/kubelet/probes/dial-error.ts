/** Network errors of a probe, in the words that Go prints and kubectl's users know. */

const SYSTEM_TEXT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by peer',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connection timed out',
  EADDRNOTAVAIL: 'cannot assign requested address',
  EACCES: 'permission denied',
  EPIPE: 'broken pipe',
};

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** "10.0.0.1:80", "[fd00::1]:80" */
export function joinHostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Why a connection could not be opened, e.g. `dial tcp 10.0.0.1:80: connect: connection refused`. */
export function dialErrorText(error: Error, host: string, port: number): string {
  const code = codeOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  return `dial tcp ${joinHostPort(host, port)}: connect: ${SYSTEM_TEXT[code] ?? error.message}`;
}

/** Why an exchange on an open connection ended. */
export function exchangeErrorText(error: Error, host: string, port: number): string {
  const code = codeOf(error);
  // Node's parser and sockets say the first for a peer that closed without an answer.
  if (error.message === 'socket hang up') return 'EOF';
  if (code === 'ECONNRESET') return `read tcp ${joinHostPort(host, port)}: read: ${SYSTEM_TEXT[code]}`;
  if (code.startsWith('HPE_'))
    return `net/http: HTTP/1.x transport connection broken: malformed HTTP response${firstBytes(error)}`;
  if (/wrong version number|packet length too long/.test(error.message)) {
    return 'http: server gave HTTP response to HTTPS client';
  }
  return SYSTEM_TEXT[code] ?? error.message;
}

/** Bytes of an answer that are quoted. */
const MAX_BYTES = 24;

/** ' "\\x15\\x03\\x01"': what came instead of HTTP, which tells TLS and HTTP/2 apart. */
function firstBytes(error: Error): string {
  const packet = 'rawPacket' in error ? error.rawPacket : undefined;
  if (!(packet instanceof Uint8Array) || packet.length === 0) return '';
  const characters = Array.from(packet.subarray(0, MAX_BYTES), (byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCodePoint(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return ` "${characters.join('')}"`;
}
