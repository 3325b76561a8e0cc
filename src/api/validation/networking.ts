/** Validation of ServiceCIDRs and IPAddresses (upstream `ValidateServiceCIDR`, `ValidateIPAddress` and their siblings). */
import { child, type FieldError, index, invalidValue, required } from '../field-error.ts';
import { isIpAddress } from '../ip-address.ts';
import { checkCidr, isIpv4Cidr } from '../ip-cidr.ts';
import { checkDns1123Subdomain, checkPathSegment } from '../names.ts';
import type { IPAddress, ServiceCIDR } from '../types.gen.ts';
import { checkValue, IMMUTABLE, immutable, requireValue } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const ONE_OF_EACH = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

export function validateServiceCidr(object: ServiceCIDR): FieldError[] {
  const cidrs = object.spec?.cidrs ?? [];
  const errors = validateObjectMeta(object.metadata, false, checkDns1123Subdomain);
  if (cidrs.length === 0) return [...errors, required('spec.cidrs', 'at least one CIDR required')];
  if (cidrs.length > 2) return [...errors, invalidValue('spec.cidrs', cidrs, 'may only hold up to 2 values')];
  const [first = '', second] = cidrs;
  if (second !== undefined && isIpv4Cidr(first) === isIpv4Cidr(second))
    errors.push(invalidValue('spec.cidrs', cidrs, ONE_OF_EACH));
  cidrs.forEach((text, position) => errors.push(...checkValue(index('spec.cidrs', position), text, checkCidr)));
  return errors;
}

/** A second family may be added; what is there stays. */
export function validateServiceCidrUpdate(object: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const [next, last] = [object.spec?.cidrs ?? [], old.spec?.cidrs ?? []];
  const errors = validateObjectMetaUpdate(object.metadata, old.metadata);
  if (next.length < last.length) errors.push(invalidValue('spec.cidrs', next, IMMUTABLE));
  last.forEach((text, position) => {
    const now = next[position];
    if (now !== undefined && now !== text) errors.push(invalidValue(index('spec.cidrs', position), now, IMMUTABLE));
  });
  if (next.length <= last.length) return errors;
  return [...errors, ...validateServiceCidr(object).filter(({ field }) => field.startsWith('spec'))];
}

export function validateServiceCidrStatus(object: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  return validateObjectMetaUpdate(object.metadata, old.metadata);
}

/** The name is the address itself, in its one canonical spelling. */
export function validateIpAddress(object: IPAddress): FieldError[] {
  return [...validateObjectMeta(object.metadata, false, checkAddressName), ...validateParent(object)];
}

export function validateIpAddressUpdate(object: IPAddress, old: IPAddress): FieldError[] {
  return [
    ...validateObjectMetaUpdate(object.metadata, old.metadata),
    ...immutable('spec.parentRef', object.spec?.parentRef, old.spec?.parentRef),
  ];
}

function checkAddressName(name: string): readonly string[] {
  if (!isIpAddress(name)) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  const canonical = name.includes(':') ? canonicalIpv6(name) : name;
  return canonical === name ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

/** The spelling of RFC 5952, as URLs have it. */
function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

function validateParent({ spec }: IPAddress): FieldError[] {
  const parent = spec?.parentRef;
  const path = 'spec.parentRef';
  if (parent === undefined) return [required(path)];
  const segment = (name: 'resource' | 'name' | 'namespace'): FieldError[] =>
    parent[name] ? checkValue(child(path, name), parent[name], checkPathSegment) : [];
  return [
    ...(parent.group ? checkValue(child(path, 'group'), parent.group, checkDns1123Subdomain) : []),
    ...requireValue(child(path, 'resource'), parent.resource, checkPathSegment),
    ...requireValue(child(path, 'name'), parent.name, checkPathSegment),
    ...segment('namespace'),
  ];
}
