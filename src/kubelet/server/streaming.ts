/**
 * exec, attach and port-forward. The runtime's streaming server does the work and speaks SPDY/3.1. A SPDY client is passed
 * through, except for its pings (`holdBackPings`, `probeStuckClient`). For a WebSocket client we translate, or run its
 * command ourselves if the runtime allows it (`openExec`). So this side accepts whatever an API server passes on: ours passes
 * on both, upstream's SPDY, older WebSockets, and new ones if it knows that we take them.
 */
import type { Pod } from '../../api/index.ts';
import type { ExecRequest, RuntimeService } from '../../cri/index.ts';
import {
  answerHandshake,
  type Clock,
  createDuplexPair,
  type DuplexStream,
  type Headers,
  holdBackPings,
  type HttpRequest,
  isWebSocketRequest,
  offeredProtocols,
  probeStuckClient,
  type UpgradeResponse,
  withIdleTimeout,
} from '../../lib/index.ts';
import type { StreamDialer } from '../ports.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import type { PodDirectory, PodView } from '../types.ts';
import { MAX_FORWARDED_PORTS } from './limits.ts';
import { RequestError, textResponse } from './responses.ts';
import { type ChannelProtocol, EXEC_PROTOCOLS, PORT_PROTOCOLS } from './streaming-channels.ts';
import { type ExecStreams, translateExec } from './streaming-exec.ts';
import { serveOwnExec } from './streaming-own-exec.ts';
import { translatePorts, tunnelPorts } from './streaming-ports.ts';

export type StreamingRuntime = Pick<RuntimeService, 'exec' | 'openExec' | 'attach' | 'portForward'>;

export interface StreamingOptions {
  readonly clock: Clock;
  readonly directory: PodDirectory;
  readonly runtime: StreamingRuntime;
  readonly streams: StreamDialer;
  /** Absent: the defaults. */
  readonly settings?: Pick<KubeletSettings, 'streamingConnectionIdleTimeoutMs'>;
}

export interface StreamTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly uid?: string;
  /** Absent for port-forward. */
  readonly container?: string;
}

const PORT_FORWARD = 'portforward.k8s.io';
/** WebSocket subprotocol of the tunnel; inside it is what SPDY alone would say. */
const PORT_TUNNEL = `SPDY/3.1+${PORT_FORWARD}`;

/** Throws `RequestError` 400 for what is no upgrade that we know. */
export function checkUpgrade(request: HttpRequest): void {
  if (isWebSocketRequest(request) || isSpdyRequest(request)) return;
  throw new RequestError(400, 'Upgrade request required');
}

export async function execStream(
  options: StreamingOptions,
  request: HttpRequest,
  target: StreamTarget,
  query: URLSearchParams,
): Promise<UpgradeResponse> {
  const streams = streamsOf(query);
  const { id } = runningContainer(options.directory, target);
  const command = query.getAll('command');
  if (command.length === 0) throw new RequestError(400, 'you must specify a command');
  const wanted = { containerId: id, command, ...streams };
  const own = isWebSocketRequest(request) ? await ownExec(options, request, wanted) : undefined;
  return own ?? openExec(options, request, streams, () => options.runtime.exec(wanted));
}

export async function attachStream(
  options: StreamingOptions,
  request: HttpRequest,
  target: StreamTarget,
  query: URLSearchParams,
): Promise<UpgradeResponse> {
  const asked = streamsOf(query);
  const { id, tty } = runningContainer(options.directory, target);
  // The terminal is the container's own, whatever the client asks for.
  const streams = { ...asked, tty, stderr: asked.stderr && !tty };
  return openExec(options, request, streams, () => options.runtime.attach({ containerId: id, ...streams }));
}

export async function portForwardStream(
  options: StreamingOptions,
  request: HttpRequest,
  target: StreamTarget,
  query: URLSearchParams,
): Promise<UpgradeResponse> {
  const isTunnel = isWebSocketRequest(request) && offeredProtocols(request).includes(PORT_TUNNEL);
  const isOlder = isWebSocketRequest(request) && !isTunnel;
  const ports = portsOf(query);
  if (isOlder && ports.length === 0) throw new RequestError(400, 'query parameter "port" is required');
  if (ports.length > MAX_FORWARDED_PORTS) throw new RequestError(400, `more than ${MAX_FORWARDED_PORTS} ports`);
  const view = findPod(options.directory, target);
  const sandbox = view.observation?.sandboxes.find(({ state }) => state === 'ready');
  if (sandbox === undefined) throw new RequestError(404, `pod not found ("${target.pod}_${target.namespace}")`);
  const { clock } = options;
  const dial = async (wanted: HttpRequest): Promise<UpgradeResponse> =>
    options.streams.upgrade(await options.runtime.portForward(sandbox.id, ports), wanted);
  if (isTunnel) {
    return translated(options, request, [PORT_TUNNEL], PORT_FORWARD, dial, (_, client, runtime) =>
      tunnelPorts({ clock, client, runtime }),
    );
  }
  if (!isOlder) return passedThrough(options, await dial(request));
  return translated(options, request, Object.keys(PORT_PROTOCOLS), PORT_FORWARD, dial, (name, client, runtime) =>
    translatePorts({ clock, client, runtime, ports, protocol: known(PORT_PROTOCOLS, name) }),
  );
}

/** Runs a command whose streams mendlet holds itself; `undefined`: the runtime does not allow that, and nothing has happened. */
async function ownExec(
  options: StreamingOptions,
  request: HttpRequest,
  wanted: ExecRequest,
): Promise<UpgradeResponse | undefined> {
  const handshake = answerHandshake(request, Object.keys(EXEC_PROTOCOLS));
  // A server that translates refuses it.
  if (!handshake.ok) return undefined;
  const session = await options.runtime.openExec?.(wanted);
  if (session === undefined) return undefined;
  const { clock } = options;
  const { signal } = request;
  const [client, stream] = createDuplexPair();
  const protocol = known(EXEC_PROTOCOLS, handshake.protocol);
  const { command } = wanted;
  void serveOwnExec({
    clock,
    protocol,
    command,
    streams: wanted,
    client,
    session,
    ...(signal !== undefined && { signal }),
  });
  return { upgraded: true, status: 101, headers: handshake.headers, stream: withIdle(options, stream) };
}

async function openExec(
  options: StreamingOptions,
  request: HttpRequest,
  streams: ExecStreams,
  open: () => Promise<string>,
): Promise<UpgradeResponse> {
  const dial = async (wanted: HttpRequest): Promise<UpgradeResponse> => options.streams.upgrade(await open(), wanted);
  if (!isWebSocketRequest(request)) return passedThrough(options, await dial(request));
  const { clock } = options;
  return translated(options, request, Object.keys(EXEC_PROTOCOLS), 'v4.channel.k8s.io', dial, (name, client, runtime) =>
    translateExec({ clock, client, runtime, streams, protocol: known(EXEC_PROTOCOLS, name) }),
  );
}

function passedThrough(options: StreamingOptions, answer: UpgradeResponse): UpgradeResponse {
  if (!answer.upgraded) return answer;
  return {
    ...answer,
    stream: withIdle(options, probeStuckClient(holdBackPings(answer.stream, options.clock), options.clock)),
  };
}

/** Answers the client's WebSocket handshake when the runtime is there, then lets `serve` speak with both. */
async function translated(
  options: StreamingOptions,
  request: HttpRequest,
  protocols: readonly string[],
  runtimeProtocol: string,
  dial: (request: HttpRequest) => Promise<UpgradeResponse>,
  serve: (protocol: string, client: DuplexStream, runtime: DuplexStream) => Promise<void>,
): Promise<UpgradeResponse> {
  const handshake = answerHandshake(request, protocols);
  if (!handshake.ok) {
    const refusal = textResponse(handshake.status, handshake.message);
    return { upgraded: false, response: { ...refusal, headers: { ...refusal.headers, ...handshake.headers } } };
  }
  const answer = await dial(spdyRequest(request, runtimeProtocol));
  if (!answer.upgraded) return answer;
  const [client, stream] = createDuplexPair();
  void serve(handshake.protocol, client, answer.stream);
  return { upgraded: true, status: 101, headers: handshake.headers, stream: withIdle(options, stream) };
}

/** The call to the runtime; the client's signal ends it even while both wait for each other. */
function spdyRequest({ url, signal }: HttpRequest, protocol: string): HttpRequest {
  const headers: Headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol };
  return { method: 'POST', url, headers, ...(signal !== undefined && { signal }) };
}

function withIdle({ clock, settings = DEFAULT_SETTINGS }: StreamingOptions, stream: DuplexStream): DuplexStream {
  return withIdleTimeout(stream, clock, settings.streamingConnectionIdleTimeoutMs);
}

function isSpdyRequest({ headers }: HttpRequest): boolean {
  return (headers['upgrade'] ?? '').toLowerCase() === 'spdy/3.1';
}

function known(protocols: Readonly<Record<string, ChannelProtocol>>, name: string): ChannelProtocol {
  const protocol = protocols[name];
  if (protocol === undefined) throw new Error(`no subprotocol ${name}`);
  return protocol;
}

/** `port` from upstream's API server, `ports` from ours; several in one, too. Throws `RequestError` 400. */
function portsOf(query: URLSearchParams): readonly number[] {
  return [...query.getAll('port'), ...query.getAll('ports')].flatMap((list) =>
    list.split(',').map((text) => {
      const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
      if (port >= 1 && port <= 65_535) return port;
      throw new RequestError(400, `unable to parse "${text}" as a port`);
    }),
  );
}

/** Upstream's names between API server and kubelet (input, output, error), and the ones that kubectl uses. */
function streamsOf(query: URLSearchParams): ExecStreams {
  const asked = (...names: string[]): boolean => names.some((name) => ['1', 'true'].includes(query.get(name) ?? ''));
  const tty = asked('tty');
  const streams = {
    stdin: asked('input', 'stdin'),
    stdout: asked('output', 'stdout'),
    // A terminal has one output.
    stderr: asked('error', 'stderr') && !tty,
    tty,
  };
  if (!streams.stdin && !streams.stdout && !streams.stderr) {
    throw new RequestError(400, 'you must specify at least 1 of stdin, stdout, stderr');
  }
  return streams;
}

function findPod(directory: PodDirectory, target: StreamTarget): PodView {
  const view = directory.find(target.namespace, target.pod, target.uid);
  if (view === undefined) throw new RequestError(404, 'pod does not exist');
  return view;
}

function runningContainer(
  directory: PodDirectory,
  target: StreamTarget,
): { readonly id: string; readonly tty: boolean } {
  const view = findPod(directory, target);
  const name = target.container ?? '';
  const newest = view.observation?.containers.find((each) => each.name === name);
  if (newest?.state !== 'running') throw new RequestError(404, `container not found ("${name}")`);
  return { id: newest.id, tty: hasTty(view.pod, name) };
}

function hasTty({ spec }: Pod, name: string): boolean {
  const lists = [spec?.containers, spec?.initContainers, spec?.ephemeralContainers];
  return lists.some((list) => list?.some((container) => container.name === name && container.tty === true));
}
