/**
 * exec, attach and port-forward: the runtime's streaming server does the work, the upgraded bytes pass through as they are.
 * SPDY/3.1 only: containerd's WebSocket side speaks an older subprotocol that cannot half-close stdin, and a kubectl that is
 * refused a WebSocket comes back with SPDY by itself (KEP-4006).
 */
import type { Pod } from '../../api/index.ts';
import type { RuntimeService } from '../../cri/index.ts';
import type { HttpRequest, UpgradeResponse } from '../../lib/index.ts';
import type { StreamDialer } from '../ports.ts';
import type { PodDirectory, PodView } from '../types.ts';
import { RequestError } from './responses.ts';

export type StreamingRuntime = Pick<RuntimeService, 'exec' | 'attach' | 'portForward'>;

export interface StreamingOptions {
  readonly directory: PodDirectory;
  readonly runtime: StreamingRuntime;
  readonly streams: StreamDialer;
}

export interface StreamTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly uid?: string;
  /** Absent for port-forward. */
  readonly container?: string;
}

/** Throws `RequestError` for a protocol that is not offered. */
export function checkUpgrade(request: HttpRequest): void {
  const wanted = (request.headers['upgrade'] ?? '').toLowerCase();
  if (wanted === 'spdy/3.1') return;
  if (wanted === 'websocket') throw new RequestError(400, 'WebSocket is not offered here; use SPDY/3.1');
  throw new RequestError(400, 'Upgrade request required');
}

export async function execStream(
  options: StreamingOptions,
  request: HttpRequest,
  target: StreamTarget,
  query: URLSearchParams,
): Promise<UpgradeResponse> {
  const { id } = runningContainer(options.directory, target);
  const command = query.getAll('command');
  if (command.length === 0) throw new RequestError(400, 'you must specify a command');
  const streams = streamsOf(query);
  const url = await options.runtime.exec({ containerId: id, command, ...streams });
  return options.streams.upgrade(url, request);
}

export async function attachStream(
  options: StreamingOptions,
  request: HttpRequest,
  target: StreamTarget,
  query: URLSearchParams,
): Promise<UpgradeResponse> {
  const { id, tty } = runningContainer(options.directory, target);
  // The terminal is the container's own, whatever the client asks for.
  const streams = { ...streamsOf(query), tty };
  const url = await options.runtime.attach({ containerId: id, ...streams, stderr: streams.stderr && !tty });
  return options.streams.upgrade(url, request);
}

export async function portForwardStream(
  options: StreamingOptions,
  request: HttpRequest,
  target: StreamTarget,
  query: URLSearchParams,
): Promise<UpgradeResponse> {
  const view = findPod(options.directory, target);
  const sandbox = view.observation?.sandboxes.find(({ state }) => state === 'ready');
  if (sandbox === undefined) throw new RequestError(404, `pod not found ("${target.pod}_${target.namespace}")`);
  const ports = [...query.getAll('port'), ...query.getAll('ports')].map(Number).filter(Number.isInteger);
  const url = await options.runtime.portForward(sandbox.id, ports);
  return options.streams.upgrade(url, request);
}

/** Upstream's names between API server and kubelet (input, output, error), and the ones that kubectl uses. */
function streamsOf(query: URLSearchParams): {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
} {
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
