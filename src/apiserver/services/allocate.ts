/** The allocation of a service as part of its write; the caller holds the line of all services, so that they seldom choose the same. */
import { internalError, invalid, type Service, SERVICES } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { keyOf, type Registration } from '../registry/registration.ts';
import type { Call, ServerContext } from '../call.ts';
import { listCurrent } from '../registry/read-current.ts';
import { createAddressBook } from './address-book.ts';
import { allocateService, nodePortsOf } from './allocate-service.ts';
import { portsOf } from './hold-addresses.ts';
import { isPortOf } from './node-port-records.ts';

export function isService({ row }: Registration): boolean {
  return row.group === SERVICES.group && row.resource === SERVICES.resource;
}

/** Those of the ports that the service asks for which another server has given away, though no service shows it yet. */
async function recordedByOthers(server: ServerContext, service: ApiObject): Promise<readonly number[]> {
  const held = await Promise.all(portsOf(service).map((port) => server.services.nodePorts.find(port)));
  return held.flatMap((each) => (each === undefined || isPortOf(each, service) ? [] : [each.port]));
}

/** The service with what it was given; every other object as it is. Throws 422 for what it may not have. */
export async function allocate({ server, registration }: Call, object: ApiObject): Promise<ApiObject> {
  if (!isService(registration)) return object;
  const own = keyOf(registration, object.metadata.namespace, object.metadata.name ?? '');
  const { type } = (object as Service).spec ?? {};
  const all = type === 'NodePort' || type === 'LoadBalancer' ? await listCurrent(server, registration) : [];
  const recorded = await recordedByOthers(server, object);
  const takenNodePorts = (): ReadonlySet<number> => {
    const others = all.filter(({ metadata }) => keyOf(registration, metadata.namespace, metadata.name ?? '') !== own);
    return new Set([...others.flatMap((other) => nodePortsOf((other as Service).spec ?? {})), ...recorded]);
  };
  const book = await createAddressBook(server);
  const { object: allocated, errors } = allocateService(object, {
    ranges: book.ranges(),
    isTaken: (address) => book.isTakenByOthers(address, object),
    takenNodePorts,
    random: () => server.ports.random.next(),
  });
  const [first] = errors;
  if (first?.type === 'InternalError') throw internalError(first.body.replace('Internal error: ', ''));
  if (errors.length > 0) throw invalid(registration.row, object.metadata.name ?? '', errors);
  return allocated;
}
