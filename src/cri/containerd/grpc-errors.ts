/** Interprets a failed call to the runtime. Pure: the code and text of gRPC in, the port's `RuntimeErrorCode` out. */
import type { RuntimeErrorCode } from '../runtime.ts';

/** gRPC's status codes by number; the ones without a name in the port are Unknown. */
const BY_NUMBER: Readonly<Record<number, RuntimeErrorCode>> = {
  1: 'Cancelled',
  3: 'InvalidArgument',
  4: 'DeadlineExceeded',
  5: 'NotFound',
  6: 'AlreadyExists',
  7: 'PermissionDenied',
  8: 'ResourceExhausted',
  9: 'FailedPrecondition',
  10: 'Unavailable',
  12: 'Unimplemented',
  14: 'Unavailable',
  16: 'PermissionDenied',
};

/** Messages of containerd with code Unknown (1.x) or FailedPrecondition (2.x) for which there is a better code. */
const BY_TEXT: readonly (readonly [RegExp, RuntimeErrorCode])[] = [
  [/failed to reserve (container|sandbox) name/, 'AlreadyExists'],
  [/ is in CONTAINER_\w+ state/, 'FailedPrecondition'],
  [/sandbox container .* is not running/, 'FailedPrecondition'],
  [/(^|: )ttrpc: closed/, 'Unavailable'],
  [/server is not initialized yet/, 'Unavailable'],
  [/context deadline exceeded/, 'DeadlineExceeded'],
];

/**
 * The port's code for gRPC status `number` with the server's `text`.
 */
export function codeOfStatus(number: number, text: string): RuntimeErrorCode {
  const code = BY_NUMBER[number] ?? 'Unknown';
  if (code !== 'Unknown' && code !== 'FailedPrecondition') return code;
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? code;
}

/** The port's code for a connection that failed with the system's `code` (ENOENT, ECONNREFUSED, EACCES, ERR_HTTP2_…). */
export function codeOfConnection(code: string): RuntimeErrorCode {
  return code === 'EACCES' || code === 'EPERM' ? 'PermissionDenied' : 'Unavailable';
}

/** runc's message when it may not lower an oom_score_adj. Its words do not show the cause. */
const OOM_SCORE_TROUBLE = /can't get final child's PID from pipe: EOF/;

/** The server's text, with what would help where we know it. */
export function explained(text: string): string {
  if (!OOM_SCORE_TROUBLE.test(text)) return text;
  return `${text} (this machine gives no CAP_SYS_RESOURCE: set restrict_oom_score_adj = true in containerd's CRI section)`;
}
