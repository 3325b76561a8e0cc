/** Filter: host ports that are still free. Pure. */
import { type HostPort, hostPortsClash } from '../../api/index.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { type Filter, resolvable } from './filter.ts';

/** No two pods of a node may hold the same host port. */
export const nodePorts: Filter = {
  name: 'NodePorts',
  prepare({ hostPorts }) {
    if (hostPorts.length === 0) return undefined;
    const misfit = resolvable('NodePorts', "node(s) didn't have free ports for the requested pod ports");
    return {
      check: (info) => {
        for (const other of info.podsWithPorts()) if (portsClash(hostPorts, other)) return misfit;
        return undefined;
      },
    };
  },
};

export function portsClash(wanted: readonly HostPort[], other: PodInfo): boolean {
  return wanted.some((port) => other.hostPorts.some((used) => hostPortsClash(port, used)));
}
