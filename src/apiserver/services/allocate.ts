/** The allocation of a service as part of its write; the caller holds the line of all services. */
import { internalError, invalid, SERVICES } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { keyOf, type Registration } from '../registry/registration.ts';
import type { Call } from '../verbs/call.ts';
import { listCurrent } from '../verbs/read-current.ts';
import { allocateService } from './allocate-service.ts';

export function isService({ row }: Registration): boolean {
  return row.group === SERVICES.group && row.resource === SERVICES.resource;
}

/** The service with what it was given; every other object as it is. Throws 422 for what it may not have. */
export async function allocate({ server, registration }: Call, object: ApiObject): Promise<ApiObject> {
  if (!isService(registration)) return object;
  const own = keyOf(registration, object.metadata.namespace, object.metadata.name ?? '');
  const all = await listCurrent(server, registration);
  const others = all.filter(({ metadata }) => keyOf(registration, metadata.namespace, metadata.name ?? '') !== own);
  const { object: allocated, errors } = allocateService(object, {
    range: server.serviceRange,
    others,
    random: () => server.ports.random.next(),
  });
  const [first] = errors;
  if (first?.type === 'InternalError') throw internalError(first.body.replace('Internal error: ', ''));
  if (errors.length > 0) throw invalid(registration.row, object.metadata.name ?? '', errors);
  return allocated;
}
