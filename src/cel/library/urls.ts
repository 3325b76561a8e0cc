/** URLs as Go's net/url reads those of requests (upstream: apiserver/pkg/cel/library/urls). Pure. */
import { textOfUtf8, utf8 } from '../values/bytes.ts';
import { ArrayList, EntryMap } from '../values/containers.ts';
import { CelError, type OpaqueValue, type Value } from '../values/value.ts';
import { makeOpaque } from './opaque.ts';
import { type Overload, overload } from './overload.ts';

export interface Url {
  readonly text: string;
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** A URL with a scheme, or a path from the root; else what Go says of it. */
export function parseUrl(text: string): Url | CelError {
  const failure = (cause: string): CelError => new CelError(`parse ${JSON.stringify(text.slice(0, 200))}: ${cause}`);
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) return failure('net/url: invalid control character in URL');
  if (text === '') return failure('empty url');
  if (text === '*') return { text, scheme: '', host: '', path: '*', query: '' };
  if (text.startsWith(':')) return failure('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1];
  const afterScheme = scheme === undefined ? text : text.slice(scheme.length + 1);
  const mark = afterScheme.indexOf('?');
  const rest = mark === -1 ? afterScheme : afterScheme.slice(0, mark);
  const query = mark === -1 ? '' : afterScheme.slice(mark + 1);
  const base = { text, scheme: (scheme ?? '').toLowerCase(), query };
  if (!rest.startsWith('/')) {
    // What follows a scheme without a slash is opaque.
    return scheme === undefined ? failure('invalid URI for request') : { ...base, host: '', path: '' };
  }
  const isAuthority = scheme !== undefined && rest.startsWith('//');
  const slash = isAuthority ? rest.indexOf('/', 2) : 0;
  const authority = isAuthority ? rest.slice(2, slash === -1 ? undefined : slash) : '';
  const path = slash === -1 ? '' : rest.slice(slash);
  const host = hostOf(authority);
  if (host instanceof CelError) return failure(host.message);
  const escape = badEscape(path);
  return escape === undefined ? { ...base, host, path: escapePath(path) } : failure(`invalid URL escape "${escape}"`);
}

function hostOf(authority: string): string | CelError {
  const at = authority.lastIndexOf('@');
  if (at !== -1 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) {
    return new CelError('net/url: invalid userinfo');
  }
  const host = authority.slice(at + 1);
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end === -1) return new CelError("missing ']' in host");
    if (!/^(:\d*)?$/.test(host.slice(end + 1))) return badPort(host.slice(end + 1));
    return host;
  }
  const colon = host.lastIndexOf(':');
  if (colon !== -1 && !/^:\d*$/.test(host.slice(colon))) return badPort(host.slice(colon));
  const bad = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host)?.[0];
  return bad === undefined ? host : new CelError(`invalid character ${JSON.stringify(bad)} in host name`);
}

function badPort(text: string): CelError {
  return new CelError(`invalid port ${JSON.stringify(text)} after host`);
}

function badEscape(path: string): string | undefined {
  return /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)?.[0];
}

/** Characters that stand in paths as they are; others become escapes. */
function escapePath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%]/gu, (character) =>
    [...utf8(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

function unescapeQuery(text: string): string | undefined {
  if (badEscape(text) !== undefined) return undefined;
  const bytes: number[] = [];
  for (const [part] of text.replaceAll('+', ' ').matchAll(/%[0-9a-fA-F]{2}|[^%]+/g)) {
    if (part.startsWith('%')) bytes.push(Number.parseInt(part.slice(1), 16));
    else bytes.push(...utf8(part));
  }
  return textOfUtf8(Uint8Array.from(bytes)) ?? new TextDecoder().decode(Uint8Array.from(bytes));
}

/** Parts with mistakes are left out, as Go's Query does. */
function queryOf({ query }: Url): Value | CelError {
  const lists = new Map<string, Value[]>();
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue;
    const equals = part.indexOf('=');
    const key = unescapeQuery(equals === -1 ? part : part.slice(0, equals));
    const value = unescapeQuery(equals === -1 ? '' : part.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [value]);
    else list.push(value);
  }
  return EntryMap.of([...lists].map(([key, values]) => [key, new ArrayList(values)] as const));
}

function hostnameOf({ host }: Url): string {
  if (host.startsWith('[')) return host.slice(1, host.lastIndexOf(']'));
  return host.replace(/:\d*$/, '');
}

function portOf({ host }: Url): string {
  return /:(\d*)$/.exec(host.startsWith('[') ? host.slice(host.lastIndexOf(']')) : host)?.[1] ?? '';
}

function toUrl(text: string): Value | CelError {
  const inner = parseUrl(text);
  if (inner instanceof CelError) {
    return new CelError(`URL parse error during conversion from string: ${inner.message}`);
  }
  const equals = (one: Url, other: Url): boolean => one.text === other.text;
  return makeOpaque({ typeName: 'kubernetes.URL', inner, equals, show: (url: Url) => url.text });
}

function getter(read: (url: Url) => Value | CelError): (value: OpaqueValue) => Value | CelError {
  return (value) => read(value.inner as Url);
}

export const URLS: readonly Overload[] = [
  overload('string_to_url', 'url(string): url', toUrl),
  overload('is_url_string', 'isURL(string): bool', (text: string) => !(parseUrl(text) instanceof CelError)),
  overload(
    'url_get_scheme',
    '<url>.getScheme(): string',
    getter(({ scheme }) => scheme),
  ),
  overload(
    'url_get_host',
    '<url>.getHost(): string',
    getter(({ host }) => host),
  ),
  overload('url_get_hostname', '<url>.getHostname(): string', getter(hostnameOf)),
  overload('url_get_port', '<url>.getPort(): string', getter(portOf)),
  overload(
    'url_get_escaped_path',
    '<url>.getEscapedPath(): string',
    getter(({ path }) => path),
  ),
  overload('url_get_query', '<url>.getQuery(): map(string, list(string))', getter(queryOf)),
];
