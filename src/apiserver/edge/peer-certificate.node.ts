/** The client's certificate, as the TLS layer found it. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { PeerCertificate } from './authentication.ts';

const known = new WeakMap<Socket, PeerCertificate>();

function asList(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function read(socket: TLSSocket): PeerCertificate {
  const certificate = socket.getPeerCertificate();
  // Node gives an empty object where there is no certificate.
  if (certificate === null || Object.keys(certificate).length === 0) return { kind: 'none' };
  if (!socket.authorized) return { kind: 'untrusted' };
  const names = asList(certificate.subject?.CN);
  // With two common names it is unclear which one is meant, so neither counts.
  if (names.length !== 1) return { kind: 'untrusted' };
  return { kind: 'trusted', commonName: names[0] ?? '', organizations: asList(certificate.subject?.O) };
}

/** Read once per connection. */
export function peerCertificate(socket: Socket): PeerCertificate {
  let peer = known.get(socket);
  if (peer === undefined) {
    peer = socket instanceof TLSSocket ? read(socket) : { kind: 'none' };
    known.set(socket, peer);
  }
  return peer;
}
