import { describe, expect, it } from 'vitest';
import { guard } from './guard.ts';
import { hostOf, linkOf, originOf, type Place } from './place.ts';
import { clearCookie, cookieOf, setCookie } from './cookies.ts';

const PLACE: Place = { name: 'mendlet-k3v0.localhost', port: 41234, isTls: false, id: 'k3v0' };
const HOST = 'mendlet-k3v0.localhost:41234';
const ORIGIN = `http://${HOST}`;

const asked = (method: string, url: string, headers: Record<string, string> = {}) =>
  guard({ method, url, headers: { host: HOST, ...headers } }, PLACE);
const status = (verdict: ReturnType<typeof guard>): number => (verdict.ok ? 200 : verdict.status);

describe('the names of a place', () => {
  it('have the port, unless it is the usual one', () => {
    expect(originOf(PLACE)).toBe(ORIGIN);
    expect(hostOf({ ...PLACE, isTls: true, port: 443 })).toBe('mendlet-k3v0.localhost');
    expect(linkOf(PLACE, 'CODE')).toBe(`${ORIGIN}/#login=CODE`);
  });
});

describe('a request for another host is refused', () => {
  it.each([
    'localhost:41234',
    '127.0.0.1:41234',
    '[::1]:41234',
    'evil.example:41234',
    'mendlet-k3v0.localhost',
    'mendlet-k3v0.localhost:80',
    'mendlet-k3v0.localhost.:41234',
    'MENDLET-k3v0.localhost:41234',
    'mendlet-k3v0.localhost:41234,evil.example',
    ' mendlet-k3v0.localhost:41234',
    'x@mendlet-k3v0.localhost:41234',
    '',
  ])('%j', (host) => {
    const verdict = asked('GET', '/', { host });
    expect(status(verdict)).toBe(421);
    // Whoever learns the name could lead a browser, and its cookie, to another port of it.
    expect(JSON.stringify(verdict)).not.toContain('k3v0');
  });

  it('no host at all', () => {
    expect(status(guard({ method: 'GET', url: '/', headers: {} }, PLACE))).toBe(421);
  });
});

describe('methods', () => {
  it.each(['OPTIONS', 'TRACE', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'get', 'PROPFIND'])(
    '%s is not served',
    (method) => {
      expect(status(asked(method, '/'))).toBe(405);
    },
  );

  it.each(['GET', 'HEAD'])('%s is', (method) => {
    expect(asked(method, '/stream?from=1')).toEqual({ ok: true, path: '/stream', query: 'from=1' });
  });
});

describe('a path has one spelling', () => {
  it.each([
    '//stream',
    '/stream/',
    '/./stream',
    '/../stream',
    '/%73tream',
    '/str\\eam',
    'http://evil.example/stream',
    '*',
    '',
    '/a//b',
    '/..',
    '/a/../b',
    '/stream;x',
    '/\u0000',
  ])('%j is refused', (url) => {
    expect(status(asked('GET', url))).toBe(400);
  });

  it.each(['/', '/stream', '/assets/page-3f9a0c7be1.js'])('%j is looked at', (url) => {
    expect(status(asked('GET', url))).toBe(200);
  });
});

describe('a navigation', () => {
  it.each<[string, Record<string, string>, number]>([
    [
      'of a person who types the link',
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      200,
    ],
    [
      'from another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      200,
    ],
    ['into a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, 403],
    ['as an image', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, 403],
    [
      'by a script of another port of the same name',
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      403,
    ],
    ['with an origin of another page', { origin: 'http://localhost:3000' }, 403],
    ['without these headers', {}, 200],
  ])('%s', (_, headers, expected) => {
    expect(status(asked('GET', '/', headers))).toBe(expected);
  });
});

describe('data and acts', () => {
  const json = { 'content-type': 'application/json' };
  it.each<[string, string, Record<string, string>, number]>([
    ['a fetch of the page', 'GET', { 'sec-fetch-site': 'same-origin' }, 200],
    ['a fetch of another port', 'GET', { 'sec-fetch-site': 'same-site' }, 403],
    ['a fetch of another site', 'GET', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a fetch with a strange origin', 'GET', { origin: 'null' }, 403],
    ['a post of the page', 'POST', { origin: ORIGIN, 'sec-fetch-site': 'same-origin', ...json }, 200],
    ['a post without an origin', 'POST', json, 403],
    ['a post of an opaque origin', 'POST', { origin: 'null', ...json }, 403],
    ['a post of another port of the name', 'POST', { origin: 'http://mendlet-k3v0.localhost:3000', ...json }, 403],
    ['a post of the name with TLS', 'POST', { origin: `https://${HOST}`, ...json }, 403],
    ['a post typed by nobody', 'POST', { origin: ORIGIN, 'sec-fetch-site': 'none', ...json }, 403],
    ['a form', 'POST', { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a form as text', 'POST', { origin: ORIGIN, 'content-type': 'text/plain' }, 415],
    ['something that only begins so', 'POST', { origin: ORIGIN, 'content-type': 'application/jsonx' }, 415],
    ['with a character set', 'POST', { origin: ORIGIN, 'content-type': 'application/json; charset=utf-8' }, 200],
  ])('%s', (_, method, headers, expected) => {
    expect(status(asked(method, method === 'GET' ? '/stream' : '/acts', headers))).toBe(expected);
  });
});

describe('the cookie', () => {
  const value = 'a'.repeat(43);

  it('goes back to this host alone, to no script, and not from other sites', () => {
    expect(setCookie(PLACE, value)).toBe(`mendlet-k3v0=${value}; Path=/; HttpOnly; SameSite=Strict`);
    expect(setCookie({ ...PLACE, isTls: true }, value)).toBe(
      `__Host-mendlet-k3v0=${value}; Path=/; HttpOnly; SameSite=Strict; Secure`,
    );
    expect(clearCookie(PLACE)).toContain('Max-Age=0');
  });

  it.each<[string, string | undefined, string | undefined]>([
    ['alone', `mendlet-k3v0=${value}`, value],
    ['among others', `a=b; mendlet-k3v0=${value}; mendlet-zzz=${value}`, value],
    ['of another mendlet', `mendlet-zzz=${value}`, undefined],
    ['twice, so that one of them is planted', `mendlet-k3v0=${value}; mendlet-k3v0=${'b'.repeat(43)}`, undefined],
    ['too short', 'mendlet-k3v0=abc', undefined],
    ['with other characters', `mendlet-k3v0=${'a'.repeat(42)}"`, undefined],
    ['not there', undefined, undefined],
  ])('%s', (_, header, expected) => {
    expect(cookieOf(header, PLACE)).toBe(expected);
  });
});
