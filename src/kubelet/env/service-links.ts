/**
 * Variables by which a container finds the services of its namespace, in upstream's order and Docker's old shape
 * (kubelet/envvars/envvars.go). Pure.
 */
import type { Pod, Service, ServicePort } from '../../api/index.ts';

export interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
}

/** The API server's own service: all pods get its variables, made of the address at which it is really reached. */
const API_SERVICE = 'kubernetes';

/** The services whose variables `pod` gets: those of its namespace, unless it turns them off. */
export function linkedServices(services: readonly Service[], pod: Pod): readonly Service[] {
  if (pod.spec?.enableServiceLinks === false) return [];
  const namespace = pod.metadata?.namespace ?? 'default';
  return services.filter(({ metadata }) => metadata?.namespace === namespace && metadata.name !== API_SERVICE);
}

/** The service of the API server. */
export function apiService(services: readonly Service[]): Service | undefined {
  return services.find(({ metadata }) => metadata?.namespace === 'default' && metadata.name === API_SERVICE);
}

/** A service without an address or a port has no variables. */
export function variablesOf({ metadata, spec }: Service): readonly EnvironmentVariable[] {
  const address = spec?.clusterIP ?? '';
  const ports = spec?.ports ?? [];
  const [first] = ports;
  if (address === '' || address === 'None' || first === undefined) return [];
  const prefix = variableName(metadata?.name ?? '');
  return [
    { name: `${prefix}_SERVICE_HOST`, value: address },
    { name: `${prefix}_SERVICE_PORT`, value: String(first.port) },
    ...ports
      .filter(({ name = '' }) => name !== '')
      .map(({ name = '', port }) => ({ name: `${prefix}_SERVICE_PORT_${variableName(name)}`, value: String(port) })),
    { name: `${prefix}_PORT`, value: url(address, first) },
    ...ports.flatMap((port) => portVariables(prefix, address, port)),
  ];
}

function portVariables(prefix: string, address: string, given: ServicePort): readonly EnvironmentVariable[] {
  const protocol = given.protocol ?? 'TCP';
  const name = `${prefix}_PORT_${given.port}_${protocol}`;
  return [
    { name, value: url(address, given) },
    { name: `${name}_PROTO`, value: protocol.toLowerCase() },
    { name: `${name}_PORT`, value: String(given.port) },
    { name: `${name}_ADDR`, value: address },
  ];
}

function url(address: string, { port, protocol = 'TCP' }: ServicePort): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return `${protocol.toLowerCase()}://${host}:${port}`;
}

function variableName(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}
