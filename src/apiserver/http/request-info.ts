/** Parses a request's path and method into the terms that routing, authorization and metrics share (upstream: `RequestInfo`). */
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
  /** The path after the subresource, as the client wrote it: "" or "/…". Only proxies have it. */
  readonly rest: string;
  /** The parts of `rest`, decoded; empty ones are left out. */
  readonly restParts: readonly string[];
  /** The client wants to speak another protocol on this connection. */
  readonly isUpgrade: boolean;
}

export interface PathRequest {
  readonly kind: 'path';
  /** The method in lower case, as non-resource authorization names it. */
  readonly verb: string;
  readonly method: string;
  /** Without doubled slashes and without one at its end: all spellings of a path are authorized and answered as one. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Its percent-encoding can not be read. */
  readonly isMalformed?: boolean;
}

export type RequestInfo = ResourceRequest | PathRequest;

/** After a namespace's name these are parts of itself, and no namespace lies in another; all else is a resource inside it. */
const ofNamespaceItself: ReadonlySet<string> = new Set(['status', 'finalize', 'namespaces']);
const connectSubresources: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/**
 * Reads `url` (path and query, as on the request line). A path that is malformed (bad percent-encoding) is a
 * `PathRequest` that says so.
 */
export function parseRequestInfo(method: string, url: string, isUpgrade = false): RequestInfo {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const plain: PathRequest = { kind: 'path', verb: method.toLowerCase(), method, path: canonicalPath(path), query };
  const segments = splitPath(path);
  if (segments === undefined) return { ...plain, isMalformed: true };
  const top = segments[0]?.text;
  const head = top === 'api' ? 2 : top === 'apis' ? 3 : 0;
  if (head === 0 || segments.length <= head) return plain;
  const group = head === 2 ? '' : (segments[1]?.text ?? '');
  const version = segments[head - 1]?.text ?? '';
  return resourceRequest({ method, path, query, group, version, isUpgrade }, segments.slice(head));
}

/** One path for all that differ in slashes alone. */
export function canonicalPath(path: string): string {
  if (path.startsWith('/') && !path.endsWith('/') && !path.includes('//')) return path;
  return `/${path
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
}

/** A part of a path that is not empty. */
interface Segment {
  /** Decoded. */
  readonly text: string;
  /** The end of it in the original path. */
  readonly end: number;
}

/** `undefined`: its percent-encoding cannot be read. */
function splitPath(path: string): readonly Segment[] | undefined {
  const segments: Segment[] = [];
  let at = 0;
  try {
    for (const part of path.split('/')) {
      const end = at + part.length;
      if (part !== '') segments.push({ text: part.includes('%') ? decodeURIComponent(part) : part, end });
      at = end + 1;
    }
  } catch {
    return undefined;
  }
  return segments;
}

type Base = Pick<ResourceRequest, 'method' | 'path' | 'query' | 'group' | 'version' | 'isUpgrade'>;

function resourceRequest(base: Base, given: readonly Segment[]): ResourceRequest {
  let parts = given;
  // The old way to watch: /api/v1/watch/…
  const oldWatch = parts[0]?.text === 'watch' && parts.length > 1;
  if (oldWatch) parts = parts.slice(1);
  let namespace: string | undefined;
  if (parts[0]?.text === 'namespaces' && parts[1] !== undefined) {
    namespace = parts[1].text;
    if (parts[2] !== undefined && !ofNamespaceItself.has(parts[2].text)) parts = parts.slice(2);
  }
  const [resource, name, subresource, ...rest] = parts;
  const end = subresource?.end;
  return {
    ...base,
    kind: 'resource',
    verb: oldWatch ? verbOfOldWatch(base.method) : verbOf(base.method, base.query, name?.text, subresource?.text),
    resource: resource?.text ?? '',
    namespace,
    name: name?.text,
    subresource: subresource?.text,
    rest: end === undefined ? '' : base.path.slice(end),
    restParts: rest.map(({ text }) => text),
  };
}

function verbOfOldWatch(method: string): Verb {
  return method === 'GET' || method === 'HEAD' ? 'watch' : 'other';
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
