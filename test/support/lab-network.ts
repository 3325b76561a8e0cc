/** The machines of a lab: network namespaces on one bridge. */
import { spawnSync } from 'node:child_process';

export interface LabNames {
  /** At most six characters, so that all names below fit into Linux' fifteen. */
  readonly id: string;
  /** Third octet of 10.250.N.0/24, the network of the shared link. */
  readonly subnet: number;
}

/** Third octets that labs choose from. */
const FIRST_SUBNET = 20;
const SUBNETS = 200;

/** The bridge's name contains the subnet, so that only one lab can have it. */
export const bridgeOf = ({ subnet }: Pick<LabNames, 'subnet'>): string => `mlab-net${subnet}`;
export const namespaceOf = ({ id }: LabNames, index: number): string => `mlab-${id}-n${index}`;
const vethOf = ({ id }: LabNames, index: number): string => `mlv${id}${index}`;
export const serverAddress = ({ subnet }: LabNames): string => `10.250.${subnet}.1`;
export const nodeAddress = ({ subnet }: LabNames, index: number): string => `10.250.${subnet}.${10 + index}`;

function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr.trim()}`);
}

/** Runs ip and ignores its errors, for objects that may not exist. */
function tryIp(...args: readonly string[]): void {
  spawnSync('ip', args);
}

/**
 * Makes a lab's bridge with the subnet `wanted`, or with the first free one from an offset by process.
 * @throws when all are taken
 */
export function makeBridge(id: string, wanted: number | undefined): LabNames {
  const first = process.pid % SUBNETS;
  const tries = Array.from({ length: SUBNETS }, (_, n) => FIRST_SUBNET + ((first + n) % SUBNETS));
  for (const subnet of wanted === undefined ? tries : [wanted]) {
    const names = { id, subnet };
    const { status, stderr } = spawnSync('ip', ['link', 'add', 'name', bridgeOf(names), 'type', 'bridge'], {
      encoding: 'utf8',
    });
    if (status !== 0 && !stderr.includes('File exists')) throw new Error(`ip link add: ${stderr.trim()}`);
    if (status !== 0) continue;
    ip('address', 'add', `${serverAddress(names)}/24`, 'dev', bridgeOf(names));
    ip('link', 'set', 'dev', bridgeOf(names), 'up');
    return names;
  }
  throw new Error(wanted === undefined ? 'no free subnet for a lab' : `another lab has 10.250.${wanted}.0/24`);
}

/** Makes a machine with eth0 on the bridge, and a default route through it. */
export function makeNamespace(names: LabNames, index: number): void {
  const [namespace, veth] = [namespaceOf(names, index), vethOf(names, index)];
  ip('netns', 'add', namespace);
  ip('link', 'add', veth, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
  ip('link', 'set', 'dev', veth, 'master', bridgeOf(names), 'up');
  ip('-n', namespace, 'link', 'set', 'dev', 'lo', 'up');
  ip('-n', namespace, 'address', 'add', `${nodeAddress(names, index)}/24`, 'dev', 'eth0');
  ip('-n', namespace, 'link', 'set', 'dev', 'eth0', 'up');
  ip('-n', namespace, 'route', 'add', 'default', 'via', serverAddress(names));
}

/** Cuts the machine off silently: its packets are lost, although its link stays up. */
export function cut(names: LabNames, index: number): void {
  ip('link', 'set', 'dev', vethOf(names, index), 'nomaster');
}

export function mend(names: LabNames, index: number): void {
  ip('link', 'set', 'dev', vethOf(names, index), 'master', bridgeOf(names));
}

/** Removes a machine, even an incomplete one. */
export function removeNamespace(names: LabNames, index: number): void {
  const namespace = namespaceOf(names, index);
  const pids = spawnSync('ip', ['netns', 'pids', namespace], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
  for (const pid of pids) kill(Number(pid));
  tryIp('link', 'delete', 'dev', vethOf(names, index));
  tryIp('netns', 'delete', namespace);
}

export function removeBridge(names: Pick<LabNames, 'subnet'>): void {
  tryIp('link', 'delete', 'dev', bridgeOf(names));
}

export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended already.
  }
}
