/** Answers of the kubelet's API: plain text, as upstream's, and JSON. */
import { encodeText, type HttpResponse } from '../../lib/index.ts';

export function textResponse(status: number, text: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: encodeText(text) };
}

export function jsonResponse(value: unknown): HttpResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: encodeText(JSON.stringify(value)) };
}

/** Ends a request with an answer that is not the wanted one. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
