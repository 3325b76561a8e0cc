/** Addresses as flags and certificates have them. Pure. */
import { isIpAddress, numberToIpv4 } from '../api/index.ts';
import type { Cidr, ListenAddress } from '../cli/index.ts';

/** The first usable address of a network: the bridge's in a pods' network, the `kubernetes` service's in one of services. */
export function firstAddressOf({ base }: Pick<Cidr, 'base'>): string {
  return numberToIpv4(base + 1);
}

export function isWildcard({ host }: Pick<ListenAddress, 'host'>): boolean {
  return host === '0.0.0.0' || host === '::';
}

export function isLoopback({ host }: Pick<ListenAddress, 'host'>): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/**
 * The address at which other machines reach a server that listens at `listen`: the one that its user gives, the one that it
 * listens on, or the machine's own. `undefined`: no other machine reaches it.
 */
export function advertisedAddress(
  listen: ListenAddress,
  given: string | undefined,
  machine: readonly string[],
): string | undefined {
  if (given !== undefined) return given;
  if (isWildcard(listen)) return machine[0];
  return isLoopback(listen) || !isIpAddress(listen.host) ? undefined : listen.host;
}

/** The network of the same size behind this one; before it, where there is none. */
export function neighbour({ base, prefix }: Cidr): string {
  const size = 2 ** (32 - prefix);
  const next = base + 2 * size <= 2 ** 32 ? base + size : base - size;
  return `${numberToIpv4(next)}/${prefix}`;
}
