/** /exec, /attach, /portForward: the paths of what `streaming.ts` does. */
import type { HttpRequest, UpgradeResponse } from '../../lib/index.ts';
import { RequestError } from './responses.ts';
import type { Route } from './routes.ts';
import {
  attachStream,
  checkUpgrade,
  execStream,
  portForwardStream,
  type StreamingOptions,
  type StreamTarget,
} from './streaming.ts';

type Open = (
  options: StreamingOptions,
  request: HttpRequest,
  target: StreamTarget,
  query: URLSearchParams,
) => Promise<UpgradeResponse>;

export function streamRoutes(options: StreamingOptions): readonly Route[] {
  const route = (path: string, open: Open, withContainer: boolean): Route => ({
    path,
    below: true,
    methods: ['GET', 'POST'],
    debugging: true,
    upgrade: async ({ request, parts, query }) => {
      checkUpgrade(request);
      return open(options, request, streamTarget(withContainer, parts), query);
    },
  });
  return [
    route('/exec', execStream, true),
    route('/attach', attachStream, true),
    route('/portForward', portForwardStream, false),
  ];
}

/** /exec/NS/POD[/UID]/CONTAINER and /portForward/NS/POD[/UID]. */
export function streamTarget(withContainer: boolean, parts: readonly string[]): StreamTarget {
  const [, namespace, pod, ...rest] = parts;
  const container = withContainer ? rest.at(-1) : undefined;
  const uid = withContainer ? rest.at(-2) : rest[0];
  const tooMany = rest.length > (withContainer ? 2 : 1);
  if (!namespace || !pod || tooMany || (withContainer && container === undefined)) {
    throw new RequestError(404, '404 page not found');
  }
  return { namespace, pod, ...(uid !== undefined && { uid }), ...(container !== undefined && { container }) };
}
