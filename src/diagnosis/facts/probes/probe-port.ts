/** Finds the port that a probe asks. */
import type { Container, Probe } from '../../evidence/kinds.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';

/** The probe's port as a number; a name is looked up among the container's ports. */
export function probePort(container: ContainerFacts, probe: Probe): number | undefined {
  return portOfProbe(container.spec.ports, probe);
}

/** @param ports the ports that the container declares */
export function portOfProbe(ports: Container['ports'], probe: Probe): number | undefined {
  const port = probe.httpGet?.port ?? probe.tcpSocket?.port ?? probe.grpc?.port;
  if (typeof port === 'number') return port;
  if (port === undefined) return undefined;
  if (/^\d+$/.test(port)) return Number(port);
  return ports?.find(({ name }) => name === port)?.containerPort;
}
