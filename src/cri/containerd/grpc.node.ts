/** gRPC over a unix socket: connect-node's transport with a session of our own, and its errors as `RuntimeError`s. */
import { connect } from 'node:net';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { CALL_TIMEOUT_MS, MAX_MESSAGE_BYTES } from '../limits.ts';
import { type CallOptions, RuntimeError } from '../runtime.ts';
import { codeOfConnection, codeOfStatus, explained } from './grpc-errors.ts';

export interface GrpcSocket {
  readonly transport: Transport;
  /** Runs one call with the port's options; rejects with `RuntimeError` only. `timeoutMs` defaults to 120 s. */
  call<T>(
    make: (options: { signal?: AbortSignal; timeoutMs?: number }) => Promise<T>,
    options?: CallOptions,
  ): Promise<T>;
  /** The same error for anything thrown by connect. */
  error(thrown: unknown, signal?: AbortSignal): RuntimeError;
  /** Ends the connection; calls in flight fail. Without it the process stays alive. */
  close(): void;
  /** `close` was called. */
  isClosed(): boolean;
}

/**
 * Opens nothing yet: the first call connects, and the first call after a loss connects again at once.
 *
 * No pings: grpc-go answers more than one in five minutes with a GOAWAY, a dead peer closes a unix socket, and a frozen one
 * meets the deadline of each call.
 */
export function openGrpcSocket(path: string): GrpcSocket {
  const session = new Http2SessionManager(
    'http://localhost',
    { pingIntervalMs: undefined },
    {
      createConnection: () => connect(path),
    },
  );
  const transport = createGrpcTransport({
    baseUrl: 'http://localhost',
    sessionManager: session,
    acceptCompression: [],
    readMaxBytes: MAX_MESSAGE_BYTES,
  });
  let isClosed = false;
  const error = (thrown: unknown, signal?: AbortSignal) => runtimeError(path, thrown, signal);
  return {
    transport,
    async call(make, { signal, timeoutMs = CALL_TIMEOUT_MS } = {}) {
      try {
        return await make({ ...(signal && { signal }), ...(timeoutMs > 0 && { timeoutMs }) });
      } catch (thrown) {
        throw error(thrown, signal);
      }
    },
    error,
    close: () => {
      isClosed = true;
      session.abort();
    },
    isClosed: () => isClosed,
  };
}

function runtimeError(path: string, thrown: unknown, signal: AbortSignal | undefined): RuntimeError {
  if (thrown instanceof RuntimeError) return thrown;
  if (signal?.aborted) return new RuntimeError('Cancelled', 'the call was cancelled', { cause: thrown });
  if (!(thrown instanceof ConnectError)) throw thrown;
  const system = systemCode(thrown.cause);
  if (system !== undefined) {
    return new RuntimeError(codeOfConnection(system), `the container runtime at ${path} is away: ${system}`, {
      cause: thrown,
    });
  }
  if (isTransportFailure(thrown)) {
    return new RuntimeError('Unavailable', `the container runtime at ${path} went away: ${thrown.rawMessage}`, {
      cause: thrown,
    });
  }
  return new RuntimeError(codeOfStatus(thrown.code, thrown.rawMessage), explained(thrown.rawMessage), {
    cause: thrown,
  });
}

/** The connection ended under the call: a reset, a session closed before the answer. */
function isTransportFailure({ code, rawMessage }: ConnectError): boolean {
  if (rawMessage.startsWith('http/2')) return true;
  return code === Code.Aborted || rawMessage.includes('missing trailer') || rawMessage.includes('premature close');
}

function systemCode(cause: unknown): string | undefined {
  for (let one = cause, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth++) {
    if ('code' in one && typeof one.code === 'string') return one.code;
  }
  return undefined;
}
