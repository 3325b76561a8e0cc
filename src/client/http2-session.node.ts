/** One HTTP/2 connection to a server, supervised with pings. */
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Clock, Timer } from '../lib/index.ts';
import { PING_INTERVAL_MS } from './limits.ts';

/** Bytes a server may send on one stream, and on all, before we read them. */
const STREAM_WINDOW_BYTES = 1024 * 1024;
const SESSION_WINDOW_BYTES = 16 * 1024 * 1024;

/**
 * A session on an open TLS socket that agreed on "h2". It pings while requests are under way; a ping without an answer at the
 * time of the next one ends the session with all its streams, so a dead connection is detected within two intervals.
 */
export function openSession(socket: TLSSocket, authority: string, clock: Clock): ClientHttp2Session {
  const session = connect(authority, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
  });
  session.on('connect', () => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
  // The streams report the error to their readers; without a listener it would end the process.
  session.on('error', () => {});
  session.on('goaway', () => session.close());
  superviseSession(session, clock);
  return session;
}

function superviseSession(session: ClientHttp2Session, clock: Clock): void {
  let timer: Timer | undefined;
  let answered = true;
  const plan = (): void => {
    timer = clock.setTimer(PING_INTERVAL_MS, (lateMs) => {
      if (session.destroyed) return;
      // After a delay of our own process the answer may be waiting to be read, so another ping is sent.
      if (!answered && lateMs < PING_INTERVAL_MS / 2) {
        session.destroy(new Error('the connection is dead: no answer to a ping'), constants.NGHTTP2_NO_ERROR);
        return;
      }
      answered = false;
      session.ping((error) => {
        answered ||= error === null;
      });
      plan();
    });
  };
  plan();
  session.on('close', () => timer?.cancel());
}
