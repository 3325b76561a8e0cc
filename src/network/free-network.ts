/** Finds a network for the demo's pods that nothing on this machine uses. Pure. */
import { type Cidr, formatCidr, parseCidr } from './cidr.ts';

export interface FreeNetwork extends Cidr {
  /** "10.244.0.0/16" */
  readonly text: string;
}

/** Kubernetes' usual pod network, and its neighbours where that is taken. */
const USUAL = named(parseCidr('10.244.0.0/16') ?? { base: 0, prefix: 16 });
const CANDIDATES = 12;

/**
 * @param routes the text of /proc/net/route: addresses and masks in hexadecimal, as little-endian machines store them
 * @returns the first candidate that no route (but the default one) overlaps; the first of all when every one is taken
 */
export function freeNetwork(routes: string): FreeNetwork {
  const used = routes
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter((fields) => fields.length > 7 && fields[7] !== '00000000')
    .map((fields) => ({ base: fromHex(fields[1] ?? ''), mask: fromHex(fields[7] ?? '') }));
  const size = 2 ** (32 - USUAL.prefix);
  const candidates = Array.from({ length: CANDIDATES }, (_, at) => named({ ...USUAL, base: USUAL.base + at * size }));
  return candidates.find((network) => !used.some((route) => overlapsRoute(network, route))) ?? USUAL;
}

function named({ base, prefix }: Cidr): FreeNetwork {
  return { base, prefix, text: formatCidr({ base, prefix }) };
}

function fromHex(text: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = [6, 4, 2, 0].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

/** Two networks overlap when the wider one holds the other's address. A mask of a route need not be a prefix. */
function overlapsRoute({ base, prefix }: Cidr, route: { readonly base: number; readonly mask: number }): boolean {
  const own = (-1 << (32 - prefix)) >>> 0;
  const wider = (own & route.mask) >>> 0;
  return (base & wider) >>> 0 === (route.base & wider) >>> 0;
}
