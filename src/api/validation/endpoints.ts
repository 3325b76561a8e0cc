/** Validation of Endpoints and EndpointSlices (upstream `ValidateEndpoints`, `ValidateEndpointSlice`). */
import { child, duplicate, type FieldError, index, invalidValue, required } from '../field-error.ts';
import { type AddressScope, isIpAddress, isIpv4Address, isIpv6Address, scopeOfIp } from '../ip-address.ts';
import { checkDns1123Label, checkDns1123Subdomain, checkLabelKey, checkPortNumber } from '../names.ts';
import type {
  DiscoveryEndpointPort,
  Endpoint,
  EndpointAddress,
  EndpointPort,
  Endpoints,
  EndpointSlice,
  EndpointSubset,
} from '../types.gen.ts';
import { checkValue, immutable, requireOneOf } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];
const ADDRESS_TYPES: readonly string[] = ['FQDN', 'IPv4', 'IPv6'];

export function validateEndpoints(endpoints: Endpoints): FieldError[] {
  return [...validateObjectMeta(endpoints.metadata, true, checkDns1123Subdomain), ...validateSubsets(endpoints)];
}

export function validateEndpointsUpdate(endpoints: Endpoints, old: Endpoints): FieldError[] {
  return [...validateObjectMetaUpdate(endpoints.metadata, old.metadata), ...validateSubsets(endpoints)];
}

function validateSubsets({ subsets = [] }: Endpoints): FieldError[] {
  return subsets.flatMap((subset, position) => validateSubset(subset, index('subsets', position)));
}

function validateSubset(
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (addresses.length + notReadyAddresses.length === 0)
    errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
  addresses.forEach((address, position) =>
    errors.push(...validateAddress(address, index(child(path, 'addresses'), position))),
  );
  notReadyAddresses.forEach((address, position) =>
    errors.push(...validateAddress(address, index(child(path, 'notReadyAddresses'), position))),
  );
  ports.forEach((port, position) =>
    errors.push(...validatePort(port, ports.length > 1, index(child(path, 'ports'), position))),
  );
  return errors;
}

function validateAddress({ ip, hostname, nodeName }: EndpointAddress, path: string): FieldError[] {
  const errors = validateEndpointIp(ip ?? '', child(path, 'ip'));
  if (hostname) errors.push(...checkValue(child(path, 'hostname'), hostname, checkDns1123Label));
  if (nodeName !== undefined) errors.push(...checkValue(child(path, 'nodeName'), nodeName, checkDns1123Subdomain));
  return errors;
}

/** An address that other machines cannot reach is no endpoint. */
function validateEndpointIp(text: string, path: string): FieldError[] {
  if (!isIpAddress(text))
    return [invalidValue(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  const refused = REFUSED_SCOPES[scopeOfIp(text) ?? 'unspecified'];
  return refused === undefined ? [] : [invalidValue(path, text, refused.replace('%s', text))];
}

const REFUSED_SCOPES: Readonly<Partial<Record<AddressScope, string>>> = {
  unspecified: 'may not be unspecified (%s)',
  loopback: 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  'link-local': 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  'link-local multicast': 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
};

function validatePort(port: EndpointPort, needsName: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (needsName && !port.name) errors.push(required(child(path, 'name')));
  else if (port.name) errors.push(...checkValue(child(path, 'name'), port.name, checkDns1123Label));
  errors.push(...checkPortNumber(port.port).map((message) => invalidValue(child(path, 'port'), port.port, message)));
  errors.push(...requireOneOf(child(path, 'protocol'), port.protocol, PROTOCOLS));
  if (port.appProtocol !== undefined)
    errors.push(...checkValue(child(path, 'appProtocol'), port.appProtocol, checkLabelKey));
  return errors;
}

export function validateEndpointSlice(slice: EndpointSlice): FieldError[] {
  return [...validateObjectMeta(slice.metadata, true, checkDns1123Subdomain), ...validateSlice(slice)];
}

export function validateEndpointSliceUpdate(slice: EndpointSlice, old: EndpointSlice): FieldError[] {
  return [
    ...validateObjectMetaUpdate(slice.metadata, old.metadata),
    ...immutable('addressType', slice.addressType, old.addressType),
    ...validateSlice(slice),
  ];
}

function validateSlice(slice: EndpointSlice): FieldError[] {
  const { addressType } = slice;
  const endpoints = slice.endpoints ?? [];
  const ports = slice.ports ?? [];
  const errors = requireOneOf('addressType', addressType, ADDRESS_TYPES);
  endpoints.forEach((endpoint, position) =>
    errors.push(...validateEndpoint(endpoint, addressType, index('endpoints', position))),
  );
  const names = new Set<string>();
  ports.forEach((port, position) => {
    const at = index('ports', position);
    errors.push(...validateSlicePort(port, at));
    if (names.has(port.name ?? '')) errors.push(duplicate(child(at, 'name'), port.name ?? ''));
    names.add(port.name ?? '');
  });
  return errors;
}

function validateEndpoint(endpoint: Partial<Endpoint>, addressType: string, path: string): FieldError[] {
  const { hostname, nodeName, hints } = endpoint;
  const addresses = endpoint.addresses ?? [];
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(child(path, 'addresses'), 'must contain at least 1 address'));
  addresses.forEach((address, position) => {
    const at = index(child(path, 'addresses'), position);
    if (addressType === 'FQDN') errors.push(...checkValue(at, address, checkDns1123Subdomain));
    else if (addressType === 'IPv4' && !isIpv4Address(address))
      errors.push(invalidValue(at, address, 'must be a valid IPv4 address'));
    else if (addressType === 'IPv6' && !isIpv6Address(address))
      errors.push(invalidValue(at, address, 'must be a valid IPv6 address'));
    else errors.push(...validateEndpointIp(address, at));
  });
  if (nodeName !== undefined) errors.push(...checkValue(child(path, 'nodeName'), nodeName, checkDns1123Subdomain));
  if (hostname !== undefined) errors.push(...checkValue(child(path, 'hostname'), hostname, checkDns1123Label));
  for (const list of ['forZones', 'forNodes'] as const) {
    const entries = hints?.[list] ?? [];
    const at = child(path, 'hints', list);
    entries.forEach(({ name }: { name?: string }, position) => {
      const check = list === 'forNodes' ? checkDns1123Subdomain : checkLabelKey;
      // A zone without a name is let through, as upstream does.
      if (name || list === 'forNodes')
        errors.push(...checkValue(child(index(at, position), 'name'), name ?? '', check));
    });
  }
  return errors;
}

function validateSlicePort(port: DiscoveryEndpointPort, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (port.name) errors.push(...checkValue(child(path, 'name'), port.name, checkDns1123Label));
  // Upstream lets 0 through, which means any.
  if (port.port)
    errors.push(...checkPortNumber(port.port).map((message) => invalidValue(child(path, 'port'), port.port, message)));
  errors.push(...requireOneOf(child(path, 'protocol'), port.protocol, PROTOCOLS));
  if (port.appProtocol !== undefined)
    errors.push(...checkValue(child(path, 'appProtocol'), port.appProtocol, checkLabelKey));
  return errors;
}
