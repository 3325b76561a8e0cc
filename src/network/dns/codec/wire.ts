/** Numbers of the DNS protocol (RFC 1035, 2782, 3596, 6891, 8482; IANA's registry of DNS parameters). */

export const TYPE = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const;

export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  /** Needs EDNS: its upper bits are in the OPT record. */
  BADVERS: 16,
} as const;

export const CLASS_IN = 1;
export const HEADER_BYTES = 12;
export const MAX_NAME_BYTES = 255;
export const MAX_LABEL_BYTES = 63;
/** What a client without EDNS takes by UDP. */
export const PLAIN_UDP_BYTES = 512;
/** What we send and ask for by UDP at most: it fits into one packet everywhere (DNS Flag Day 2020). */
export const EDNS_UDP_BYTES = 1232;
export const MAX_MESSAGE_BYTES = 65_535;

/** Bits of the second 16 bits of a header. */
export const FLAG = {
  RESPONSE: 0x8000,
  AUTHORITATIVE: 0x0400,
  TRUNCATED: 0x0200,
  RECURSION_DESIRED: 0x0100,
  RECURSION_AVAILABLE: 0x0080,
  CHECKING_DISABLED: 0x0010,
} as const;

/** The name of a type or of an answer's code in metrics and logs; undefined: it has none here. */
export function nameOf(numbers: Readonly<Record<string, number>>, value: number): string | undefined {
  return Object.entries(numbers).find(([, number]) => number === value)?.[0];
}

export function uint16At(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

export function uint32At(bytes: Uint8Array, at: number): number {
  return uint16At(bytes, at) * 65_536 + uint16At(bytes, at + 2);
}
