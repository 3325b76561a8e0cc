/** Warnings about likely mistakes in a pod's containers: hidden variables, duplicate ports, fractions of bytes. Pure. */
import { child, index } from '../field-error.ts';
import type { Container, ContainerPort, EnvVar } from '../types.gen.ts';
import { fractionalBytes } from './whole-bytes.ts';

export interface PlacedContainer {
  readonly container: Container;
  readonly path: string;
}

const BYTES = ['memory', 'ephemeral-storage'];

/** For one container. */
export function containerWarnings({ container, path }: PlacedContainer): string[] {
  const { env = [], resources } = container;
  const { limits, requests } = resources ?? {};
  return [
    ...(limits === undefined ? [] : fractionalBytes(limits, BYTES, child(path, 'resources', 'limits'))),
    ...(requests === undefined ? [] : fractionalBytes(requests, BYTES, child(path, 'resources', 'requests'))),
    ...(env.length < 2 ? [] : hiddenVariables(env, child(path, 'env'))),
  ];
}

/** A variable may build on an earlier one of its name; it may not hide it. */
function hiddenVariables(env: readonly EnvVar[], path: string): string[] {
  const names = new Set<string>();
  return env.flatMap(({ name, value = '', valueFrom }, position) => {
    const isNew = !names.has(name);
    names.add(name);
    const reference = `$(${name})`;
    if (isNew || (valueFrom === undefined && value !== reference && value.includes(reference))) return [];
    const text = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return [`${index(path, position)}: ${text}`];
  });
}

interface PlacedPort {
  readonly port: ContainerPort;
  readonly path: string;
}

/** For the ports of all containers of a pod, which share its address. */
export function portWarnings(containers: readonly PlacedContainer[]): string[] {
  const warnings: string[] = [];
  const taken = new Map<string, PlacedPort[]>();
  for (const { container, path: at } of containers) {
    (container.ports ?? []).forEach((port, position) => {
      const path = index(child(at, 'ports'), position);
      if (port.hostIP && !port.hostPort) warnings.push(`${path}: hostIP set without hostPort: ${shown(port)}`);
      const same = `${port.containerPort}/${port.protocol}`;
      const others = taken.get(same) ?? [];
      for (const other of others) {
        const word = clash(port, other.port);
        if (word !== undefined) warnings.push(`${path}: ${word} port definition with ${other.path}`);
      }
      taken.set(same, [...others, { port, path }]);
    });
  }
  return warnings;
}

function clash(one: ContainerPort, other: ContainerPort): string | undefined {
  const [hostPort, otherPort] = [one.hostPort ?? 0, other.hostPort ?? 0];
  const [hostIp, otherIp] = [one.hostIP ?? '', other.hostIP ?? ''];
  if (hostIp === otherIp && hostPort === otherPort) return 'duplicate';
  if (hostPort === 0 || otherPort === 0) return 'overlapping';
  return hostPort === otherPort && (hostIp === '') !== (otherIp === '') ? 'dangerously ambiguous' : undefined;
}

/** As Go prints the structure. */
function shown({ name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' }: ContainerPort): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}
