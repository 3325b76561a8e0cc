/**
 * POST pods/NAME/restart: creates a PodRestart of the pod that the path names, after a look at the pod that spares the caller
 * an impossible restart. A user who may create pods/restart needs no right to podrestarts.
 */
import {
  type FieldValidation,
  badRequest,
  child,
  conflict,
  type Container,
  type FieldError,
  index,
  invalid,
  isDeleting,
  notFound,
  notSupported,
  type Pod,
  POD_RESTARTS,
  type PodRestartSpec,
  PODS,
  type ResourceRow,
  schemaOf,
} from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { parseBody } from '../http/body.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { renderObject } from '../http/render.ts';
import { refuseInvalid } from '../registry/kind-rules.ts';
import { type ApiObject, isRecord, recordOf } from '../registry/object.ts';
import { placeObject, readObject } from '../registry/read-object.ts';
import { readWriteOptions } from '../http/write-options.ts';
import { type Call, managerOf, nameOfCall, renderingOf } from '../call.ts';
import { readCurrent } from '../registry/read-current.ts';
import { createObject } from '../verbs/write.ts';
import { problemOfRestart } from './restart-problem.ts';

/** Answers 201 with the PodRestart. Throws 400, 404, 409, 422. */
export async function restartPod(call: Call): Promise<HttpResponse> {
  const restartCall = callOfRestarts(call);
  const form = negotiateObject(call.request.headers['accept']);
  const { dryRun, fieldValidation } = readWriteOptions(call.info.query, 'CreateOptions');
  const given = readRestart(call, restartCall.registration.row, fieldValidation);
  const pod = await readCurrent(call.server, PODS.resource, call.info.namespace, nameOfCall(call));
  if (pod === undefined) throw notFound(PODS, nameOfCall(call));
  refuseMisshapen(restartCall, given);
  refuseImpossible(given, pod);
  const item = await createObject(restartCall, given, { dryRun, manager: managerOf(call) });
  return renderObject(renderingOf(restartCall, form), 201, item);
}

/** The body's kind is PodRestart; the path gives its place. */
function callOfRestarts(call: Call): Call {
  const registration = call.server.registry.get(POD_RESTARTS);
  return { ...call, registration, storage: call.server.storageOf(registration) };
}

/** The body, if there is one, with all that the path says. */
function readRestart(call: Call, row: ResourceRow, fieldValidation: FieldValidation): ApiObject {
  const { request, info, warnings } = call;
  const name = nameOfCall(call);
  const isEmpty = request.body === undefined || request.body.length === 0;
  const { value, problems } = isEmpty ? { value: {}, problems: [] } : parseBody(request);
  const read = readObject({ value: withPod(value, name), problems }, { row, fieldValidation, warnings });
  const { podName = name } = recordOf(read['spec']);
  if (podName !== name)
    throw badRequest(`the pod of the PodRestart (${String(podName)}) does not match the name on the URL (${name})`);
  const { metadata } = read;
  const named = metadata.name || metadata.generateName ? metadata : { ...metadata, generateName: `${name}-` };
  return placeObject({ ...read, metadata: named }, row, info.namespace, undefined);
}

/** A body that names no pod means the one of the path; one that is no object stays, and is refused by whoever reads it. */
function withPod(value: unknown, podName: string): unknown {
  if (!isRecord(value)) return value;
  const { spec } = value;
  return spec === undefined || spec === null || isRecord(spec)
    ? { ...value, spec: { ...recordOf(spec), podName: recordOf(spec)['podName'] ?? podName } }
    : value;
}

/** Throws 422 for a spec that does not fit its schema: what follows trusts its types. */
function refuseMisshapen({ registration }: Call, restart: ApiObject): void {
  const errors = schemaOf(registration.row).checkNew(restart);
  refuseInvalid(
    registration,
    restart,
    errors.filter(({ field }) => field.startsWith('spec')),
  );
}

function refuseImpossible(restart: ApiObject, pod: Pod): void {
  const spec: PodRestartSpec = recordOf(restart['spec']);
  const name = pod.metadata?.name ?? '';
  const { uid = '' } = pod.metadata ?? {};
  if (spec.podUID !== undefined && spec.podUID !== uid) {
    const text = `the UID in the precondition (${spec.podUID}) does not match the UID in record (${uid}). The pod might have been deleted and then recreated`;
    throw conflict(PODS, name, text);
  }
  const problem = problemOfRestart(pod, isDeleting(pod));
  if (problem !== undefined) throw conflict(PODS, name, problem);
  const errors = [...unknownContainer(spec, pod), ...unknownVolumes(spec, pod)];
  if (errors.length > 0)
    throw invalid(POD_RESTARTS, restart.metadata.name ?? restart.metadata.generateName ?? '', errors);
}

function unknownContainer({ scope, container }: PodRestartSpec, { spec }: Pod): FieldError[] {
  if (scope !== 'container' || !container) return [];
  const sidecars = (spec?.initContainers ?? []).filter((entry: Container) => entry.restartPolicy === 'Always');
  const names = [...(spec?.containers ?? []), ...sidecars].map((entry) => entry.name);
  return names.includes(container) ? [] : [notSupported('spec.container', container, names)];
}

function unknownVolumes({ emptyDirs = [] }: PodRestartSpec, { spec }: Pod): FieldError[] {
  const names = (spec?.volumes ?? []).filter((volume) => volume.emptyDir !== undefined).map((volume) => volume.name);
  return emptyDirs.flatMap((name, position) =>
    name === '*' || names.includes(name)
      ? []
      : [notSupported(index(child('spec', 'emptyDirs'), position), name, names)],
  );
}
