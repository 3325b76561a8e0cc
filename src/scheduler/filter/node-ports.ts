import { type HostPort, hostPortsOf } from '../node-info.ts';
import type { Filter } from './filter.ts';

const ANY_IP = '0.0.0.0';

/** No two pods of a node may hold the same host port of a protocol on the same address; 0.0.0.0 is every address. */
export const fitsPorts: Filter = (pod, info) => {
  const taken = hostPortsOf(pod).some((wanted) => info.hostPorts.some((used) => clash(wanted, used)));
  if (!taken) return undefined;
  return { reasons: ["node(s) didn't have free ports for the requested pod ports"], resolvable: true };
};

function clash(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === ANY_IP || b.ip === ANY_IP;
}
