/** The route table of the kubelet's own API: which path is answered by what. Pure. */
import type { HttpRequest, HttpResponse, UpgradeResponse } from '../../lib/index.ts';
import { RequestError } from './responses.ts';

export interface RouteCall {
  readonly request: HttpRequest;
  /** All parts of the path, decoded: `/pods/` and `/pods` are both ["pods"]. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export interface Route {
  /** Without a slash at its end. */
  readonly path: string;
  /** Answers for all paths below it, too. */
  readonly below?: boolean;
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[];
  /** Gone when `enableDebuggingHandlers` is false. */
  readonly debugging?: boolean;
  /** An ordinary request. Throws `RequestError`. Absent: upgrades only. */
  readonly answer?: (call: RouteCall) => HttpResponse | Promise<HttpResponse>;
  /** An upgrade. Throws `RequestError`. */
  readonly upgrade?: (call: RouteCall) => Promise<UpgradeResponse>;
}

/** The route with the longest path that fits. */
export function findRoute(routes: readonly Route[], parts: readonly string[]): Route | undefined {
  const path = `/${parts.join('/')}`;
  let best: Route | undefined;
  for (const route of routes) {
    const fits = route.path === path || (route.below === true && path.startsWith(`${route.path}/`));
    if (fits && route.path.length > (best?.path.length ?? -1)) best = route;
  }
  return best;
}

/** Throws `RequestError` 400 for what is no URL, and for parts that another reader might take for several, or for none. */
export function parseCall(request: HttpRequest): RouteCall {
  const mark = request.url.indexOf('?');
  const path = mark < 0 ? request.url : request.url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : request.url.slice(mark + 1));
  let parts: string[];
  try {
    parts = path.split('/').flatMap((part) => (part === '' ? [] : [decodeURIComponent(part)]));
  } catch {
    throw new RequestError(400, 'malformed URL');
  }
  if (parts.some((part) => part === '.' || part === '..' || /[/\0]/.test(part))) {
    throw new RequestError(400, 'invalid URL path');
  }
  return { request, parts, query };
}

/** The one spelling of a call's path and query. */
export function urlOf({ request, parts }: RouteCall): string {
  const mark = request.url.indexOf('?');
  return `/${parts.map(encodeURIComponent).join('/')}${mark < 0 ? '' : request.url.slice(mark)}`;
}
