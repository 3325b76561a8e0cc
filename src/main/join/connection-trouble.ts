/** Interprets a failed connection for a machine that wants to join. Pure. */
import { errorMessage, formatTime } from '../../lib/index.ts';

export type Trouble =
  /** It may pass: the server starts, the network comes back, a clock is set. */
  | { readonly kind: 'wait'; readonly message: string }
  /** A person has to change something. */
  | { readonly kind: 'give-up'; readonly message: string };

const WRONG_AUTHORITY = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);

/** @param error of a request or a TLS connection to `server` @param wall this machine’s time, ms */
export function connectionTrouble(server: string, error: unknown, wall: number): Trouble {
  const { code, message } = rootOf(error);
  if (WRONG_AUTHORITY.has(code)) {
    return {
      kind: 'give-up',
      message: `${server} shows a certificate of another authority than the one that was given: it is not that server`,
    };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return {
      kind: 'give-up',
      message: `the server's certificate is not for the name or address in ${server} (${message}): use another, or start the server with --advertise-address`,
    };
  }
  if (code === 'CERT_NOT_YET_VALID') {
    return {
      kind: 'wait',
      message: `the certificate of ${server} is not valid yet: is this machine's clock behind? It says ${formatTime(wall)}`,
    };
  }
  if (code === 'CERT_HAS_EXPIRED') {
    return {
      kind: 'wait',
      message: `the certificate of ${server} has expired, or this machine's clock is ahead: it says ${formatTime(wall)}`,
    };
  }
  return { kind: 'wait', message: `${server} does not answer: ${message}` };
}

/** The innermost cause: the message of TLS or the kernel. */
function rootOf(error: unknown): { readonly code: string; readonly message: string } {
  let current = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  const code = current instanceof Error && 'code' in current ? String(current.code) : '';
  return { code, message: errorMessage(current) };
}
