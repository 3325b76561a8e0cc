/** The port that a probe asks. */
import type { Container, Probe } from '../evidence/kinds.ts';
import type { ContainerFacts } from './container-facts.ts';

/** Its port as a number; names are looked up among the container's ports. */
export function probePort(container: ContainerFacts, probe: Probe): number | undefined {
  return portOfProbe(container.spec.ports, probe);
}

/** `ports`: those that its container declares. */
export function portOfProbe(ports: Container['ports'], probe: Probe): number | undefined {
  const port = probe.httpGet?.port ?? probe.tcpSocket?.port ?? probe.grpc?.port;
  if (typeof port === 'number') return port;
  if (port === undefined) return undefined;
  if (/^\d+$/.test(port)) return Number(port);
  return ports?.find(({ name }) => name === port)?.containerPort;
}
