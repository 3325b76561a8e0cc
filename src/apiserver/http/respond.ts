/** Answers: JSON bodies and Status objects. */
import type { Status, StatusError } from '../../api/index.ts';
import { encodeText, type Headers, type HttpResponse } from '../../lib/index.ts';
import { MAX_WARNING_CHARACTERS, MAX_WARNINGS } from '../limits.ts';

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

/** Adds `warnings` as RFC 7234 headers (code 299), bounded. Several share one header line, separated by commas. */
export function withWarnings(response: HttpResponse, warnings: readonly string[]): HttpResponse {
  if (warnings.length === 0) return response;
  const values = [...new Set(warnings)].slice(0, MAX_WARNINGS).map(warningValue);
  return { ...response, headers: { ...response.headers, warning: values.join(', ') } };
}

function warningValue(text: string): string {
  const oneLine = text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_WARNING_CHARACTERS);
  return `299 - "${oneLine.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
