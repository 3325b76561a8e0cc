/**
 * The two messages of grpc.health.v1.Health/Check and what its answer means, in upstream's words (pkg/probe/grpc). Pure: the
 * messages are so small that they are written and read by hand.
 */
import { concatBytes, encodeText } from '../../lib/index.ts';
import { formatDuration, quote } from '../go-format.ts';
import type { ProbeAttempt } from '../ports.ts';
import { joinHostPort } from './dial-error.ts';

export const CHECK_PATH = '/grpc.health.v1.Health/Check';

/** HealthCheckResponse.ServingStatus, by number. */
const SERVING_STATUS = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

/** gRPC's status codes, by number, as Go prints them. */
const CODES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;
type Code = (typeof CODES)[number];

export interface GrpcTarget {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
}

/** The result of one call. */
export type GrpcOutcome =
  /** No HTTP/2 connection within the time-out. */
  | { readonly kind: 'not-connected' }
  | { readonly kind: 'timed-out' }
  /** The call ended with a status of its own. */
  | { readonly kind: 'status'; readonly code: Code; readonly message: string }
  | { readonly kind: 'answer'; readonly message: Uint8Array };

/** A HealthCheckRequest in gRPC's frame. */
export function encodeCheck(service: string): Uint8Array {
  const name = encodeText(service);
  const message = name.length === 0 ? name : concatBytes([Uint8Array.of(0x0a), varint(name.length), name]);
  const frame = new Uint8Array(5);
  new DataView(frame.buffer).setUint32(1, message.length);
  return concatBytes([frame, message]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.of(...bytes, rest);
}

/** The content of a response: its headers and trailers together, and its body. */
export function outcomeOf(
  httpStatus: number,
  headers: Readonly<Record<string, string | undefined>>,
  body: Uint8Array,
): GrpcOutcome {
  const status = headers['grpc-status'];
  if (status === undefined) {
    const isGrpc = httpStatus === 200 && (headers['content-type'] ?? '').startsWith('application/grpc');
    const message = isGrpc
      ? 'server closed the stream without sending trailers'
      : `unexpected HTTP status code received from server: ${httpStatus}`;
    return { kind: 'status', code: isGrpc ? 'Internal' : codeOfHttp(httpStatus), message };
  }
  const code = CODES[Number(status)] ?? 'Unknown';
  if (code !== 'OK') return { kind: 'status', code, message: percentDecoded(headers['grpc-message'] ?? '') };
  const length = body.length < 5 ? -1 : new DataView(body.buffer, body.byteOffset).getUint32(1);
  if (length < 0 || body.length < 5 + length) return { kind: 'status', code: 'Internal', message: 'unexpected EOF' };
  if (body[0] !== 0) return { kind: 'status', code: 'Internal', message: 'the answer is compressed, and nobody asked' };
  return { kind: 'answer', message: body.subarray(5, 5 + length) };
}

/** As gRPC maps answers of servers that do not speak it (doc/http-grpc-status-mapping). */
function codeOfHttp(status: number): Code {
  if (status === 400) return 'Internal';
  if (status === 401) return 'Unauthenticated';
  if (status === 403) return 'PermissionDenied';
  if (status === 404) return 'Unimplemented';
  return [429, 502, 503, 504].includes(status) ? 'Unavailable' : 'Unknown';
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The status of a HealthCheckResponse; `undefined`: malformed. Unknown fields are skipped. */
export function decodeStatus(message: Uint8Array): string | undefined {
  let status = 0;
  let at = 0;
  const read = (): number | undefined => {
    let value = 0;
    for (let factor = 1; at < message.length && factor <= 2 ** 63; factor *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    return undefined;
  };
  while (at < message.length) {
    const tag = read();
    if (tag === undefined) return undefined;
    const wire = tag % 8;
    if (wire === 0) {
      const value = read();
      if (value === undefined) return undefined;
      if (tag === 0x08) status = value;
    } else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else if (wire === 2) {
      const length = read();
      if (length === undefined) return undefined;
      at += length;
    } else return undefined;
    if (at > message.length) return undefined;
  }
  return SERVING_STATUS[status] ?? String(status);
}

/** Any problem is a failure, as in upstream and in grpc_health_probe. */
export function grpcVerdict(target: GrpcTarget, outcome: GrpcOutcome): ProbeAttempt {
  const within = formatDuration(target.timeoutMs);
  const failure = (output: string): ProbeAttempt => ({ result: 'failure', output });
  switch (outcome.kind) {
    case 'not-connected': {
      const address = quote(joinHostPort(target.host, target.port));
      return failure(`timeout: failed to connect service ${address} within ${within}: context deadline exceeded`);
    }
    case 'timed-out':
      return failure(`timeout: health rpc did not complete within ${within}`);
    case 'answer': {
      const status = decodeStatus(outcome.message);
      if (status === 'SERVING') return { result: 'success', output: 'service healthy' };
      if (status !== undefined) return failure(`service unhealthy (responded with ${quote(status)})`);
      return failure(rpcFailed('Internal', 'failed to unmarshal the received message'));
    }
    case 'status':
      if (outcome.code === 'DeadlineExceeded') return grpcVerdict(target, { kind: 'timed-out' });
      if (outcome.code !== 'Unimplemented') return failure(rpcFailed(outcome.code, outcome.message));
      return failure(
        `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${outcome.message}`,
      );
  }
}

function rpcFailed(code: Code, message: string): string {
  return `error: health rpc probe failed: rpc error: code = ${code} desc = ${message}`;
}
