/** Answers: JSON bodies and Status objects. */
import { shorten, type Status, type StatusError } from '../../api/index.ts';
import { encodeText, type Headers, type HttpResponse, visibleLine } from '../../lib/index.ts';
import { MAX_WARNING_CHARACTERS, MAX_WARNINGS, MAX_WARNINGS_CHARACTERS } from '../limits.ts';

export const JSON_TYPE = 'application/json';
const noCache: Headers = { 'cache-control': 'no-cache, private' };

export function jsonResponse(status: number, body: unknown, headers: Headers = {}): HttpResponse {
  return textResponse(status, `${JSON.stringify(body)}\n`, { 'content-type': JSON_TYPE, ...headers });
}

/** `text` is the whole body; its type defaults to plain text. */
export function textResponse(status: number, text: string, headers: Headers = {}): HttpResponse {
  const body = encodeText(text);
  const all = {
    ...noCache,
    'content-type': 'text/plain; charset=utf-8',
    ...headers,
    'content-length': String(body.length),
  };
  return { status, headers: all, body };
}

/** The answer "no", as every client reads it. */
export function errorResponse(error: StatusError): HttpResponse {
  const seconds = error.status.details?.retryAfterSeconds;
  const headers: Headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return jsonResponse(error.code, error.status, headers);
}

/** A Status of success, as deletes answer. */
export function successStatus(details: NonNullable<Status['details']>): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/**
 * Adds `warnings` as RFC 7234 headers (code 299), bounded as upstream's are. Several share one header line, separated by commas.
 */
export function withWarnings(response: HttpResponse, warnings: readonly string[]): HttpResponse {
  if (warnings.length === 0) return response;
  let left = MAX_WARNINGS_CHARACTERS;
  const values: string[] = [];
  for (const text of [...new Set(warnings)].slice(0, MAX_WARNINGS)) {
    const value = warningValue(text);
    left -= value.length;
    if (left < 0 && values.length > 0) break;
    values.push(value);
  }
  return { ...response, headers: { ...response.headers, warning: values.join(', ') } };
}

/** Clients read UTF-8, and a header is written byte by byte: each character of the value is a byte of it. */
function warningValue(text: string): string {
  const oneLine = visibleLine(shorten(text, MAX_WARNING_CHARACTERS)).replaceAll(/["\\]/g, String.raw`\$&`);
  return `299 - "${String.fromCharCode(...encodeText(oneLine))}"`;
}
