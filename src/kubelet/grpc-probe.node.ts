/** One gRPC health check over HTTP/2 without TLS, on a connection of its own. */
import { type ClientHttp2Session, connect } from 'node:http2';
import { type Clock, concatBytes, errorMessage, type Timer } from '../lib/index.ts';
import type { ProbeAttempt, ProbeTransport } from './ports.ts';
import { joinHostPort } from './probes/dial-error.ts';
import { CHECK_PATH, encodeCheck, type GrpcOutcome, grpcVerdict, outcomeOf } from './probes/grpc-health.ts';

/** As gRPC's connection back-off begins: a server that is not up yet may come within the time-out. */
const RECONNECT_MS = 1000;
/** A health answer has a few bytes. */
const MAX_ANSWER_BYTES = 4096;
const NO_ERROR = 0;

type Target = Parameters<ProbeTransport['grpc']>[0];

/** Connects, again and again until it works or the time is over, as upstream's blocking dial; then makes the call. */
export function probeGrpc(clock: Clock, target: Target): Promise<ProbeAttempt> {
  return new Promise((resolve) => {
    let session: ClientHttp2Session | undefined;
    let again: Timer | undefined;
    let isReady = false;
    let isOver = false;
    const end = (outcome: GrpcOutcome): void => {
      if (isOver) return;
      isOver = true;
      deadline.cancel();
      again?.cancel();
      session?.destroy();
      resolve(grpcVerdict(target, outcome));
    };
    const deadline = clock.setTimer(target.timeoutMs, () => end({ kind: isReady ? 'timed-out' : 'not-connected' }));
    const dial = (): void => {
      const opened = connect(`http://${joinHostPort(target.host, target.port)}`, { settings: { enablePush: false } });
      session = opened;
      // The server is ready when it has sent its settings: a listener that accepts and stays silent, or speaks something
      // else, is no gRPC server.
      opened.once('remoteSettings', () => {
        isReady = true;
        check(opened, target, end);
      });
      let lost = '';
      opened.on('error', (error) => {
        lost = errorMessage(error);
      });
      opened.on('goaway', (code) => {
        // A server that leaves in peace still answers what is under way.
        if (code !== NO_ERROR) opened.destroy(new Error(`received GOAWAY with code ${code}`));
      });
      opened.on('close', () => {
        if (isOver) return;
        if (isReady) end({ kind: 'status', code: 'Unavailable', message: `connection lost: ${lost || 'EOF'}` });
        else again = clock.setTimer(RECONNECT_MS, dial);
      });
    };
    dial();
  });
}

function check(session: ClientHttp2Session, target: Target, end: (outcome: GrpcOutcome) => void): void {
  const stream = session.request({
    ':method': 'POST',
    ':scheme': 'http',
    ':path': CHECK_PATH,
    'content-type': 'application/grpc',
    'user-agent': target.userAgent,
    'grpc-timeout': `${Math.max(1, Math.ceil(target.timeoutMs))}m`,
    te: 'trailers',
  });
  const heads: Record<string, string | undefined> = {};
  let status = 0;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const keep = (headers: object): void => {
    for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') heads[name] = value;
  };
  stream.on('response', (headers) => {
    status = headers[':status'] ?? 0;
    keep(headers);
  });
  stream.on('trailers', keep);
  stream.on('data', (chunk: Uint8Array) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES)
      end({ kind: 'status', code: 'ResourceExhausted', message: 'the answer is too long' });
  });
  // A stream that ends without a head went with its connection, which says why.
  stream.on('end', () => status > 0 && end(outcomeOf(status, heads, concatBytes(chunks))));
  stream.on('error', (error) => end({ kind: 'status', code: 'Unavailable', message: errorMessage(error) }));
  stream.end(encodeCheck(target.service));
}
