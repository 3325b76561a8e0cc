/** Converts header maps of Node's HTTP modules to our `Headers`. */
import type { Headers } from './http.ts';

/** Headers that belong to one connection, not to the message: HTTP/2 forbids them. */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

/**
 * Headers with names in lower case, repeated values joined by ", ", and without HTTP/2's pseudo headers (":authority" becomes
 * "host").
 */
export function fromNodeHeaders(raw: Readonly<Record<string, string | string[] | number | undefined>>): Headers {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    if (!name.startsWith(':')) headers[name.toLowerCase()] = text;
    else if (name === ':authority') headers['host'] ??= text;
  }
  return headers;
}

/** The headers without those that HTTP/2 forbids. */
export function withoutConnectionHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name)));
}
