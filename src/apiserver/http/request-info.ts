/**
 * What a request asks for, read from its path and method: the words that routing, authorization and metrics share
 * (upstream: `RequestInfo`).
 */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'connect'
  /** A method that no resource answers. */
  | 'other';

export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: Verb;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  /** Absent for collections. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** What follows the subresource, for proxies: "" or "/…". */
  readonly rest: string;
}

export interface PathRequest {
  readonly kind: 'path';
  /** The method in lower case, as non-resource authorization names it. */
  readonly verb: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Its percent-encoding can not be read. */
  readonly isMalformed?: boolean;
}

export type RequestInfo = ResourceRequest | PathRequest;

/** Subresources of a namespace: every other word after its name is a resource inside it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);
const connectSubresources: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/**
 * Reads `url` (path and query, as on the request line). A path that is malformed (bad percent-encoding) is a
 * `PathRequest` that says so.
 */
export function parseRequestInfo(method: string, url: string): RequestInfo {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const plain: PathRequest = { kind: 'path', verb: method.toLowerCase(), method, path, query };
  const parts = decodeSegments(path);
  if (parts === undefined) return { ...plain, isMalformed: true };
  const head = parts[0] === 'api' ? 2 : parts[0] === 'apis' ? 3 : 0;
  if (head === 0 || parts.length <= head) return plain;
  const group = head === 2 ? '' : (parts[1] ?? '');
  const version = parts[head - 1] ?? '';
  return resourceRequest({ method, path, query, group, version }, parts.slice(head));
}

function decodeSegments(path: string): string[] | undefined {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

type Base = Pick<ResourceRequest, 'method' | 'path' | 'query' | 'group' | 'version'>;

function resourceRequest(base: Base, given: readonly string[]): ResourceRequest {
  let parts = given;
  // The old way to watch: /api/v1/watch/…
  const oldWatch = parts[0] === 'watch' && parts.length > 1;
  if (oldWatch) parts = parts.slice(1);
  let namespace: string | undefined;
  if (parts[0] === 'namespaces' && parts[1] !== undefined) {
    namespace = parts[1];
    if (parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '')) parts = parts.slice(2);
  }
  const [resource = '', name, subresource, ...rest] = parts;
  return {
    ...base,
    kind: 'resource',
    verb: oldWatch && base.method === 'GET' ? 'watch' : verbOf(base.method, base.query, name, subresource),
    resource,
    namespace: namespace === '' ? undefined : namespace,
    name,
    subresource,
    rest: rest.length === 0 ? '' : `/${rest.map(encodeURIComponent).join('/')}`,
  };
}

function verbOf(
  method: string,
  query: URLSearchParams,
  name: string | undefined,
  subresource: string | undefined,
): Verb {
  if (subresource !== undefined && connectSubresources.has(subresource)) return 'connect';
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    case 'GET':
    case 'HEAD':
      if (isTrue(query.get('watch')) && subresource === undefined) return 'watch';
      return name === undefined ? 'list' : 'get';
    default:
      return 'other';
  }
}

/** A boolean query parameter: present and neither "false" nor "0" (upstream's conversion of strings). */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0';
}
