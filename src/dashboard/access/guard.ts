/**
 * Decides, before anything else is looked at, whether a request may come from the page itself or from a person who opened it.
 * A page of another site, or of another port of this machine, can send requests here: what it cannot do is to choose these headers.
 * Pure.
 */
import type { Headers } from '../../lib/index.ts';
import { hostOf, originOf, type Place } from './place.ts';

export interface AskedHead {
  readonly method: string;
  /** As on the request line. */
  readonly url: string;
  readonly headers: Headers;
}

export type GuardVerdict =
  /** `path`: one of the paths below, as it was written. */
  | { readonly ok: true; readonly path: string; readonly query: string }
  | { readonly ok: false; readonly status: number; readonly words: string };

const METHODS = new Set(['GET', 'HEAD', 'POST']);

/** Letters, digits and few signs: no other spelling of a path is served, so none can pass a check that was made for another. */
const PLAIN_PATH = /^\/(?:[A-Za-z0-9_-]+(?:[./][A-Za-z0-9_-]+)*)?$/;

const refused = (status: number, words: string): GuardVerdict => ({ ok: false, status, words });

export function guard(asked: AskedHead, place: Place): GuardVerdict {
  const { method, url, headers } = asked;
  // A name that an attacker points at this machine (DNS rebinding) ends here. Our own name is not told: whoever knows it
  // could have a browser send the cookie to another port of it.
  if (headers['host'] !== hostOf(place))
    return refused(421, 'This is not the address of the page. "mendlet dashboard" prints the link.');
  if (!METHODS.has(method)) return refused(405, `${method} is not served here.`);
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!PLAIN_PATH.test(path)) return refused(400, 'The path is not one of this page.');
  const stranger = strangeOrigin(asked, path, place);
  if (stranger !== undefined) return refused(403, stranger);
  if (method === 'POST' && !isJson(headers['content-type'])) return refused(415, 'Only application/json is taken.');
  return { ok: true, path, query: mark < 0 ? '' : url.slice(mark + 1) };
}

/** Why it does not come from the page itself; undefined: nothing speaks against it. */
function strangeOrigin({ method, headers }: AskedHead, path: string, place: Place): string | undefined {
  const origin = headers['origin'];
  const site = headers['sec-fetch-site'];
  const isRead = method === 'GET' || method === 'HEAD';
  if (origin === undefined ? !isRead : origin !== originOf(place)) return 'Requests from other pages are not served.';
  if (isRead && path === '/') {
    // A person may come from anywhere, but only to a page of its own: no frame, no image, no fetch of another page.
    const mode = headers['sec-fetch-mode'] ?? 'navigate';
    const dest = headers['sec-fetch-dest'] ?? 'document';
    if (site === undefined || site === 'none' || site === 'same-origin') return undefined;
    return mode === 'navigate' && dest === 'document' ? undefined : 'The page cannot be part of another one.';
  }
  // Browsers set it, and scripts cannot; without it there is no browser, or an old one, and the rest must do.
  return site === undefined || site === 'same-origin' || (site === 'none' && isRead)
    ? undefined
    : 'Requests from other pages are not served.';
}

function isJson(type: string | undefined): boolean {
  return /^application\/json(?:;|$)/i.test((type ?? '').trim());
}
