/** Endpoints that somebody wrote for a service and that are no service's, because their label or name is another. Pure. */
import type { EndpointSlice, Endpoints, Service } from '../../../api/index.ts';
import { nearNames } from '../../../lib/index.ts';
import type { StrayEndpoints } from '../../evidence/pod-evidence.ts';
import { listed } from '../words/text.ts';

/** The label that says of which service a slice is. */
const SERVICE_LABEL = 'kubernetes.io/service-name';
/** Others of no service are told only where they are so few. */
const MAX_STRANGERS = 2;

export interface WrittenObjects {
  readonly slices: readonly EndpointSlice[];
  readonly endpoints: readonly Endpoints[];
  readonly services: readonly Service[];
}

/** Those with nearly its name; without one, others that are of no service, if they are few. */
export function strayEndpoints(
  name: string,
  { slices, endpoints, services }: WrittenObjects,
): readonly StrayEndpoints[] {
  const known = new Set(services.map(({ metadata }) => metadata?.name ?? ''));
  const all: readonly StrayEndpoints[] = [
    ...slices.filter(isByHand).flatMap(({ metadata }): readonly StrayEndpoints[] => {
      const service = metadata?.labels?.[SERVICE_LABEL];
      const of = { kind: 'endpointslice' as const, name: metadata?.name ?? '' };
      if (service === undefined || service === '') return [of];
      return known.has(service) ? [] : [{ ...of, service }];
    }),
    ...endpoints.flatMap(({ metadata, subsets = [] }): readonly StrayEndpoints[] => {
      const own = metadata?.name ?? '';
      // Locks of leaders are such objects, too, without addresses.
      return known.has(own) || subsets.length === 0 ? [] : [{ kind: 'endpoints', name: own, service: own }];
    }),
  ];
  const near = all.filter((one) => isNear(name, one));
  return near.length > 0 || all.length <= MAX_STRANGERS
    ? [...near, ...all.filter((one) => !near.includes(one))].slice(0, MAX_STRANGERS)
    : [];
}

/** Those of the controllers come and go with their services. */
function isByHand({ metadata, endpoints }: EndpointSlice): boolean {
  const manager = metadata?.labels?.['endpointslice.kubernetes.io/managed-by'] ?? '';
  return (endpoints ?? []).length > 0 && !/^endpointslice(?:mirroring)?-controller\.k8s\.io$/.test(manager);
}

function isNear(name: string, { name: own, service = '' }: StrayEndpoints): boolean {
  // A slice is called as its service, and more.
  return (
    nearNames(
      name,
      [service, own.replace(/-[a-z0-9]{1,6}$/, ''), own].filter((each) => each !== ''),
    ).length > 0
  );
}

/** "; endpointslice/legacydb-1 is labelled for service legacy-db (kubernetes.io/service-name), which does not exist" */
export function straysText(strays: readonly StrayEndpoints[]): string {
  if (strays.length === 0) return '';
  const each = strays.map(({ kind, name, service }) =>
    kind === 'endpoints'
      ? `endpoints/${name} are of a service of their own name, which does not exist`
      : service === undefined
        ? `endpointslice/${name} has no label ${SERVICE_LABEL}, which says of which service it is`
        : `endpointslice/${name} is labelled for service ${service} (${SERVICE_LABEL}), which does not exist`,
  );
  return `; ${listed(each)}`;
}

/** The words of kubectl that make the first of them the service's own; undefined: that takes a new object. */
export function adoptWords(service: string, [stray]: readonly StrayEndpoints[]): readonly string[] | undefined {
  return stray?.kind !== 'endpointslice'
    ? undefined
    : ['label', `endpointslice/${stray.name}`, `${SERVICE_LABEL}=${service}`, '--overwrite'];
}
