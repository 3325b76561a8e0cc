/** pods/proxy and services/proxy: HTTP, and its upgrades, carried to the pod's own address and back. */
import { internalError, notFound, PODS, SERVICES, serviceUnavailable } from '../../api/index.ts';
import {
  ConnectionError,
  errorMessage,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  type UpgradeResponse,
  withoutConnectionHeaders,
} from '../../lib/index.ts';
import type { ResourceRequest } from '../http/request-info.ts';
import { textResponse } from '../http/respond.ts';
import type { OriginConnection } from '../ports.ts';
import { omit } from '../registry/object.ts';
import { type Call, nameOfCall } from '../call.ts';
import { listCurrent, readCurrent } from '../registry/read-current.ts';
import { HtmlRewriter, throughProxy } from './rewrite-html.ts';
import { parseProxyName, podOrigin, serviceOrigin } from './proxy-target.ts';

/** An ordinary request. */
export async function proxyRequest(call: Call): Promise<HttpResponse> {
  const { method, body } = call.request;
  const redirect = redirectToFolder(call);
  if (redirect !== undefined) return redirect;
  const origin = await originFor(call);
  const connection = open(call, origin);
  try {
    const asked = outgoing(call);
    const headers = withoutConnectionHeaders(asked.headers);
    const answer = await reached(
      connection.request({ ...asked, headers, method, ...(body === undefined ? {} : { body }) }),
    );
    const rewrite = throughProxy(ownPath(call.info), origin);
    const passed = { ...answer, headers: rewritten(answer.headers, rewrite), body: closing(answer.body, connection) };
    return isPage(answer) && method !== 'HEAD' ? withLinks(passed, rewrite) : passed;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** An upgrade to WebSocket or any other protocol of the pod: bytes pass in both directions. */
export async function proxyUpgrade(call: Call): Promise<UpgradeResponse> {
  const connection = open(call, await originFor(call));
  try {
    return await reached(connection.upgrade({ ...outgoing(call), method: call.request.method }));
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Relative links of what lies there need the slash (upstream: the proxy handler's redirect). */
function redirectToFolder({ request, info }: Call): HttpResponse | undefined {
  if (info.rest !== '' || (request.method !== 'GET' && request.method !== 'HEAD')) return undefined;
  const mark = request.url.indexOf('?');
  const query = mark < 0 ? '' : request.url.slice(mark);
  return textResponse(301, '', { location: `${ownPath(info)}/${query}` });
}

function outgoing({ request, info }: Call): Omit<HttpRequest, 'method'> {
  const mark = request.url.indexOf('?');
  const query = mark < 0 ? '' : request.url.slice(mark);
  return {
    url: `${info.rest || '/'}${query}`,
    // The client's credentials are not for the pod.
    headers: omit(request.headers, 'authorization', 'cookie', 'host', ...uncompressed(request.headers)),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  };
}

/** Links can be rewritten only in a page that is not compressed. */
function uncompressed({ accept = '' }: Headers): readonly string[] {
  return accept === '' || accept.includes('text/html') ? ['accept-encoding'] : [];
}

/** A redirect to a path of the pod, or to the pod itself, leads through us again. */
function rewritten(headers: Headers, rewrite: (link: string) => string): Headers {
  const { location } = headers;
  return location === undefined ? headers : { ...headers, location: rewrite(location) };
}

/** The path up to "proxy". Two slashes at its begin would name another server. */
function ownPath({ path, rest }: ResourceRequest): string {
  return `/${path.slice(0, path.length - rest.length).replace(/^\/+/, '')}`;
}

function open({ server }: Call, origin: string): OriginConnection {
  if (server.connections.origin === undefined) throw internalError('this server cannot reach pods');
  return server.connections.origin(origin);
}

/** A page whose text can be read. A compressed one is passed as it is: a client that wants pages is not offered compression. */
function isPage({ headers }: HttpResponse): boolean {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding'] ?? 'identity';
  return type === 'text/html' && encoding === 'identity';
}

/** Links of the page lead through the proxy, as its redirects do. */
function withLinks(answer: HttpResponse, rewrite: (link: string) => string): HttpResponse {
  return { ...answer, headers: omit(answer.headers, 'content-length'), body: rewrittenPage(answer.body, rewrite) };
}

async function* rewrittenPage(
  body: HttpResponse['body'],
  rewrite: (link: string) => string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const rewriter = new HtmlRewriter(rewrite);
  for await (const piece of body instanceof Uint8Array ? [body] : body) {
    const text = rewriter.push(Buffer.from(piece).toString('latin1'));
    if (text !== '') yield Buffer.from(text, 'latin1');
  }
  const rest = rewriter.end();
  if (rest !== '') yield Buffer.from(rest, 'latin1');
}

async function originFor(call: Call): Promise<string> {
  const { server, info } = call;
  const target = parseProxyName(nameOfCall(call));
  const { namespace } = info;
  const object = await readCurrent(server, info.resource, namespace, target.name);
  if (object === undefined) throw notFound(info.resource === 'pods' ? PODS : SERVICES, target.name);
  if (info.resource === 'pods') return podOrigin(object, target);
  const endpoints = await readCurrent(server, 'endpoints', namespace, target.name);
  return serviceOrigin(
    {
      service: object,
      endpoints,
      pods: await listCurrent(server, server.registry.get(PODS), namespace),
      random: server.ports.random.next(),
    },
    target,
  );
}

async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    throw serviceUnavailable(`error trying to reach service: ${errorMessage(error)}`);
  }
}

/** The connection is for this answer alone. */
async function* closing(
  body: HttpResponse['body'],
  connection: OriginConnection,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (body instanceof Uint8Array) yield body;
    else yield* body;
  } finally {
    connection.close();
  }
}
