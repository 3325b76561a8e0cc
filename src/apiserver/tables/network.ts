/** The columns of services, endpoints and endpoint slices (upstream: printService and its siblings). */
import type { Endpoints, EndpointSlice, Service, ServicePort, ServiceSpec } from '../../api/index.ts';
import { ageColumn, column, nameColumn, since, type TableKind } from './table.ts';

const NONE = '<none>';
/** Entries that one cell names. */
const MAX_LISTED = 3;

export const serviceTable: TableKind = {
  columns: [
    nameColumn,
    column('Type', { description: 'How it is reachable.' }),
    column('Cluster-IP', { description: 'Its address in the cluster.' }),
    column('External-IP', { description: 'Its addresses outside.' }),
    column('Port(s)', { description: 'Its ports, and those on the nodes.' }),
    ageColumn,
    column('Selector', { wide: true, description: 'Labels of the pods behind it.' }),
  ],
  cells: (object, now) => {
    const service = object as Service;
    const { spec = {} } = service;
    return [
      service.metadata?.name ?? '',
      spec.type ?? '',
      spec.clusterIPs?.[0] ?? (spec.clusterIP || NONE),
      externalText(service, spec),
      (spec.ports ?? []).map(portText).join(',') || NONE,
      since(service.metadata?.creationTimestamp, now),
      Object.entries(spec.selector ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join(',') || NONE,
    ];
  },
};

function externalText(service: Service, spec: ServiceSpec): string {
  const { externalIPs = [] } = spec;
  switch (spec.type) {
    case 'ExternalName':
      return spec.externalName ?? '';
    case 'LoadBalancer': {
      const ingress = (service.status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
      return [...ingress, ...externalIPs].join(',') || '<pending>';
    }
    case undefined:
    default:
      return externalIPs.join(',') || NONE;
  }
}

function portText({ port, nodePort, protocol }: ServicePort): string {
  return `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`;
}

export const endpointsTable: TableKind = {
  columns: [nameColumn, column('Endpoints', { description: 'Addresses and ports behind the service.' }), ageColumn],
  cells: (object, now) => [
    object.metadata.name ?? '',
    endpointsText(object),
    since(object.metadata.creationTimestamp, now),
  ],
};

function endpointsText({ subsets = [] }: Endpoints): string {
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  return listed(all) || NONE;
}

export const endpointSliceTable: TableKind = {
  columns: [
    nameColumn,
    column('AddressType', { description: 'What its addresses are.' }),
    column('Ports', { description: 'Ports of all its endpoints.' }),
    column('Endpoints', { description: 'Addresses of its endpoints.' }),
    ageColumn,
  ],
  cells: (object, now) => {
    const slice = object as unknown as EndpointSlice;
    const { addressType } = slice;
    const ports = slice.ports ?? [];
    const endpoints = slice.endpoints ?? [];
    return [
      object.metadata.name ?? '',
      addressType,
      ports.length === 0 ? '<unset>' : listed(ports.map(({ port, name }) => String(port ?? (name || '*')))),
      endpoints.length === 0 ? '<unset>' : listed(endpoints.flatMap(({ addresses }) => addresses)),
      since(object.metadata.creationTimestamp, now),
    ];
  },
};

function listed(all: readonly string[]): string {
  const shown = all.slice(0, MAX_LISTED).join(',');
  return all.length > MAX_LISTED ? `${shown} + ${all.length - MAX_LISTED} more...` : shown;
}
