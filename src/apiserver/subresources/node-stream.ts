/** pods/log, exec, attach, portforward and nodes/proxy: carried to the node's kubelet and back, byte by byte. */
import { badRequest, internalError, notFound, type Pod, statusErrorFromResponse } from '../../api/index.ts';
import {
  ConnectionError,
  decodeText,
  errorMessage,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  readAll,
  type UpgradeResponse,
  withoutConnectionHeaders,
} from '../../lib/index.ts';
import { MAX_NODE_ERROR_BYTES } from '../limits.ts';
import type { Connection } from '../ports.ts';
import { omit } from '../registry/object.ts';
import { type Call, keyOfCall, nameOfCall } from '../call.ts';
import { readCurrent } from '../registry/read-current.ts';
import { logTarget, type NodeTarget, proxyTarget, streamTarget } from './node-path.ts';
import { parseProxyName } from './proxy-target.ts';

/** GET pods/log: the log as it comes. */
export async function podLog(call: Call): Promise<HttpResponse> {
  const target = logTarget(await readPod(call), call.info.query);
  const headers = { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' };
  if (target === undefined) return { status: 200, headers, body: new Uint8Array() };
  const answer = await ask(call, target, { method: 'GET', url: target.url, headers: {}, ...signalOf(call) });
  if (answer.status >= 300) throw await nodeError(answer);
  return { status: 200, headers, body: answer.body };
}

/** nodes/proxy as an ordinary request. */
export async function nodeProxy(call: Call): Promise<HttpResponse> {
  const target = await targetOfProxy(call);
  const { method, headers, body } = call.request;
  return ask(call, target, {
    method,
    url: target.url,
    // Connection headers are not passed on: they would change the next connection's protocol, which nobody has authorized.
    headers: withoutConnectionHeaders(withoutCredentials(headers)),
    ...(body === undefined ? {} : { body }),
    ...signalOf(call),
  });
}

/** nodes/proxy as an upgrade: streams into containers. */
export async function nodeProxyUpgrade(call: Call): Promise<UpgradeResponse> {
  return upgradeTo(call, await targetOfProxy(call));
}

/** exec, attach and portforward. */
export async function podStreamUpgrade(call: Call): Promise<UpgradeResponse> {
  return upgradeTo(call, streamTarget(await readPod(call), call.info));
}

/**
 * The handshake passes through, and so does the node's refusal, in its own words (as upstream: kubectl says "unable to upgrade
 * connection: ..." of a text that is no `Status`).
 */
async function upgradeTo(call: Call, target: NodeTarget): Promise<UpgradeResponse> {
  const { method, headers } = call.request;
  const request = { method, url: target.url, headers: withoutCredentials(headers), ...signalOf(call) };
  return dial(target, connectionTo(call, target).upgrade(request));
}

/** exec and its like without an upgrade: there is no way to stream. */
export async function refuseWithoutUpgrade(call: Call): Promise<HttpResponse> {
  streamTarget(await readPod(call), call.info);
  throw badRequest('Upgrade request required');
}

async function targetOfProxy(call: Call): Promise<NodeTarget> {
  const target = parseProxyName(nameOfCall(call));
  const node = target.port === '' ? undefined : await readCurrent(call.server, 'nodes', undefined, target.name);
  return proxyTarget(call.info, target, node);
}

async function readPod(call: Call): Promise<Pod> {
  await call.storage.fresh();
  const item = call.storage.cache.get(keyOfCall(call));
  if (item === undefined) throw notFound(call.registration.row, nameOfCall(call));
  return item.object;
}

function connectionTo(call: Call, target: NodeTarget): Connection {
  const connection = call.server.connections.node(target.nodeName);
  if (connection === undefined)
    throw internalError(`error dialing backend: node "${target.nodeName}" is not connected`);
  return connection;
}

async function ask(call: Call, target: NodeTarget, request: HttpRequest): Promise<HttpResponse> {
  return dial(target, connectionTo(call, target).request(request));
}

async function dial<T>(target: NodeTarget, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    throw internalError(`error dialing backend: node "${target.nodeName}": ${errorMessage(error)}`, { cause: error });
  }
}

/** The kubelet's refusal in the API's form: its text is the message. */
async function nodeError(answer: HttpResponse): Promise<Error> {
  const text = decodeText(await readAll(answer.body, MAX_NODE_ERROR_BYTES).catch(() => new Uint8Array())).trim();
  return statusErrorFromResponse(answer.status, parsed(text));
}

function parsed(text: string): unknown {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function signalOf(call: Call): { readonly signal?: AbortSignal } {
  return call.request.signal === undefined ? {} : { signal: call.request.signal };
}

/** The client's credentials are not for the node. */
function withoutCredentials(headers: Headers): Headers {
  return omit(headers, 'authorization', 'cookie');
}
