/** Why a webhook gave no answer, in the words that people know from upstream's logs. Pure. */

interface Failure {
  readonly code?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

const UNKNOWN_AUTHORITY = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
const TLS_TEXTS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
};

/** The innermost of errors that were caused by others. */
function rootOf(error: unknown): Failure {
  let at = (typeof error === 'object' && error !== null ? error : { message: String(error) }) as Failure;
  for (let depth = 0; depth < 5 && typeof at.cause === 'object' && at.cause !== null; depth++) at = at.cause;
  return at;
}

/** Whether nobody listens there: nothing was sent, and another address may be tried. */
export function isNotConnected(error: unknown): boolean {
  const { code } = rootOf(error);
  return code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH';
}

/** Whether the certificate does not have the name of its server. */
export function hasOtherName(error: unknown): boolean {
  return rootOf(error).code === 'ERR_TLS_CERT_ALTNAME_INVALID';
}

export function failureText(error: unknown): string {
  const { code, address, port, message } = rootOf(error);
  const text = typeof message === 'string' ? message : String(error);
  const place = `dial tcp ${String(address)}:${String(port)}`;
  switch (code) {
    case 'ECONNREFUSED':
      return `${place}: connect: connection refused`;
    case 'EHOSTUNREACH':
      return `${place}: connect: no route to host`;
    case 'ENETUNREACH':
      return `${place}: connect: network is unreachable`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${/\S+$/.exec(text)?.[0] ?? ''}: no such host`;
    case 'ECONNRESET':
      return 'EOF';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `tls: failed to verify certificate: x509: ${text}`;
    default:
      return typeof code === 'string' && Object.hasOwn(TLS_TEXTS, code) ? (TLS_TEXTS[code] ?? text) : text;
  }
}

/** What an answer that is no success means. `body`: the begin of its text. */
export function statusText(status: number, body: string): string {
  switch (status) {
    case 400:
      return 'the server rejected our request for an unknown reason';
    case 401:
      return 'the server has asked for the client to provide credentials';
    case 403:
      return `forbidden: ${body}`;
    case 404:
      return 'the server could not find the requested resource';
    case 405:
      return 'the server does not allow this method on the requested resource';
    case 413:
      return 'the request is too large for the server';
    case 429:
      return 'the server has received too many requests and has asked us to try again later';
    case 503:
      return 'the server is currently unable to handle the request';
    case 504:
      return 'the server was unable to return a response in the time allotted, but may still be processing the request';
    default:
      return status >= 500
        ? `an error on the server (${JSON.stringify(body)}) has prevented the request from succeeding`
        : `the server responded with the status code ${status} but did not return more information`;
  }
}
