/** Validation of container ports (upstream `validateContainerPorts`, `checkHostPortConflicts`). */
import { child, duplicate, type FieldError, index, invalidValue, required } from '../field-error.ts';
import { checkPortName, checkPortNumber } from '../names.ts';
import type { Container, ContainerPort } from '../types.gen.ts';
import { checkValue, requireOneOf } from './messages.ts';

export function validatePorts(ports: readonly ContainerPort[] | undefined, path: string): FieldError[] {
  const names = new Set<string>();
  return (ports ?? []).flatMap((port, position) => {
    const at = index(path, position);
    const errors = port.name ? checkValue(child(at, 'name'), port.name, checkPortName) : [];
    if (port.name && errors.length === 0) {
      if (names.has(port.name)) errors.push(duplicate(child(at, 'name'), port.name));
      names.add(port.name);
    }
    if (!port.containerPort) errors.push(required(child(at, 'containerPort')));
    else errors.push(...checkNumber(child(at, 'containerPort'), port.containerPort));
    if (port.hostPort) errors.push(...checkNumber(child(at, 'hostPort'), port.hostPort));
    return [...errors, ...requireOneOf(child(at, 'protocol'), port.protocol, ['SCTP', 'TCP', 'UDP'])];
  });
}

function checkNumber(field: string, port: number): FieldError[] {
  return checkPortNumber(port).map((message) => invalidValue(field, port, message));
}

/** Two containers that run at once can't have the same port of the host. Containers come with their paths. */
export function validateHostPorts(
  containers: readonly (readonly [path: string, container: Container])[],
): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(([path, container]) =>
    (container.ports ?? []).flatMap((port, position) => {
      if (!port.hostPort) return [];
      const name = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      const known = taken.has(name);
      taken.add(name);
      return known ? [duplicate(child(index(child(path, 'ports'), position), 'hostPort'), name)] : [];
    }),
  );
}
