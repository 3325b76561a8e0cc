/**
 * Checks all services, their addresses and ports of the nodes (upstream: the ipallocator, portallocator and service repair
 * controllers): each address of a service has its IPAddress object and each port its record, which an upgrade from a server
 * without them makes for all services, and none is left of a service that is gone. Services themselves are changed only where
 * they lack an address.
 */
import { encodeText, parseTime } from '../../lib/index.ts';
import {
  HEADLESS,
  IP_ADDRESSES,
  type IPAddress,
  isHeadless,
  isInRange,
  needsClusterIp,
  type Service,
  SERVICES,
} from '../../api/index.ts';
import type { Connection } from '../ports.ts';
import type { ApiObject } from '../registry/object.ts';
import { keyOf } from '../registry/registration.ts';
import type { ServerContext } from '../call.ts';
import { listCurrent } from '../registry/read-current.ts';
import { createAddressBook } from './address-book.ts';
import { claimAddress, portsOf } from './hold-addresses.ts';
import { addressesOf, ALLOCATOR, isAddressOf, MANAGED_BY } from './ip-address-object.ts';
import { ORPHAN_ADDRESS_GRACE_MS } from './limits.ts';
import { claimedAt, isPortOf } from './node-port-records.ts';

/** Makes address objects that are missing, and removes those of services that do not have the address. */
export async function repairAddresses(server: ServerContext): Promise<void> {
  const [services, addresses] = [server.registry.get(SERVICES), server.registry.get(IP_ADDRESSES)];
  const { cache } = server.storageOf(addresses);
  for (const service of await listCurrent(server, services)) {
    for (const address of addressesOf(service)) {
      if (cache.get(keyOf(addresses, undefined, address)) === undefined) await claimAddress(server, address, service);
    }
  }
  await removeOrphans(server);
}

/** Makes records of ports of the nodes that are missing, and removes those of services that do not have the port. */
export async function repairNodePorts(server: ServerContext): Promise<void> {
  const registration = server.registry.get(SERVICES);
  const { ports } = server;
  const { nodePorts } = server.services;
  const { records, revision } = await nodePorts.list();
  const services = server.storageOf(registration);
  // A port is recorded before its service is written: who sees the record must be shown the service.
  await services.fresh(revision);
  const now = ports.clock.now().wall;
  const recorded = new Set(records.filter(({ record }) => record !== undefined).map(({ port }) => port));
  for (const held of records) {
    const owner = held.record === undefined ? undefined : ownerKeyOf(server, held.record);
    if (owner !== undefined && services.cache.damagedAt(owner) !== undefined) continue;
    const service = owner === undefined ? undefined : services.cache.get(owner)?.object;
    if (service !== undefined && isPortOf(held, service) && portsOf(service).includes(held.port)) continue;
    if (held.record !== undefined && now - (claimedAt(held) ?? 0) < ORPHAN_ADDRESS_GRACE_MS) continue;
    ports.logger.info('node port of no service removed', { port: held.port });
    await nodePorts.remove(held);
  }
  for (const service of await listCurrent(server, registration)) {
    for (const port of portsOf(service)) {
      if (!recorded.has(port)) await nodePorts.claim(port, service, now);
    }
  }
}

async function removeOrphans(server: ServerContext): Promise<void> {
  const [services, addresses] = [server.registry.get(SERVICES), server.registry.get(IP_ADDRESSES)];
  const storage = server.storageOf(addresses);
  await storage.fresh();
  const all = storage.cache.list(addresses.keyPrefix);
  const serviceStorage = server.storageOf(services);
  // An address is written before its service: who sees the address must be shown the service.
  await serviceStorage.fresh(storage.cache.revision);
  const now = server.ports.clock.now().wall;
  for (const { key, object, revision } of all) {
    const owner = addressOwnerOf(server, object);
    if (owner === undefined || now - (parseTime(object.metadata.creationTimestamp) ?? now) < ORPHAN_ADDRESS_GRACE_MS)
      continue;
    // A service that cannot be read still has its address.
    if (serviceStorage.cache.damagedAt(owner) !== undefined) continue;
    const service = serviceStorage.cache.get(owner)?.object;
    const isHeld =
      service !== undefined &&
      isAddressOf(object, service) &&
      addressesOf(service).includes(object.metadata.name ?? '');
    if (isHeld) continue;
    server.ports.logger.info('address of no service removed', { address: object.metadata.name });
    await storage.delete(key, revision);
  }
}

/** The key of the service that an address was given to by a server; undefined: it is somebody else's affair. */
function addressOwnerOf(server: ServerContext, object: ApiObject): string | undefined {
  return object.metadata.labels?.[MANAGED_BY] === ALLOCATOR ? ownerKeyOf(server, object) : undefined;
}

/** The key of the service that an address object or a record names; undefined: it is of something else. */
function ownerKeyOf(server: ServerContext, object: ApiObject): string | undefined {
  const { parentRef } = (object as IPAddress).spec ?? {};
  if (parentRef?.resource !== 'services') return undefined;
  return keyOf(server.registry.get(SERVICES), parentRef.namespace, parentRef.name);
}

/**
 * At the start: an address outside of the ranges (they were others then) or given twice is reported; a service without an address
 * gets one.
 */
export async function repairServices(server: ServerContext, self: Connection): Promise<void> {
  const all = await listCurrent(server, server.registry.get(SERVICES));
  const ranges = (await createAddressBook(server)).ranges();
  for (const { service, text } of problemsOf(all, (ip) => ranges.some((range) => isInRange(range, ip))))
    server.ports.logger.warn('service address', { service, problem: text });
  for (const object of all.filter(lacksAddress)) {
    const { namespace, name } = object.metadata;
    // Any change of a service without an address gives it one.
    const answer = await self.request({
      method: 'PATCH',
      url: `/api/v1/namespaces/${namespace}/services/${name}`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: encodeText('{}'),
    });
    if (answer.status >= 300)
      server.ports.logger.warn('service has no address', { service: `${namespace}/${name}`, status: answer.status });
  }
}

function lacksAddress(object: ApiObject): boolean {
  const { spec = {} } = object as Service;
  return needsClusterIp(spec) && !isHeadless(spec) && !spec.clusterIP;
}

/** Addresses that are not of the range, and those that two have. */
export function problemsOf(
  all: readonly ApiObject[],
  isOurs: (ip: string) => boolean,
): readonly { readonly service: string; readonly text: string }[] {
  const owners = new Map<string, string>();
  return all.flatMap((object) => {
    const ip = (object as Service).spec?.clusterIP ?? '';
    const service = `${object.metadata.namespace}/${object.metadata.name}`;
    if (ip === '' || ip === HEADLESS) return [];
    const owner = owners.get(ip);
    owners.set(ip, owner ?? service);
    if (owner !== undefined) return [{ service, text: `${ip} is also the address of ${owner}` }];
    return isOurs(ip) ? [] : [{ service, text: `${ip} is not within the service range` }];
  });
}
