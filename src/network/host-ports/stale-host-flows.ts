/** Flows that a change of host ports leaves with the wrong target: conntrack must forget them. Pure. */
import type { TrackedConnection } from '../router/router-machine.ts';
import type { HostPortName } from './plan-host-ports.ts';

/** A host port before and after a change; undefined: it was, or is, nobody's. */
export interface ChangedTarget {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function changedTargets(
  before: ReadonlyMap<HostPortName, string>,
  after: ReadonlyMap<HostPortName, string>,
): ReadonlyMap<HostPortName, ChangedTarget> {
  const changed = new Map<HostPortName, ChangedTarget>();
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    if (before.get(name) === after.get(name)) continue;
    changed.set(name, { before: before.get(name), after: after.get(name) });
  }
  return changed;
}

/**
 * A flow that began before its host port was there goes on to the machine itself, and one of a former pod to an address that
 * may be somebody else's by now. A port that is nobody's any more keeps the flows that never led to its pod.
 * @param flows of UDP; of TCP only those that were begun, and that nobody has answered
 * @param own addresses of this machine
 */
export function staleHostFlows(
  protocol: 'udp' | 'tcp',
  flows: readonly TrackedConnection[],
  changed: ReadonlyMap<HostPortName, ChangedTarget>,
  own: ReadonlySet<string>,
): readonly TrackedConnection[] {
  return flows.filter(({ to, toPort, answeredBy, answeredByPort }) => {
    const isHere = own.has(to) || to.startsWith('127.');
    const change =
      changed.get(`bound ${to} . ${protocol} . ${toPort}`) ??
      (isHere ? changed.get(`open ${protocol} . ${toPort}`) : undefined);
    if (change === undefined) return false;
    const target = `${answeredBy} . ${answeredByPort}`;
    return change.after === undefined ? target === change.before : target !== change.after;
  });
}
