/** IPv4 networks as numbers. Pure. */
export interface Cidr {
  /** Network address, host bits cleared. */
  readonly base: number;
  readonly prefix: number;
}

const OCTET = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const ADDRESS = new RegExp(`^${OCTET}\\.${OCTET}\\.${OCTET}\\.${OCTET}(?:/(\\d|[12]\\d|3[0-2]))?$`);

/** "10.244.0.0/16", or an address alone as /32; `undefined` for anything else. Host bits are cleared. */
export function parseCidr(text: string): Cidr | undefined {
  const found = ADDRESS.exec(text);
  if (!found) return undefined;
  const [, a, b, c, d, length] = found;
  const address = ((Number(a) * 256 + Number(b)) * 256 + Number(c)) * 256 + Number(d);
  const prefix = length === undefined ? 32 : Number(length);
  return { base: address - (address % size(prefix)), prefix };
}

const size = (prefix: number) => 2 ** (32 - prefix);

/** Dotted quad of a number. */
export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

export function formatCidr({ base, prefix }: Cidr): string {
  return `${formatAddress(base)}/${prefix}`;
}

/** One of two overlapping networks always holds the other. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  const [outer, inner] = a.prefix <= b.prefix ? [a, b] : [b, a];
  return inner.base - (inner.base % size(outer.prefix)) === outer.base;
}

/** The first usable address, which the bridge carries. */
export function gatewayOf(cidr: Cidr): string {
  return formatAddress(cidr.base + 1);
}
