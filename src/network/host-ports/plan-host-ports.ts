/** Which host port of this node leads to which pod. Pure. */
import { addressText, isPort } from '../router/safe-values.ts';
import type { ElementName } from '../router/table-state.ts';
import { BOUND, OPEN } from './pod-table-text.ts';

/** A host port as a pod wants it. */
export interface WantedPort {
  readonly protocol: string;
  readonly containerPort: number;
  readonly hostPort: number;
  /** An address of this machine; '' and 0.0.0.0: all of them. */
  readonly hostIp: string;
}

/** A sandbox that is ready and has a network of its own. */
export interface MappedSandbox {
  /** Orders sandboxes; in any unit. */
  readonly createdAt: number;
  readonly addresses: readonly string[];
  readonly ports: readonly WantedPort[];
}

/** "bound 192.168.0.1 . tcp . 8080" or "open tcp . 8080". */
export type HostPortName = string;

export interface HostPortPlan {
  /** "10.244.0.7 . 80", by the name of the host port. */
  readonly targets: ReadonlyMap<HostPortName, string>;
  /** Those that no rule can be made for: IPv6, for instance. */
  readonly leftOut: readonly LeftOut[];
}

export interface LeftOut {
  readonly podUid: string;
  readonly what: string;
  readonly why: string;
}

const PROTOCOLS: Readonly<Record<string, string>> = { '': 'tcp', TCP: 'tcp', UDP: 'udp', SCTP: 'sctp' };

/**
 * Of two sandboxes with one host port the older one has it, as with portmap, where the first rule wins. Of two with one
 * address the younger one has the address: it was given out again.
 */
export function planHostPorts(pods: ReadonlyMap<string, MappedSandbox>): HostPortPlan {
  const oldestFirst = [...pods].toSorted(([one, a], [other, b]) => a.createdAt - b.createdAt || (one < other ? -1 : 1));
  const ownerOf = new Map(oldestFirst.flatMap(([uid, { addresses }]) => addresses.map((each) => [each, uid] as const)));
  const targets = new Map<HostPortName, string>();
  const leftOut: LeftOut[] = [];
  for (const [podUid, { addresses, ports }] of oldestFirst) {
    const ip = addresses.flatMap((each) => (ownerOf.get(each) === podUid ? (addressText(each) ?? []) : []))[0];
    for (const port of ports) {
      const what = `${port.hostIp === '' ? '*' : port.hostIp}:${port.hostPort}/${port.protocol || 'TCP'}`;
      const name = hostPortName(port);
      if (name === undefined || !isPort(port.containerPort)) {
        leftOut.push({ podUid, what, why: 'it is no address, port or protocol of IPv4' });
      } else if (ip === undefined) {
        leftOut.push({ podUid, what, why: 'the pod has no IPv4 address of its own' });
      } else if (targets.has(name)) {
        leftOut.push({ podUid, what, why: 'an older pod has it' });
      } else {
        targets.set(name, `${ip} . ${port.containerPort}`);
      }
    }
  }
  return { targets, leftOut };
}

function hostPortName({ protocol, hostPort, hostIp }: WantedPort): HostPortName | undefined {
  const known = PROTOCOLS[protocol];
  if (known === undefined || !isPort(hostPort)) return undefined;
  if (hostIp === '' || hostIp === '0.0.0.0') return `open ${known} . ${hostPort}`;
  const address = addressText(hostIp);
  return address === undefined ? undefined : `bound ${address} . ${known} . ${hostPort}`;
}

/** The elements of our table for these host ports. The value is '' in a set. */
export function elementsOf(targets: ReadonlyMap<HostPortName, string>): ReadonlyMap<ElementName, string> {
  const elements = new Map<ElementName, string>();
  for (const [name, target] of targets) {
    const [kind, key] = splitName(name);
    const { set, map } = kind === 'bound' ? BOUND : OPEN;
    elements.set(`${set} ${key}`, '');
    elements.set(`${map} ${key}`, target);
  }
  return elements;
}

/** The way back: what a table that was found says of host ports. */
export function targetsIn(elements: ReadonlyMap<ElementName, string>): ReadonlyMap<HostPortName, string> {
  const targets = new Map<HostPortName, string>();
  for (const [name, value] of elements) {
    const [set, key] = splitName(name);
    if (set === BOUND.map) targets.set(`bound ${key}`, value);
    else if (set === OPEN.map) targets.set(`open ${key}`, value);
  }
  return targets;
}

/** The first word, and the rest. */
export function splitName(name: string): readonly [first: string, rest: string] {
  const space = name.indexOf(' ');
  return [name.slice(0, space), name.slice(space + 1)];
}
