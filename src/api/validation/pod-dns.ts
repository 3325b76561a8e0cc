/** Validation of a pod's DNS settings and host aliases (upstream `validatePodDNSConfig`, `ValidateHostAliases`). */
import { child, type FieldError, index, invalidValue, required, tooMany } from '../field-error.ts';
import { isIpAddress } from '../ip-address.ts';
import { checkDns1123Subdomain } from '../names.ts';
import type { HostAlias, PodDNSConfig, PodSpec } from '../types.gen.ts';
import { checkValue, requireOneOf } from './messages.ts';

const POLICIES = ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'];
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_LENGTH = 2048;

export function validateDns(spec: PodSpec, path: string): FieldError[] {
  const errors = requireOneOf(child(path, 'dnsPolicy'), spec.dnsPolicy, POLICIES);
  const at = child(path, 'dnsConfig');
  if (spec.dnsPolicy === 'None') {
    if (spec.dnsConfig === undefined) errors.push(required(at, 'must provide `dnsConfig` when `dnsPolicy` is None'));
    else if (!spec.dnsConfig.nameservers?.length) {
      errors.push(
        required(child(at, 'nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
      );
    }
  }
  return spec.dnsConfig === undefined ? errors : [...errors, ...validateDnsConfig(spec.dnsConfig, at)];
}

function validateDnsConfig(config: PodDNSConfig, path: string): FieldError[] {
  const { nameservers = [], searches = [], options = [] } = config;
  const errors: FieldError[] = [];
  if (nameservers.length > MAX_NAMESERVERS) {
    errors.push(
      invalidValue(child(path, 'nameservers'), nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`),
    );
  }
  nameservers.forEach((server, position) =>
    errors.push(...validateIp(server, index(child(path, 'nameservers'), position))),
  );
  if (searches.length > MAX_SEARCHES) errors.push(tooMany(child(path, 'searches'), searches.length, MAX_SEARCHES));
  if (searches.join(' ').length > MAX_SEARCH_LENGTH) {
    errors.push(
      invalidValue(
        child(path, 'searches'),
        searches,
        `must not have more than ${MAX_SEARCH_LENGTH} characters (including spaces) in the search list`,
      ),
    );
  }
  searches.forEach((search, position) => {
    const bare = search === '.' ? 'a' : search.replace(/\.$/, '').replaceAll('_', 'a');
    errors.push(
      ...checkDns1123Subdomain(bare).map((message) =>
        invalidValue(index(child(path, 'searches'), position), search, message),
      ),
    );
  });
  options.forEach((option, position) => {
    if (!option.name) errors.push(required(index(child(path, 'options'), position), 'must not be empty'));
  });
  return errors;
}

export function validateHostAliases(aliases: readonly HostAlias[] | undefined, path: string): FieldError[] {
  return (aliases ?? []).flatMap((alias, position) => {
    const at = index(path, position);
    const names = (alias.hostnames ?? []).flatMap((name, place) =>
      checkValue(index(child(at, 'hostnames'), place), name, checkDns1123Subdomain),
    );
    return [...validateIp(alias.ip ?? '', child(at, 'ip')), ...names];
  });
}

export function validateIp(address: string, path: string): FieldError[] {
  return isIpAddress(address)
    ? []
    : [invalidValue(path, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
}
