/**
 * Writes a service together with its addresses and ports of the nodes. An address belongs to whoever creates its IPAddress object, a
 * port to whoever creates its record: that is a compare-and-put on the store, so servers that share a store never give one twice.
 *
 *   create what is new → write the service → delete what it has no more
 *
 * A server that dies in between leaves an object or record too many, never one too few; `repair-services.ts` removes it.
 */
import { IP_ADDRESSES, type Service, StatusError } from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import type { ApiObject } from '../registry/object.ts';
import { keyOf } from '../registry/registration.ts';
import type { ResourceStorage, Written } from '../registry/storage.ts';
import type { ServerContext } from '../call.ts';
import { nodePortsOf } from './allocate-service.ts';
import { addressesOf, isAddressOf, newAddressObject } from './ip-address-object.ts';
import { type HeldPort, isPortOf } from './node-port-records.ts';

/** Another server was faster: what was chosen is another service's now. */
export interface ChoiceLost {
  readonly ok: 'lost';
}

/** A service before and after a write; undefined: it is not there. */
export interface ServiceChange {
  readonly before: ApiObject | undefined;
  readonly after: ApiObject | undefined;
}

/** What a service holds beside itself. */
interface Held {
  readonly addresses: readonly CachedObject[];
  readonly ports: readonly HeldPort[];
}

/** Throws what `write` throws; then what is new is given back, unless the outcome of the write is unknown. */
export async function writeHoldings(
  server: ServerContext,
  change: ServiceChange,
  write: () => Promise<Written>,
): Promise<Written | ChoiceLost> {
  const left = await leavingOf(server, change);
  const claimed = await claimAll(server, change);
  if (claimed === undefined) return { ok: 'lost' };
  let written: Written;
  try {
    written = await write();
  } catch (error) {
    if (!isUnknown(error)) await giveBack(server, claimed);
    throw error;
  }
  await giveBack(server, written.ok ? left : claimed);
  return written;
}

/** What the service has and will have no more, as it is before the write: only that is deleted after it. */
async function leavingOf(server: ServerContext, { before, after }: ServiceChange): Promise<Held> {
  if (before === undefined) return { addresses: [], ports: [] };
  const addresses = without(addressesOf(before), addressesOf(after));
  const ports = await Promise.all(
    without(portsOf(before), portsOf(after)).map((port) => server.services.nodePorts.find(port)),
  );
  return {
    addresses: await heldAddresses(server, addresses, before),
    ports: ports.flatMap((held) => (held !== undefined && isPortOf(held, before) ? [held] : [])),
  };
}

/** Undefined: somebody else has a part of it, and nothing was claimed. */
async function claimAll(server: ServerContext, { before, after }: ServiceChange): Promise<Held | undefined> {
  const addresses: CachedObject[] = [];
  const ports: HeldPort[] = [];
  if (after === undefined) return { addresses, ports };
  try {
    for (const address of without(addressesOf(after), addressesOf(before))) {
      const claim = await claimAddress(server, address, after);
      if (claim === undefined) break;
      addresses.push(claim);
    }
    for (const port of without(portsOf(after), portsOf(before))) {
      const claim = await server.services.nodePorts.claim(port, after, server.ports.clock.now().wall);
      if (claim === undefined) break;
      ports.push(claim);
    }
  } catch (error) {
    await giveBack(server, { addresses, ports });
    throw error;
  }
  const isWhole =
    addresses.length === without(addressesOf(after), addressesOf(before)).length &&
    ports.length === without(portsOf(after), portsOf(before)).length;
  if (isWhole) return { addresses, ports };
  await giveBack(server, { addresses, ports });
  return undefined;
}

/** The ports of the nodes that a service has, each once. */
export function portsOf(service: ApiObject | undefined): readonly number[] {
  return [...new Set(nodePortsOf((service as Service | undefined)?.spec ?? {}))];
}

function without<T>(all: readonly T[], others: readonly T[]): readonly T[] {
  return all.filter((each) => !others.includes(each));
}

function isUnknown(error: unknown): boolean {
  return error instanceof StatusError && error.code === 504;
}

/**
 * Creates the object of an address; undefined: somebody else has it. One that this service has already (its last deletion is
 * under way, or ended half-way) is written anew, so that whoever is about to delete it finds another revision.
 */
export async function claimAddress(
  server: ServerContext,
  address: string,
  service: ApiObject,
): Promise<CachedObject | undefined> {
  const { key, storage } = placeOf(server, address);
  const object = newAddressObject(address, service, {
    uid: server.ports.random.uuid(),
    now: formatTime(server.ports.clock.now().wall),
  });
  let written = await storage.put(key, object, 0);
  if (!written.ok && written.current !== undefined && isAddressOf(written.current.object, service))
    written = await storage.put(key, object, written.current.revision);
  if (written.ok) return written.item;
  // The next choice must see who has it.
  if (written.current !== undefined) await storage.fresh(written.current.revision);
  return undefined;
}

async function heldAddresses(
  server: ServerContext,
  addresses: readonly string[],
  service: ApiObject,
): Promise<readonly CachedObject[]> {
  const found = await Promise.all(
    addresses.map(async (address) => {
      const { key, storage } = placeOf(server, address);
      return storage.peek(key) ?? (await storage.read(key).catch(() => undefined));
    }),
  );
  return found.filter((item) => item !== undefined && isAddressOf(item.object, service)) as CachedObject[];
}

/** Never throws: what stays behind is found by the next repair. */
async function giveBack(server: ServerContext, { addresses, ports }: Held): Promise<void> {
  const storage = server.storageOf(server.registry.get(IP_ADDRESSES));
  const removals = [
    ...addresses.map(({ key, revision }) => ({ what: key, remove: () => storage.delete(key, revision) })),
    ...ports.map((held) => ({ what: `port ${held.port}`, remove: () => server.services.nodePorts.remove(held) })),
  ];
  await Promise.all(
    removals.map(async ({ what, remove }) => {
      try {
        await remove();
      } catch (error) {
        server.ports.logger.warn('address or port of a service not given back', { what, error });
      }
    }),
  );
}

function placeOf(server: ServerContext, address: string): { readonly key: string; readonly storage: ResourceStorage } {
  const registration = server.registry.get(IP_ADDRESSES);
  return { key: keyOf(registration, undefined, address), storage: server.storageOf(registration) };
}
