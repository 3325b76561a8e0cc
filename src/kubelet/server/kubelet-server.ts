/**
 * The kubelet's own API, as upstream's (pkg/kubelet/server): health, pods, metrics, logs, exec, attach, port-forward.
 * Who may ask is the edge's business: in memory only the API server does.
 */
import { RuntimeError } from '../../cri/index.ts';
import {
  type Clock,
  type Connection,
  errorMessage,
  type HttpRequest,
  type HttpResponse,
  type Logger,
  METRICS_CONTENT_TYPE,
  type MetricsRegistry,
  type UpgradeResponse,
} from '../../lib/index.ts';
import type { StreamDialer } from '../ports.ts';
import type { KubeletHealth, PodDirectory } from '../types.ts';
import { parseLogOptions } from './log-options.ts';
import { type LogFiles, readLog } from './log-reader.ts';
import { logContainerId } from './log-target.ts';
import { jsonResponse, RequestError, textResponse } from './responses.ts';
import {
  attachStream,
  checkUpgrade,
  execStream,
  portForwardStream,
  type StreamTarget,
  type StreamingRuntime,
} from './streaming.ts';

export interface KubeletServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fs: LogFiles;
  readonly metrics: MetricsRegistry;
  readonly runtime: StreamingRuntime;
  readonly streams: StreamDialer;
  readonly directory: PodDirectory;
  readonly health: KubeletHealth;
}

export function createKubeletServer(options: KubeletServerOptions): Connection {
  const server = new Server(options);
  return { request: (request) => server.request(request), upgrade: (request) => server.upgrade(request) };
}

interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

class Server {
  readonly #options: KubeletServerOptions;

  constructor(options: KubeletServerOptions) {
    this.#options = options;
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    try {
      return this.#answer(request, parseRoute(request.url));
    } catch (error) {
      return this.#problem(request, error);
    }
  }

  async upgrade(request: HttpRequest): Promise<UpgradeResponse> {
    try {
      return await this.#stream(request, parseRoute(request.url));
    } catch (error) {
      return { upgraded: false, response: this.#problem(request, error) };
    }
  }

  #answer(request: HttpRequest, route: Route): HttpResponse {
    const root = route.parts[0] ?? '';
    if (root === 'exec' || root === 'attach' || root === 'portForward')
      throw new RequestError(400, 'Upgrade request required');
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new RequestError(405, 'Method Not Allowed');
    switch (root) {
      case 'healthz':
        return this.#healthz(route);
      case 'pods':
        return this.#pods();
      case 'metrics':
        return {
          ...textResponse(200, this.#options.metrics.text()),
          headers: { 'content-type': METRICS_CONTENT_TYPE },
        };
      case 'containerLogs':
        return this.#logs(request, route);
      default:
        throw new RequestError(404, '404 page not found');
    }
  }

  #healthz({ parts }: Route): HttpResponse {
    if (parts[1] === 'ping') return textResponse(200, 'ok');
    const problem = this.#options.health.syncLoop();
    if (problem === undefined) return textResponse(200, 'ok');
    return textResponse(500, `[-]syncloop failed: ${problem}\nhealthz check failed\n`);
  }

  #pods(): HttpResponse {
    const items = this.#options.directory
      .pods()
      .map(({ pod, status }) => ({ ...pod, status: status ?? pod.status ?? {} }));
    return jsonResponse({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });
  }

  #logs(request: HttpRequest, { parts, query }: Route): HttpResponse {
    const { clock, fs, directory } = this.#options;
    const [, namespace, name, container] = parts;
    if (parts.length !== 4 || !namespace || !name || !container) throw new RequestError(404, '404 page not found');
    const view = directory.find(namespace, name);
    if (view === undefined) throw new RequestError(404, `pod "${name}" not found`);
    const options = parseLogOptions(query, clock.now().wall);
    const id = logContainerId(view.pod, view.status ?? view.pod.status ?? {}, container, options.previous);
    const current = (): ReturnType<typeof find> => find(directory, namespace, name, id);
    const path = current()?.logPath ?? '';
    if (path === '') throw new RequestError(404, `unable to retrieve container logs for ${id}`);
    const signal = request.signal ?? new AbortController().signal;
    const source = { clock, fs, path, signal, isRunning: () => current()?.state === 'running' };
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: readLog(source, options) };
  }

  async #stream(request: HttpRequest, { parts, query }: Route): Promise<UpgradeResponse> {
    const [root] = parts;
    const open =
      root === 'exec'
        ? execStream
        : root === 'attach'
          ? attachStream
          : root === 'portForward'
            ? portForwardStream
            : undefined;
    if (open === undefined) throw new RequestError(404, '404 page not found');
    checkUpgrade(request);
    return open(this.#options, request, streamTarget(root !== 'portForward', parts), query);
  }

  #problem(request: HttpRequest, error: unknown): HttpResponse {
    if (error instanceof RequestError) return textResponse(error.status, error.message);
    if (error instanceof RuntimeError && error.code === 'NotFound') return textResponse(404, error.message);
    this.#options.logger.warn('a request to the node failed', { url: request.url.split('?')[0], error });
    return textResponse(500, errorMessage(error));
  }
}

/** /exec/NS/POD[/UID]/CONTAINER and /portForward/NS/POD[/UID]. */
function streamTarget(withContainer: boolean, parts: readonly string[]): StreamTarget {
  const [, namespace, pod, ...rest] = parts;
  const container = withContainer ? rest.at(-1) : undefined;
  const uid = withContainer ? rest.at(-2) : rest[0];
  const tooMany = rest.length > (withContainer ? 2 : 1);
  if (!namespace || !pod || tooMany || (withContainer && container === undefined)) {
    throw new RequestError(404, '404 page not found');
  }
  return { namespace, pod, ...(uid !== undefined && { uid }), ...(container !== undefined && { container }) };
}

function find(
  directory: PodDirectory,
  namespace: string,
  name: string,
  id: string,
): { readonly logPath: string; readonly state: string } | undefined {
  return directory.find(namespace, name)?.observation?.containers.find((each) => each.id === id);
}

function parseRoute(url: string): Route {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  try {
    const parts = path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
    return { parts, query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)) };
  } catch {
    throw new RequestError(400, 'malformed URL');
  }
}
