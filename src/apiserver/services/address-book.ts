/** What the server has stored of service addresses: ranges to give from, and who has which address. */
import {
  type Ipv4Range,
  IP_ADDRESSES,
  isIpv4Cidr,
  parseIpv4Range,
  SERVICE_CIDRS,
  type ServiceCIDR,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { keyOf } from '../registry/registration.ts';
import type { ServerContext } from '../call.ts';
import { isAddressOf } from './ip-address-object.ts';

/** The ServiceCIDR that the server itself makes of its setting. */
export const DEFAULT_CIDR_NAME = 'kubernetes';

export interface AddressBook {
  /** Ranges that are ready and stay, the cluster's own first. */
  ranges(): readonly Ipv4Range[];
  isTakenByOthers(address: string, service: ApiObject): boolean;
}

/** The book as it is now, this server's own writes included. */
export async function createAddressBook(server: ServerContext): Promise<AddressBook> {
  const [cidrs, addresses] = [server.registry.get(SERVICE_CIDRS), server.registry.get(IP_ADDRESSES)];
  const [cidrStorage, addressStorage] = [server.storageOf(cidrs), server.storageOf(addresses)];
  await Promise.all([cidrStorage.fresh(), addressStorage.fresh()]);
  return {
    ranges: () => rangesOf(cidrStorage.cache.list(cidrs.keyPrefix).map((item) => item.object)),
    isTakenByOthers: (address, service) => {
      const stored = addressStorage.cache.get(keyOf(addresses, undefined, address))?.object;
      return stored !== undefined && !isAddressOf(stored, service);
    },
  };
}

export function rangesOf(objects: readonly ApiObject[]): readonly Ipv4Range[] {
  const isOwn = ({ metadata }: ApiObject): boolean => metadata.name === DEFAULT_CIDR_NAME;
  const usable = objects.filter((object) => isReady(object) && object.metadata.deletionTimestamp === undefined);
  return [...usable.filter(isOwn), ...usable.filter((object) => !isOwn(object))].flatMap((object) =>
    ((object as ServiceCIDR).spec?.cidrs ?? [])
      .filter(isIpv4Cidr)
      .map(parseIpv4Range)
      .filter((range) => range !== undefined),
  );
}

export function isReady(object: ApiObject): boolean {
  const { conditions = [] } = (object as ServiceCIDR).status ?? {};
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
