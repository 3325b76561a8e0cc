/** `KubeClient` over a `Connection`, which leads to a server in memory or over the network. */
import {
  apiVersionOf,
  isNotFound,
  type ObjectMeta,
  type Status,
  StatusError,
  statusErrorFromResponse,
} from '../api/index.ts';
import {
  ConnectionError,
  type Clock,
  type Connection,
  type HttpRequest,
  type HttpResponse,
  decodeText,
  encodeText,
  errorMessage,
  readAll,
  withDeadline,
} from '../lib/index.ts';
import { DISCOVERY_ACCEPT, type Discovery, type DiscoveryDocument, rowsOfDiscovery } from './discovery.ts';
import type {
  DeleteOptions,
  KubeClient,
  KubeObject,
  ListQuery,
  ObjectList,
  PatchType,
  ReadOptions,
  Resource,
  WatchEvent,
  WatchQuery,
} from './kube-client.ts';
import { MAX_RESPONSE_BYTES, REQUEST_TIMEOUT_MS } from './limits.ts';
import { acceptOf, metadataOf, WHOLE_OBJECTS } from './object-metadata.ts';
import { listQueryText, resourcePath } from './paths.ts';
import { parseWatchStream } from './watch-stream.ts';

export interface KubeClientOptions {
  /** With a clock every call except watch ends after `timeoutMs` with `ConnectionError`. */
  readonly clock?: Clock;
  /** Default 30 s. */
  readonly timeoutMs?: number;
  /** Sent as User-Agent, e.g. "mendlet-scheduler/v1.36.0". */
  readonly userAgent?: string;
}

const DISCOVERY_PATHS = ['/api', '/apis'];

const PATCH_CONTENT_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

interface Call {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Default: plain JSON. */
  readonly accept?: string;
  readonly ifNoneMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Send = (call: Call) => Promise<HttpResponse>;
/** Sends a call and reads its whole answer within the time-out. */
type Ask = (call: Call, read?: (response: HttpResponse) => Promise<unknown>) => Promise<unknown>;

export function createKubeClient(connection: Connection, options: KubeClientOptions = {}): KubeClient {
  const send: Send = (call) => connection.request(toRequest(call, options.userAgent));
  const ask: Ask = async (call, read = readAnswer) => {
    if (options.clock === undefined) return read(await send(call));
    const timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
    const outer = call.signal === undefined ? {} : { signal: call.signal };
    const result = await withDeadline({ clock: options.clock, timeoutMs, ...outer }, async (signal) =>
      read(await send({ ...call, signal })),
    );
    if (result.kind === 'done') return result.value;
    throw new ConnectionError(`${call.method} ${call.url}: no answer within ${timeoutMs} ms`);
  };
  return {
    ...readsOver(ask),
    ...writesOver(ask),
    discover: (known, signal) => discoverOver(ask, known, signal),
    watch: <T extends KubeObject>(
      resource: Resource<T>,
      query: WatchQuery,
      signal: AbortSignal,
      onOpen: () => void = () => {},
    ) => openWatch<T>(send, { resource, query, onOpen }, signal),
  };
}

function readsOver(ask: Ask): Pick<KubeClient, 'get' | 'list'> {
  return {
    get: async <T extends KubeObject>(
      resource: Resource<T>,
      namespace: string | undefined,
      name: string,
      signal?: AbortSignal,
      { metadataOnly, subresource, withManagers }: ReadOptions = {},
    ) => {
      const accept = acceptOf(metadataOnly, 'object', withManagers);
      const url = resourcePath(resource, namespace, name, subresource);
      const object = (await ask({ method: 'GET', url, accept, signal })) as T;
      return metadataOnly === true ? metadataOf(resource, object) : object;
    },

    list: async <T extends KubeObject>(resource: Resource<T>, query: ListQuery = {}, signal?: AbortSignal) => {
      const url = resourcePath(resource, query.namespace) + listQueryText(query);
      const accept = acceptOf(query.metadataOnly, 'list');
      const answer = await ask({ method: 'GET', url, accept, signal }).catch((error: unknown) => {
        throw isNotFound(error) ? new StatusError(unknownResource(resource, error), { cause: error }) : error;
      });
      return toList<T>(resource, answer, query.metadataOnly === true);
    },
  };
}

function writesOver(ask: Ask): Omit<KubeClient, 'get' | 'list' | 'watch' | 'discover'> {
  return {
    create: async <T extends KubeObject>(resource: Resource<T>, object: T, signal?: AbortSignal) => {
      const url = resourcePath(resource, object.metadata?.namespace);
      return (await ask({ method: 'POST', url, body: object, signal })) as T;
    },

    update: async <T extends KubeObject>(
      resource: Resource<T>,
      object: T,
      subresource?: string,
      signal?: AbortSignal,
    ) => {
      const url = resourcePath(resource, object.metadata?.namespace, object.metadata?.name ?? '', subresource);
      return (await ask({ method: 'PUT', url, body: object, signal })) as T;
    },

    patch: async <T extends KubeObject>(
      resource: Resource<T>,
      namespace: string | undefined,
      name: string,
      type: PatchType,
      patch: unknown,
      subresource?: string,
      signal?: AbortSignal,
    ) => {
      const url = resourcePath(resource, namespace, name, subresource);
      return (await ask({ method: 'PATCH', url, body: patch, contentType: PATCH_CONTENT_TYPES[type], signal })) as T;
    },

    delete: async <T extends KubeObject>(
      resource: Resource<T>,
      namespace: string | undefined,
      name: string,
      deleteOptions: DeleteOptions = {},
      signal?: AbortSignal,
    ) => {
      const url = resourcePath(resource, namespace, name);
      return (await ask({ method: 'DELETE', url, body: toDeleteBody(deleteOptions), signal })) as KubeObject;
    },

    createSubresource: <T extends KubeObject>(
      resource: Resource<T>,
      namespace: string | undefined,
      name: string,
      subresource: string,
      body: KubeObject,
      signal?: AbortSignal,
    ) => ask({ method: 'POST', url: resourcePath(resource, namespace, name, subresource), body, signal }),
  };
}

/** Both documents; `known` itself when the server says that it has changed neither. */
async function discoverOver(ask: Ask, known: Discovery | undefined, signal?: AbortSignal): Promise<Discovery> {
  const documents = await Promise.all(
    DISCOVERY_PATHS.map(async (url, position) => {
      const before = known?.documents[position];
      const call = { method: 'GET', url, accept: DISCOVERY_ACCEPT, signal, ifNoneMatch: before?.etag };
      const read = (response: HttpResponse): Promise<DiscoveryDocument> => readDiscovery(response, before);
      return (await ask(call, read)) as DiscoveryDocument;
    }),
  );
  if (known !== undefined && documents.every((each, position) => each === known.documents[position])) return known;
  return { documents, rows: documents.flatMap(({ rows }) => rows) };
}

async function readDiscovery(
  response: HttpResponse,
  before: DiscoveryDocument | undefined,
): Promise<DiscoveryDocument> {
  if (response.status === 304 && before !== undefined) return before;
  const rows = rowsOfDiscovery(await readAnswer(response));
  const { etag } = response.headers;
  return typeof etag === 'string' ? { etag, rows } : { rows };
}

interface WatchCall<T> {
  readonly resource: Resource<T>;
  readonly query: WatchQuery;
  readonly onOpen: () => void;
}

async function* openWatch<T extends KubeObject>(
  send: Send,
  { resource, query, onOpen }: WatchCall<T>,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const url =
    resourcePath(resource, query.namespace) +
    listQueryText(query, {
      watch: true,
      allowWatchBookmarks: true,
      timeoutSeconds: query.timeoutSeconds,
    });
  const response = await send({ method: 'GET', url, accept: acceptOf(query.metadataOnly, 'object'), signal });
  if (response.status !== 200) {
    await readAnswer(response);
    throw new ConnectionError(`watch answered with ${response.status}`);
  }
  onOpen();
  const body = response.body instanceof Uint8Array ? single(response.body) : response.body;
  if (query.metadataOnly !== true) yield* parseWatchStream<T>(body);
  else yield* metadataEvents(resource, parseWatchStream<T>(body));
}

async function* metadataEvents<T extends KubeObject>(
  resource: Resource<T>,
  events: AsyncIterable<WatchEvent<T>>,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  for await (const event of events) {
    yield event.type === 'BOOKMARK' ? event : { type: event.type, object: metadataOf(resource, event.object) };
  }
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

function toRequest(call: Call, userAgent: string | undefined): HttpRequest {
  const headers: Record<string, string> = { accept: call.accept ?? WHOLE_OBJECTS };
  if (userAgent !== undefined) headers['user-agent'] = userAgent;
  if (call.ifNoneMatch !== undefined) headers['if-none-match'] = call.ifNoneMatch;
  if (call.body !== undefined) headers['content-type'] = call.contentType ?? 'application/json';
  return {
    method: call.method,
    url: call.url,
    headers,
    ...(call.body === undefined ? {} : { body: encodeText(JSON.stringify(call.body)) }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  };
}

/** The parsed body of a successful answer. Rejects with `StatusError`, or `ConnectionError` when the body is cut or not JSON. */
async function readAnswer(response: HttpResponse): Promise<unknown> {
  let text: string;
  try {
    text = decodeText(await readAll(response.body, MAX_RESPONSE_BYTES));
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError(`answer ended early: ${errorMessage(error)}`, { cause: error });
  }
  const parsed = parseJson(text);
  if (response.status >= 400) throw statusErrorFromResponse(response.status, parsed ?? text.slice(0, 1024).trim());
  if (parsed === undefined) throw new ConnectionError(`answer ${response.status} is not JSON`);
  return parsed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The Status of a list that is "not found": the server, perhaps an older one, does not know the resource. */
function unknownResource<T>(resource: Resource<T>, { status }: StatusError): Status {
  // An adapter of metrics says in its own words what it lacks.
  if (status.message?.startsWith('the server could not find the metric') === true) return status;
  return { ...status, message: `the server has no ${resource.resource} in ${apiVersionOf(resource)}` };
}

interface WireList {
  readonly items?: readonly { kind?: string; apiVersion?: string; metadata?: ObjectMeta }[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** Adds kind and apiVersion to the items of a list, which come without them. */
function toList<T>(resource: Resource<T>, answer: unknown, metadataOnly: boolean): ObjectList<T> {
  const list = answer as WireList;
  const items = list.items ?? [];
  for (const item of items) {
    item.kind ??= resource.kind;
    item.apiVersion ??= apiVersionOf(resource);
  }
  return {
    items: metadataOnly ? items.map((item) => metadataOf(resource, item)) : (items as readonly T[]),
    resourceVersion: list.metadata?.resourceVersion ?? '',
    ...(list.metadata?.continue ? { continue: list.metadata.continue } : {}),
  };
}

function toDeleteBody(options: DeleteOptions): unknown {
  const { gracePeriodSeconds, propagationPolicy, uid, resourceVersion } = options;
  const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
  return { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds, propagationPolicy, preconditions };
}
