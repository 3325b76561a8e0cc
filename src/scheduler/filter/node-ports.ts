import { hostPortsClash, hostPortsOf } from '../../api/index.ts';
import type { Filter } from './filter.ts';

/** No two pods of a node may hold the same host port. */
export const fitsPorts: Filter = (pod, info) => {
  const taken = hostPortsOf(pod).some((wanted) => info.hostPorts.some((used) => hostPortsClash(wanted, used)));
  if (!taken) return undefined;
  return { reasons: ["node(s) didn't have free ports for the requested pod ports"], resolvable: true };
};
