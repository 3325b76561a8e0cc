/**
 * Gives a service its address and its node ports: the requested ones if they are free, else random free ones. Pure: the
 * caller knows what is taken, and makes the choice of an address final by creating its IPAddress (`hold-addresses.ts`).
 */
import {
  child,
  type FieldError,
  index,
  invalidValue,
  type Ipv4Range,
  ipv4ToNumber,
  isHeadless,
  isInRange,
  isIpv4Address,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
  numberToIpv4,
  type Service,
  type ServicePort,
  type ServiceSpec,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { MAX_STATIC_ADDRESSES, MIN_STATIC_ADDRESSES, NODE_PORTS, STATIC_NODE_PORTS } from './limits.ts';

export interface Allocation {
  readonly object: ApiObject;
  readonly errors: readonly FieldError[];
}

export interface AllocationInputs {
  /** The ranges to give from, the cluster's own first. */
  readonly ranges: readonly Ipv4Range[];
  /** Whether somebody else has the address. */
  readonly isTaken: (address: string) => boolean;
  /** The ports on the nodes that other services have; asked only for services that need some. */
  readonly takenNodePorts: () => ReadonlySet<number>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** The address of the `kubernetes` service, which no other service gets: the first of the range. */
export function firstAddress(range: Ipv4Range): string {
  return numberToIpv4(range.base + 1);
}

export function allocateService(object: ApiObject, inputs: AllocationInputs): Allocation {
  const { spec } = object as Service;
  if (spec === undefined) return { object, errors: [] };
  const errors: FieldError[] = [];
  const draft: ServiceSpec = { ...spec };
  allocateAddress(object, draft, inputs, errors);
  allocatePorts(draft, inputs, errors);
  return { object: { ...object, spec: draft }, errors };
}

function allocateAddress(object: ApiObject, spec: ServiceSpec, inputs: AllocationInputs, errors: FieldError[]): void {
  if (!needsClusterIp(spec) || isHeadless(spec)) return;
  const { ranges } = inputs;
  const isKubernetes = object.metadata.namespace === 'default' && object.metadata.name === 'kubernetes';
  const reserved = isKubernetes || ranges[0] === undefined ? undefined : firstAddress(ranges[0]);
  const isTaken = (address: string): boolean => address === reserved || inputs.isTaken(address);
  const asked = spec.clusterIP ?? '';
  // Validation handles values that are no addresses.
  if (asked !== '') {
    if (isIpv4Address(asked)) errors.push(...refuseAddress(asked, spec, ranges, isTaken));
    return;
  }
  const free = firstOf(ranges, (range) => freeAddress(range, isTaken, inputs.random));
  if (free === undefined) {
    const text =
      ranges.length === 0
        ? 'failed to allocate a serviceIP: no ServiceCIDR is ready'
        : 'failed to allocate a serviceIP: range is full';
    errors.push({ type: 'InternalError', field: 'spec.clusterIPs', body: `Internal error: ${text}` });
    return;
  }
  spec.clusterIP = free;
  spec.clusterIPs = [free];
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function refuseAddress(
  asked: string,
  spec: ServiceSpec,
  ranges: readonly Ipv4Range[],
  isTaken: (address: string) => boolean,
): FieldError[] {
  const names = ranges.map(({ text }) => text).join(', ');
  const problem = !ranges.some((range) => isUsable(range, asked))
    ? `the provided IP (${asked}) is not in the valid range. The range of valid IPs is ${names}`
    : isTaken(asked)
      ? 'provided IP is already allocated'
      : undefined;
  if (problem === undefined) return [];
  return [invalidValue('spec.clusterIPs', spec.clusterIPs ?? [asked], `failed to allocate IP ${asked}: ${problem}`)];
}

/** Neither the network's own address nor the last one is given out. */
export function isUsable(range: Ipv4Range, address: string): boolean {
  const offset = ipv4ToNumber(address) - range.base;
  return isInRange(range, address) && offset > 0 && offset < range.size - 1;
}

/** From a random place of the upper part on, around; then of the lower part, which people choose from. */
function freeAddress(
  range: Ipv4Range,
  isTaken: (address: string) => boolean,
  random: () => number,
): string | undefined {
  const band = Math.min(Math.max(MIN_STATIC_ADDRESSES, Math.floor(range.size / 16)), MAX_STATIC_ADDRESSES);
  // Neither the network's own address nor the last one.
  const [first, end] = [1, range.size - 1];
  const split = Math.min(band + first, end);
  const offset =
    firstFree(split, end, random, (at) => !isTaken(numberToIpv4(range.base + at))) ??
    firstFree(first, split, random, (at) => !isTaken(numberToIpv4(range.base + at)));
  return offset === undefined ? undefined : numberToIpv4(range.base + offset);
}

function firstFree(
  first: number,
  end: number,
  random: () => number,
  isFree: (at: number) => boolean,
): number | undefined {
  const count = end - first;
  if (count <= 0) return undefined;
  const start = Math.floor(random() * count);
  for (let step = 0; step < count; step++) {
    const at = first + ((start + step) % count);
    if (isFree(at)) return at;
  }
  return undefined;
}

/** A port on the nodes belongs to one service, which may use it for several protocols. */
function allocatePorts(spec: ServiceSpec, { takenNodePorts, random }: AllocationInputs, errors: FieldError[]): void {
  if (!needsNodePorts(spec) && spec.type !== 'LoadBalancer') return;
  const taken = takenNodePorts();
  const allocated = new Map<number, Set<string>>();
  const claim = (port: number, protocol: string, field: string): void => {
    if (port < NODE_PORTS.first || port > NODE_PORTS.last) {
      const text = `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`;
      errors.push(invalidValue(field, port, text));
    } else if (taken.has(port)) errors.push(invalidValue(field, port, 'provided port is already allocated'));
    allocated.set(port, (allocated.get(port) ?? new Set()).add(protocol));
  };
  spec.ports?.forEach(({ nodePort, protocol = 'TCP' }, position) => {
    if (nodePort) claim(nodePort, protocol, child(index('spec.ports', position), 'nodePort'));
  });
  if (needsNodePorts(spec) && (spec.ports?.length ?? 0) > NODE_PORTS.last - NODE_PORTS.first) {
    errors.push(noPort('spec.ports'));
    return;
  }
  if (needsNodePorts(spec)) {
    spec.ports = spec.ports?.map((port, position): ServicePort => {
      if (port.nodePort) return port;
      const shared = sharedPort(spec.ports ?? [], position);
      const free = shared ?? freePort(taken, allocated, random);
      if (free === undefined) errors.push(noPort(child(index('spec.ports', position), 'nodePort')));
      else allocated.set(free, (allocated.get(free) ?? new Set()).add(port.protocol ?? 'TCP'));
      return free === undefined ? port : { ...port, nodePort: free };
    });
  }
  if (!needsHealthCheckPort(spec)) return;
  if (spec.healthCheckNodePort) {
    claim(spec.healthCheckNodePort, 'TCP', 'spec.healthCheckNodePort');
    return;
  }
  const free = freePort(taken, allocated, random);
  if (free === undefined) errors.push(noPort('spec.healthCheckNodePort'));
  else spec.healthCheckNodePort = free;
}

/** The same port number for another protocol (DNS by TCP and UDP) gets the same node port, if one is given. */
function sharedPort(ports: readonly ServicePort[], position: number): number | undefined {
  const own = ports[position];
  const twin = ports.find(
    (port) => port !== own && port.port === own?.port && port.protocol !== own.protocol && port.nodePort,
  );
  return twin?.nodePort;
}

function freePort(
  taken: ReadonlySet<number>,
  allocated: ReadonlyMap<number, unknown>,
  random: () => number,
): number | undefined {
  const isFree = (port: number): boolean => !taken.has(port) && !allocated.has(port);
  const split = NODE_PORTS.first + STATIC_NODE_PORTS;
  return firstFree(split, NODE_PORTS.last + 1, random, isFree) ?? firstFree(NODE_PORTS.first, split, random, isFree);
}

function noPort(field: string): FieldError {
  return { type: 'InternalError', field, body: 'Internal error: failed to allocate a nodePort: range is full' };
}

export function nodePortsOf(spec: ServiceSpec): number[] {
  const ports = (spec.ports ?? []).map((port) => port.nodePort ?? 0);
  return [...ports, spec.healthCheckNodePort ?? 0].filter((port) => port !== 0);
}
