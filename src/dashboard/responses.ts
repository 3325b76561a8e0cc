/** Answers of the dashboard, each with the headers that keep it to its own page. Pure. */
import { encodeText, type Headers, type HttpResponse } from '../lib/index.ts';
import { SECURITY_HEADERS } from './access/security-headers.ts';

function answer(status: number, type: string, body: HttpResponse['body'], headers: Headers = {}): HttpResponse {
  return { status, headers: { ...SECURITY_HEADERS, 'content-type': type, ...headers }, body };
}

export function html(status: number, text: string): HttpResponse {
  return answer(status, 'text/html; charset=utf-8', encodeText(text));
}

export function json(status: number, value: unknown, headers: Headers = {}): HttpResponse {
  return answer(status, 'application/json', encodeText(JSON.stringify(value)), headers);
}

export function empty(headers: Headers): HttpResponse {
  return { status: 204, headers: { ...SECURITY_HEADERS, ...headers }, body: new Uint8Array() };
}

/** As the page reads it. */
export function refusal(status: number, words: string, headers: Headers = {}): HttpResponse {
  return json(status, { words }, headers);
}

export function stream(type: string, body: AsyncIterable<Uint8Array>): HttpResponse {
  return answer(200, type, body);
}

export function file(type: string, body: Uint8Array, headers: Headers): HttpResponse {
  return answer(200, type, body, headers);
}
