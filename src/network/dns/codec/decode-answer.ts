/** Reads what other servers answer: as hostile as queries, so that what is malformed is undefined. Pure. */
import { type DnsName, readName } from './name.ts';
import type { DnsRecord } from './records.ts';
import { CLASS_IN, FLAG, HEADER_BYTES, RCODE, TYPE, uint16At, uint32At } from './wire.ts';

export interface ReceivedAnswer {
  readonly id: number;
  readonly code: number;
  readonly truncated: boolean;
  readonly name: DnsName;
  readonly type: number;
  /** Where the question ends. */
  readonly questionEnd: number;
  readonly sections: { readonly answers: readonly RawRecord[]; readonly authority: readonly RawRecord[] };
  /** Where the packet has a time to live, in all sections. */
  readonly ttlPlaces: readonly number[];
}

export interface RawRecord {
  readonly name: DnsName;
  readonly type: number;
  readonly class: number;
  readonly ttl: number;
  /** Where its data begins and ends in the packet. */
  readonly from: number;
  readonly to: number;
}

/** A packet of 64 KiB could claim five thousand records of 12 bytes. */
const MAX_RECORDS = 2000;
/** RFC 2181 §8: a time to live with its highest bit set counts as zero. */
const MAX_TTL = 0x7fffffff;

export function decodeAnswer(packet: Uint8Array): ReceivedAnswer | undefined {
  if (packet.length < HEADER_BYTES) return undefined;
  const flags = uint16At(packet, 2);
  if ((flags & FLAG.RESPONSE) === 0 || (flags & 0x7800) !== 0 || uint16At(packet, 4) !== 1) return undefined;
  const asked = readName(packet, HEADER_BYTES);
  if (asked === undefined || asked.end + 4 > packet.length) return undefined;
  const counts = [6, 8, 10].map((at) => uint16At(packet, at));
  const records = readRecords(packet, asked.end + 4, counts);
  if (records === undefined) return undefined;
  const [answers = [], authority = [], additional = []] = records;
  const timed = [...answers, ...authority, ...additional].filter(({ type }) => type !== TYPE.OPT);
  return {
    id: uint16At(packet, 0),
    code: flags & 0x0f,
    truncated: (flags & FLAG.TRUNCATED) !== 0,
    name: asked.name,
    type: uint16At(packet, asked.end),
    questionEnd: asked.end + 4,
    sections: { answers, authority },
    ttlPlaces: timed.map(({ from }) => from - 6),
  };
}

function readRecords(
  packet: Uint8Array,
  from: number,
  counts: readonly number[],
): readonly (readonly RawRecord[])[] | undefined {
  if (counts.reduce((sum, count) => sum + count, 0) > MAX_RECORDS) return undefined;
  let at = from;
  const sections: RawRecord[][] = [];
  for (const count of counts) {
    const section: RawRecord[] = [];
    for (let left = count; left > 0; left--) {
      const owner = readName(packet, at);
      if (owner === undefined || owner.end + 10 > packet.length) return undefined;
      const start = owner.end + 10;
      const to = start + uint16At(packet, owner.end + 8);
      if (to > packet.length) return undefined;
      const ttl = uint32At(packet, owner.end + 4);
      const [type, of] = [uint16At(packet, owner.end), uint16At(packet, owner.end + 2)];
      section.push({ name: owner.name, type, class: of, ttl: ttl > MAX_TTL ? 0 : ttl, from: start, to });
      at = to;
    }
    sections.push(section);
  }
  return sections;
}

/**
 * For how long the answer may be kept, seconds: the shortest time of its records; of one that denies, what its SOA grants
 * (RFC 2308). 0: not at all.
 */
export function lifetimeOf(packet: Uint8Array, { code, truncated, sections, type }: ReceivedAnswer): number {
  if (truncated || (code !== RCODE.NOERROR && code !== RCODE.NXDOMAIN)) return 0;
  const { answers, authority } = sections;
  const times = answers.map(({ ttl }) => ttl);
  const isPositive = code === RCODE.NOERROR && answers.some((each) => each.type === type);
  if (isPositive) return Math.min(...times);
  const soa = authority.find((each) => each.type === TYPE.SOA && each.to - each.from >= 22);
  return soa === undefined ? 0 : Math.min(...times, soa.ttl, uint32At(packet, soa.to - 4));
}

/** Addresses and aliases of an answer, as records of our own; others are left out. */
export function addressesAndAliases(packet: Uint8Array, records: readonly RawRecord[]): readonly DnsRecord[] {
  return records.flatMap((record): readonly DnsRecord[] => {
    const { name, ttl, from, to } = record;
    if (record.class !== CLASS_IN) return [];
    if (record.type === TYPE.A && to - from === 4)
      return [{ name, ttl, type: TYPE.A, address: packet.subarray(from, to).join('.') }];
    if (record.type === TYPE.AAAA && to - from === 16)
      return [{ name, ttl, type: TYPE.AAAA, address: ipv6Text(packet, from) }];
    const alias = record.type === TYPE.CNAME ? readName(packet, from) : undefined;
    return alias?.end === to ? [{ name, ttl, type: TYPE.CNAME, target: alias.name }] : [];
  });
}

/** Without the short form "::", which no program needs. */
function ipv6Text(packet: Uint8Array, from: number): string {
  return Array.from({ length: 8 }, (_, at) => uint16At(packet, from + at * 2).toString(16)).join(':');
}
