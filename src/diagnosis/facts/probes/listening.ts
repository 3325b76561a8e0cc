/** Compares the ports on which a pod listened when it refused a probe, as its node saw them, with the probe's port. */
import type { ListeningPort, Pod, Probe } from '../../evidence/kinds.ts';
import type { ProbeType, Quote } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { portOfProbe } from './probe-port.ts';
import { listed } from '../words/text.ts';

/** The ports on which the pod listened; `undefined`: its node did not look. */
export function listeningOf({ death, refused }: ContainerFacts, type: ProbeType): readonly ListeningPort[] | undefined {
  const ofDeath = death?.probe?.type === type ? death.probe.listening : undefined;
  return ofDeath ?? refused.find((probe) => probe.type === type)?.listening;
}

/** "8080, 127.0.0.1:9090 only, 15001 (another container)"; "none" */
export function listeningText(ports: readonly ListeningPort[]): string {
  if (ports.length === 0) return 'none';
  return ports.map((port) => `${placeText(port)}${port.own === false ? ' (another container)' : ''}`).join(', ');
}

export function listeningQuote(container: ContainerFacts, type: ProbeType): readonly Quote[] {
  const ports = listeningOf(container, type);
  return ports === undefined ? [] : [{ source: 'listening', container: container.name, ports }];
}

/** "8080", "127.0.0.1:8080 only" */
export function placeText({ port, loopback }: Pick<ListeningPort, 'port' | 'loopback'>): string {
  if (loopback === undefined) return `${port}`;
  return `${loopback.includes(':') ? `[${loopback}]` : loopback}:${port} only`;
}

/**
 * The port on which the container listens instead of `port`: "it listens on 9090", or "the pod listens on 9090" if the owner of
 * the socket is not known. A port that another container uses or claims does not count, and neither does another port on a
 * loopback address, which may well be a debugger's.
 */
export function listensInstead(
  facts: PodFacts,
  container: ContainerFacts,
  ports: readonly ListeningPort[],
): string | undefined {
  const claimed = new Set(facts.containers.flatMap((other) => (other.name === container.name ? [] : claimedBy(other))));
  const declared = declaredBy(container);
  const found = ports.filter(
    ({ port, loopback, own }) => (own ?? !claimed.has(port)) && (loopback === undefined || declared.includes(port)),
  );
  if (found.length === 0) return undefined;
  const who = found.every(({ own }) => own === true) ? 'it' : 'the pod';
  return `${who} listens on ${listed(found.map(placeText))}`;
}

/** "it listens on 127.0.0.1:8080 only", which no probe reaches. */
export function listensInside(ports: readonly ListeningPort[], port: number): string | undefined {
  const found = ports.find((each) => each.port === port && each.loopback !== undefined);
  return found && `${found.own === true ? 'it' : 'the pod'} listens on ${placeText(found)}`;
}

/** Whether a pod of the same controller is ready by a probe of this port, which proves that the port is right. */
export function isAnsweredBySibling({ evidence }: PodFacts, { name }: ContainerFacts, port: number): boolean {
  return evidence.siblings.some((pod) => {
    const probe = pod.spec?.containers.find((each) => each.name === name)?.readinessProbe;
    return probe !== undefined && portOfContainer(pod, name, probe) === port && isReady(pod, name);
  });
}

function isReady({ status }: Pod, container: string): boolean {
  return status?.containerStatuses?.find(({ name }) => name === container)?.ready === true;
}

function portOfContainer({ spec }: Pod, container: string, probe: Probe): number | undefined {
  return portOfProbe(spec?.containers.find(({ name }) => name === container)?.ports, probe);
}

function declaredBy({ spec }: ContainerFacts): readonly number[] {
  return (spec.ports ?? []).map(({ containerPort }) => containerPort);
}

/** The ports that the container declares or its probes ask. */
function claimedBy(container: ContainerFacts): readonly number[] {
  const { livenessProbe, readinessProbe, startupProbe, ports } = container.spec;
  const asked = [livenessProbe, readinessProbe, startupProbe].flatMap((probe) => {
    const port = probe === undefined ? undefined : portOfProbe(ports, probe);
    return port === undefined ? [] : [port];
  });
  return [...declaredBy(container), ...asked];
}
