/** /run/NS/POD[/UID]/CONTAINER?cmd=…: a command's output in one answer, without streams. And /checkpoint, which is not there. */
import { RuntimeError, type RuntimeService } from '../../cri/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { PodDirectory } from '../types.ts';
import { RUN_TIMEOUT_MS } from './limits.ts';
import { RequestError, textResponse } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';
import { streamTarget } from './stream-routes.ts';

export interface RunRouteOptions {
  readonly directory: PodDirectory;
  readonly runtime: Pick<RuntimeService, 'execSync'>;
}

export function runRoutes(options: RunRouteOptions): readonly Route[] {
  const noCheckpoint = (): HttpResponse =>
    textResponse(404, 'checkpoints of containers are not supported by this node');
  return [
    { path: '/run', below: true, methods: ['POST'], debugging: true, answer: (call) => run(options, call) },
    { path: '/checkpoint', below: true, methods: ['POST'], answer: noCheckpoint },
  ];
}

async function run(
  { directory, runtime }: RunRouteOptions,
  { request, parts, query }: RouteCall,
): Promise<HttpResponse> {
  const { namespace, pod, uid, container } = streamTarget(true, parts);
  const view = directory.find(namespace, pod, uid);
  if (view === undefined) throw new RequestError(404, 'pod does not exist');
  const newest = view.observation?.containers.find(({ name }) => name === container);
  if (newest?.state !== 'running') throw new RequestError(404, `container not found ("${container}")`);
  // Upstream splits at spaces and knows no quotes.
  const command = (query.get('cmd') ?? '').split(' ');
  if (command[0] === '') throw new RequestError(400, 'you must specify a command in "cmd"');
  const call = request.signal === undefined ? {} : { signal: request.signal };
  try {
    const { exitCode, stdout, stderr } = await runtime.execSync(newest.id, command, RUN_TIMEOUT_MS, call);
    if (exitCode === 0) return textResponse(200, `${stdout}${stderr}`);
    return textResponse(500, `command '${command.join(' ')}' exited with ${exitCode}: ${stderr}${stdout}`);
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'DeadlineExceeded') {
      throw new RequestError(500, `the command did not end within ${RUN_TIMEOUT_MS / 1000} s`);
    }
    throw error;
  }
}
