/** /containerLogs/NS/POD/CONTAINER: a container's log, to its end or on and on. */
import { type Clock, FileError, type HttpResponse } from '../../lib/index.ts';
import { belowRoot, logPlace } from '../pods/log-place.ts';
import type { PodDirectory } from '../types.ts';
import { parseLogOptions } from './log-options.ts';
import { type LogFiles, type LogSource, readLog } from './log-reader.ts';
import { logContainerId } from './log-target.ts';
import { RequestError } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

export interface LogRouteOptions {
  readonly clock: Clock;
  readonly fs: LogFiles;
  readonly directory: PodDirectory;
}

export function logRoutes(options: LogRouteOptions): readonly Route[] {
  return [
    {
      path: '/containerLogs',
      below: true,
      methods: ['GET'],
      debugging: true,
      answer: (call) => containerLogs(options, call),
    },
  ];
}

async function containerLogs(
  { clock, fs, directory }: LogRouteOptions,
  { request, parts, query }: RouteCall,
): Promise<HttpResponse> {
  const [, namespace, name, container] = parts;
  if (parts.length !== 4 || !namespace || !name || !container) throw new RequestError(404, '404 page not found');
  const view = directory.find(namespace, name);
  if (view === undefined) throw new RequestError(404, `pod "${name}" not found`);
  const options = parseLogOptions(query, clock.now().wall);
  const id = logContainerId(view.pod, view.status ?? view.pod.status ?? {}, container, options.previous);
  const current = (): ReturnType<typeof find> => find(directory, namespace, name, id);
  const path = current()?.logPath ?? '';
  if (path === '') throw new RequestError(404, `unable to retrieve container logs for ${id}`);
  await refuseOther(fs, path, id);
  const signal = request.signal ?? new AbortController().signal;
  const source: LogSource = {
    clock,
    fs,
    path,
    signal,
    isRunning: () => current()?.state === 'running',
    isEnding: () => current()?.ending === true,
    endedAt: () => current()?.finishedAt ?? 0,
  };
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: readLog(source, options) };
}

/** Something else in the log's place is said before the answer begins. */
async function refuseOther(fs: LogFiles, path: string, id: string): Promise<void> {
  try {
    const place = logPlace(path);
    await (await fs.openFileBelow(place.root, belowRoot(place)))?.close();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new RequestError(500, `unable to retrieve container logs for ${id}: ${error.message}`);
  }
}

function find(
  directory: PodDirectory,
  namespace: string,
  name: string,
  id: string,
):
  | { readonly logPath: string; readonly state: string; readonly ending?: true; readonly finishedAt: number }
  | undefined {
  return directory.find(namespace, name)?.observation?.containers.find((each) => each.id === id);
}
