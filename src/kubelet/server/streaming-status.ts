/** Reports a command's end on the error channel: a `Status`, in the form of the client's protocol. Pure. */
import { decodeText, encodeText } from '../../lib/index.ts';
import type { ChannelProtocol } from './streaming-channels.ts';

const SUCCESS = { metadata: {}, status: 'Success' };

/**
 * @param written the runtime's output on its error stream (v4: a `Status`)
 * @param isComplete that stream came to its end; else the connection broke
 * @returns the text for the client; `undefined`: nothing (protocols before v4 report no success)
 */
export function statusForClient(
  protocol: ChannelProtocol,
  written: Uint8Array,
  isComplete: boolean,
): Uint8Array | undefined {
  if (written.length === 0 && !isComplete) {
    return failureForClient(protocol, 'the connection to the container runtime broke before the command ended');
  }
  if (protocol.jsonStatus) return written.length > 0 ? written : encodeText(JSON.stringify(SUCCESS));
  if (written.length === 0) return undefined;
  const status = parsed(decodeText(written));
  if (status === undefined) return written;
  return status.status === 'Success' ? undefined : encodeText(status.message ?? 'the command failed');
}

/**
 * The end of a command with `exitCode`, as `Status` in JSON (upstream: remotecommand's ServeExec; the text is containerd's).
 */
export function statusOfExit(command: readonly string[], exitCode: number): Uint8Array {
  if (exitCode === 0) return encodeText(JSON.stringify(SUCCESS));
  const because = `error executing command [${command.join(' ')}], exit code ${exitCode}`;
  const status = {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: ${because}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
  return encodeText(JSON.stringify(status));
}

/** A failure of ours. */
export function failureForClient(protocol: ChannelProtocol, message: string): Uint8Array {
  if (!protocol.jsonStatus) return encodeText(message);
  const status = {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  };
  return encodeText(JSON.stringify(status));
}

function parsed(text: string): { readonly status?: string; readonly message?: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
