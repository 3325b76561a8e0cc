/** IPAddress objects of services, as data (upstream: pkg/registry/core/service/ipallocator). Pure. */
import {
  HEADLESS,
  type IPAddress,
  isIpAddress,
  isIpv6Address,
  type ParentReference,
  type Service,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';

export const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';
export const ALLOCATOR = 'ipallocator.k8s.io';
const FAMILY = 'ipaddress.kubernetes.io/ip-family';

/** The addresses that a service has, each of which is one object. */
export function addressesOf(service: ApiObject | undefined): readonly string[] {
  const { clusterIP, clusterIPs } = (service as Service | undefined)?.spec ?? {};
  const all = clusterIPs ?? (clusterIP ? [clusterIP] : []);
  return all.filter((address) => address !== HEADLESS && isIpAddress(address));
}

/** @param now RFC 3339 */
export function newAddressObject(
  address: string,
  service: ApiObject,
  { uid, now }: { readonly uid: string; readonly now: string },
): ApiObject {
  const { namespace = '', name = '' } = service.metadata;
  const labels = { [FAMILY]: isIpv6Address(address) ? 'IPv6' : 'IPv4', [MANAGED_BY]: ALLOCATOR };
  const parentRef: ParentReference = { resource: 'services', namespace, name };
  const object = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: address, uid, creationTimestamp: now, labels },
    spec: { parentRef },
  };
  return object;
}

/** Whether the address was given to this service. */
export function isAddressOf(address: ApiObject, service: ApiObject): boolean {
  const parent = (address as IPAddress).spec?.parentRef;
  const { namespace, name } = service.metadata;
  return (
    (parent?.group ?? '') === '' &&
    parent?.resource === 'services' &&
    parent.namespace === namespace &&
    parent.name === name
  );
}
