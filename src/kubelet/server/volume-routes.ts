/** /mendlet/v1/volumes: the volumes that are folders of this node, for the controller that has them made and removed. */
import { NODE_VOLUMES_PATH } from '../../api/index.ts';
import { decodeText, encodeText, errorMessage, FileError, type HttpResponse, type Logger } from '../../lib/index.ts';
import type { LocalVolumes } from '../local-volumes/local-volumes.ts';
import { MAX_REQUEST_BYTES } from '../local-volumes/limits.ts';
import { VolumeProblem } from '../local-volumes/volume-problem.ts';
import { checkHandle, parseMakeRequest } from '../local-volumes/volume-request.ts';
import { jsonResponse, RequestError } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

export interface VolumeInputs {
  /** Absent: this node makes none. */
  readonly localVolumes: Pick<LocalVolumes, 'make' | 'remove' | 'list'> | undefined;
  readonly logger: Logger;
}

export function volumeRoutes({ localVolumes, logger }: VolumeInputs): readonly Route[] {
  if (localVolumes === undefined) return [];
  const answering = (work: (call: RouteCall) => Promise<unknown>) => (call: RouteCall) => answer(call, work, logger);
  return [
    { path: NODE_VOLUMES_PATH, methods: ['GET'], answer: answering(() => localVolumes.list()) },
    {
      path: NODE_VOLUMES_PATH,
      below: true,
      methods: ['PUT', 'DELETE'],
      answer: answering(async (call) => {
        const name = nameOf(call);
        if (call.request.method === 'PUT') return await localVolumes.make(name, parseMakeRequest(bodyOf(call)));
        const version = call.query.get('version') ?? undefined;
        await localVolumes.remove(name, checkHandle(call.query.get('handle')), version);
        return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
      }),
    },
  ];
}

async function answer(
  call: RouteCall,
  work: (call: RouteCall) => Promise<unknown>,
  logger: Logger,
): Promise<HttpResponse> {
  try {
    return jsonResponse(await work(call));
  } catch (error) {
    if (error instanceof VolumeProblem) return failure(error.status, error.reason, error.message);
    if (!(error instanceof FileError)) throw error;
    logger.warn('the disk of the volumes refused a request', { url: call.request.url, error: error.message });
    return failure(500, 'InternalError', errorMessage(error));
  }
}

/** The path's last part, below /mendlet/v1/volumes. */
function nameOf({ parts }: RouteCall): string {
  const [, , , name, ...rest] = parts;
  if (name === undefined || rest.length > 0) throw new RequestError(404, '404 page not found');
  return name;
}

function bodyOf({ request: { body } }: RouteCall): unknown {
  if (body === undefined || body.length > MAX_REQUEST_BYTES) {
    throw new VolumeProblem('BadRequest', `the body must be a JSON object of at most ${MAX_REQUEST_BYTES} bytes`);
  }
  try {
    return JSON.parse(decodeText(body));
  } catch (error) {
    throw new VolumeProblem('BadRequest', `the body is not JSON: ${errorMessage(error)}`);
  }
}

function failure(code: number, reason: string, message: string): HttpResponse {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  return { status: code, headers: { 'content-type': 'application/json' }, body: encodeText(JSON.stringify(status)) };
}
