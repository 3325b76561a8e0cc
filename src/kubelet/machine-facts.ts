/** Parses the files in which the machine describes itself. Pure; `machine.node.ts` reads them. */

/** PRETTY_NAME of os-release(5), "Linux" when it has none. */
export function osImage(osRelease: string): string {
  const found = /^PRETTY_NAME=(.*)$/m.exec(osRelease)?.[1] ?? '';
  return found.replace(/^(["'])(.*)\1$/, '$2') || 'Linux';
}

/** Bytes of a line of /proc/meminfo; 0 when it is not there. */
export function meminfoBytes(meminfo: string, name: string): number {
  const line = meminfo.split('\n').find((each) => each.startsWith(`${name}:`));
  return Number(/(\d+) kB$/.exec(line ?? '')?.[1] ?? 0) * 1024;
}

/** Processes and threads of the machine: the second part of the fourth word of /proc/loadavg. */
export function processCount(loadavg: string): number {
  return Number(/^\S+ \S+ \S+ \d+\/(\d+)/.exec(loadavg)?.[1] ?? 0);
}

/** The interface of the default route with the least metric in /proc/net/route. */
export function defaultInterface(routes: string): string | undefined {
  const defaults = routes
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000');
  return defaults.toSorted((a, b) => Number(a[6]) - Number(b[6]))[0]?.[0];
}

/** One address of an interface, as Node lists them. */
export interface InterfaceAddress {
  readonly address: string;
  readonly family: 'IPv4' | 'IPv6';
  readonly internal: boolean;
}

/**
 * The node's addresses, the primary first: an IPv4 then an IPv6 of the default route's interface, else of the first that is not
 * internal, else loopback. Link-local ones are none.
 */
export function nodeAddresses(
  interfaces: Readonly<Record<string, readonly InterfaceAddress[] | undefined>>,
  preferred: string | undefined,
): readonly string[] {
  const usable = (list: readonly InterfaceAddress[] = []) =>
    list.filter(({ address, internal }) => !internal && !/^(fe[89ab]|169\.254\.)/i.test(address));
  const all = Object.values(interfaces).flatMap(usable);
  const own = preferred === undefined ? [] : usable(interfaces[preferred]);
  const from = own.length > 0 ? own : all;
  const first = (family: string) => from.find((one) => one.family === family)?.address;
  const found = [first('IPv4'), first('IPv6')].filter((address) => address !== undefined);
  return found.length > 0 ? found : ['127.0.0.1'];
}
