/** Finds a network for the demo's pods that nothing on this machine uses. Pure. */
import { type Cidr, parsePodCidr } from '../cli/index.ts';

/** Kubernetes' usual pod network and its neighbours. */
const candidates = Array.from({ length: 12 }, (_, index) => parsePodCidr(`10.${244 + index}.0.0/16`));

/**
 * @param routes the text of /proc/net/route: addresses and masks in hexadecimal, as little-endian machines store them
 * @returns the first candidate that no route (but the default one) overlaps; the first of all when every one is taken
 */
export function freeNetwork(routes: string): Cidr {
  const used = routes
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter((fields) => fields.length > 7 && fields[7] !== '00000000')
    .map((fields) => ({ base: fromHex(fields[1] ?? ''), mask: fromHex(fields[7] ?? '') }));
  const free = candidates.find((network) => !used.some((route) => overlaps(network, route)));
  return free ?? (candidates[0] as Cidr);
}

function fromHex(text: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = [6, 4, 2, 0].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

/** Two networks overlap when the wider one holds the other's address. */
function overlaps({ base, prefix }: Cidr, route: { readonly base: number; readonly mask: number }): boolean {
  const own = (-1 << (32 - prefix)) >>> 0;
  const wider = (own & route.mask) >>> 0;
  return (base & wider) >>> 0 === (route.base & wider) >>> 0;
}
