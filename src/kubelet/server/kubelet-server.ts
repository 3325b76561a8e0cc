/**
 * The kubelet's own API, as upstream's (pkg/kubelet/server): health, pods, metrics, logs, exec, attach, port-forward. Each
 * group of paths is a file `*-routes.ts`. Requests are authorized before they come here.
 */
import { RuntimeError } from '../../cri/index.ts';
import {
  type Clock,
  type Connection,
  errorMessage,
  type HttpRequest,
  type HttpResponse,
  type Logger,
  type MetricsRegistry,
  type UpgradeResponse,
} from '../../lib/index.ts';
import type { StreamDialer } from '../ports.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import type { KubeletHealth, PodDirectory } from '../types.ts';
import { configzRoutes } from './configz-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { MAX_CONCURRENT_REQUESTS } from './limits.ts';
import type { LogFiles } from './log-reader.ts';
import { logRoutes } from './log-routes.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { podRoutes } from './pod-routes.ts';
import { RequestError, textResponse } from './responses.ts';
import { findRoute, parseCall, type Route, type RouteCall } from './routes.ts';
import { type RunRouteOptions, runRoutes } from './run-routes.ts';
import { streamRoutes } from './stream-routes.ts';
import type { StreamingRuntime } from './streaming.ts';
import { type SystemLogFiles, systemLogRoutes } from './system-log-routes.ts';

export interface KubeletServerPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fs: LogFiles & SystemLogFiles;
  readonly metrics: MetricsRegistry;
  readonly runtime: StreamingRuntime & RunRouteOptions['runtime'];
  readonly streams: StreamDialer;
}

/** What is shown of the node. */
export interface ServedNode {
  readonly directory: PodDirectory;
  readonly health: KubeletHealth;
}

export interface KubeletServerConfig {
  /** Beside those that are always there. */
  readonly routes?: readonly Route[];
  /** Figures that are taken for each answer of `/metrics`; absent: none. */
  readonly figures?: () => Promise<string>;
  /** Absent: `DEFAULT_SETTINGS`. */
  readonly settings?: KubeletSettings;
}

export function createKubeletServer(
  ports: KubeletServerPorts,
  { directory, health }: ServedNode,
  { settings = DEFAULT_SETTINGS, routes = [], figures = async () => '' }: KubeletServerConfig = {},
): Connection {
  const forPods = { ...ports, directory, settings };
  const server = new Server(ports.logger, settings, [
    ...healthRoutes(health),
    ...podRoutes(directory),
    ...metricsRoutes(ports.metrics, figures),
    ...logRoutes(forPods),
    ...systemLogRoutes(ports.fs, settings.enableSystemLogHandler),
    ...streamRoutes(forPods),
    ...runRoutes(forPods),
    ...configzRoutes(settings),
    ...routes,
  ]);
  return { request: (request) => server.request(request), upgrade: (request) => server.upgrade(request) };
}

class Server {
  readonly #logger: Logger;
  readonly #settings: KubeletSettings;
  readonly #routes: readonly Route[];
  #underWay = 0;

  constructor(logger: Logger, settings: KubeletSettings, routes: readonly Route[]) {
    this.#logger = logger;
    this.#settings = settings;
    this.#routes = routes;
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    if (this.#underWay >= MAX_CONCURRENT_REQUESTS) return tooMany();
    this.#underWay += 1;
    let response: HttpResponse;
    try {
      const { route, call } = this.#find(request);
      if (route.answer === undefined) throw new RequestError(400, 'Upgrade request required');
      response = await route.answer(call);
    } catch (error) {
      response = this.#problem(request, error);
    }
    if (response.body instanceof Uint8Array) {
      this.#underWay -= 1;
      return response;
    }
    return { ...response, body: this.#counted(response.body, request.signal) };
  }

  async upgrade(request: HttpRequest): Promise<UpgradeResponse> {
    try {
      const { route, call } = this.#find(request);
      if (route.upgrade === undefined) throw new RequestError(400, 'this path has nothing to upgrade to');
      return await route.upgrade(call);
    } catch (error) {
      return { upgraded: false, response: this.#problem(request, error) };
    }
  }

  /** Throws `RequestError`. */
  #find(request: HttpRequest): { readonly route: Route; readonly call: RouteCall } {
    const call = parseCall(request);
    const route = findRoute(this.#routes, call.parts);
    if (route === undefined) throw new RequestError(404, '404 page not found');
    if (route.debugging === true && !this.#settings.enableDebuggingHandlers) {
      throw new RequestError(405, 'Debug endpoints are disabled.');
    }
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    if (!route.methods.some((each) => each === method)) throw new RequestError(405, '405: Method Not Allowed');
    return { route, call };
  }

  /** The place is given back when the stream ends, or its reader leaves or never comes. */
  #counted(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.#underWay -= 1;
      signal?.removeEventListener('abort', over);
    };
    signal?.addEventListener('abort', over, { once: true });
    if (signal?.aborted === true) over();
    return (async function* () {
      try {
        yield* body;
      } finally {
        over();
      }
    })();
  }

  #problem(request: HttpRequest, error: unknown): HttpResponse {
    if (error instanceof RequestError) return textResponse(error.status, error.message);
    if (error instanceof RuntimeError && error.code === 'NotFound') return textResponse(404, error.message);
    this.#logger.warn('a request to the node failed', { url: request.url.split('?')[0], error });
    return textResponse(500, errorMessage(error));
  }
}

function tooMany(): HttpResponse {
  const answer = textResponse(429, 'too many requests are under way; try again later');
  return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } };
}
