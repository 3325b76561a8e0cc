/** Reads what clients send: hostile input, so that anything but one plain question is an error as a value. Pure. */
import { type DnsName, readName } from './name.ts';
import { FLAG, HEADER_BYTES, RCODE, TYPE, uint16At } from './wire.ts';

export interface Query {
  readonly id: number;
  /** Recursion desired and checking disabled, as bits of a header. */
  readonly flags: number;
  /** The question as it was sent: its case is echoed. */
  readonly question: Uint8Array;
  /** In lower case. */
  readonly name: DnsName;
  readonly type: number;
  readonly class: number;
  /** undefined: the client knows no EDNS. */
  readonly edns: { readonly udpBytes: number; readonly dnssec: boolean } | undefined;
}

export type DecodedQuery =
  | { readonly kind: 'query'; readonly query: Query }
  /** A question that is answered with a code alone. */
  | { readonly kind: 'refused'; readonly code: number; readonly query: Query }
  /** No query at all: nobody is answered, so that two servers never talk to each other for ever. */
  | { readonly kind: 'ignored' };

/** More records beside a question are no honest query's: OPT, and a signature or a cookie of the future. */
const MAX_ADDITIONAL = 4;
const COPIED_FLAGS = FLAG.RECURSION_DESIRED | FLAG.CHECKING_DISABLED;

export function decodeQuery(packet: Uint8Array): DecodedQuery {
  if (packet.length < HEADER_BYTES) return { kind: 'ignored' };
  const flags = uint16At(packet, 2);
  if ((flags & FLAG.RESPONSE) !== 0) return { kind: 'ignored' };
  const opcode = flags & 0x7800;
  const head: Query = {
    id: uint16At(packet, 0),
    flags: (flags & COPIED_FLAGS) | opcode,
    question: new Uint8Array(0),
    name: [],
    type: 0,
    class: 0,
    edns: undefined,
  };
  if (opcode !== 0) return { kind: 'refused', code: RCODE.NOTIMP, query: head };
  const malformed: DecodedQuery = { kind: 'refused', code: RCODE.FORMERR, query: head };
  const additional = uint16At(packet, 10);
  const counted = uint16At(packet, 4) === 1 && uint16At(packet, 6) === 0 && uint16At(packet, 8) === 0;
  if (!counted || additional > MAX_ADDITIONAL) return malformed;
  const asked = readName(packet, HEADER_BYTES);
  if (asked === undefined || asked.end + 4 > packet.length) return malformed;
  const end = asked.end + 4;
  const rest = readAdditional(packet, end, additional);
  if (rest === undefined) return malformed;
  const query: Query = {
    ...head,
    question: packet.slice(HEADER_BYTES, end),
    name: asked.name,
    type: uint16At(packet, asked.end),
    class: uint16At(packet, asked.end + 2),
    edns: rest.edns,
  };
  return rest.version === 0 ? { kind: 'query', query } : { kind: 'refused', code: RCODE.BADVERS, query };
}

/** @returns undefined for what is malformed: two OPT records, or bytes that nothing announces */
function readAdditional(
  packet: Uint8Array,
  from: number,
  count: number,
): { readonly edns: Query['edns']; readonly version: number } | undefined {
  let at = from;
  let edns: Query['edns'];
  let version = 0;
  for (let left = count; left > 0; left--) {
    const owner = readName(packet, at);
    if (owner === undefined || owner.end + 10 > packet.length) return undefined;
    const fields = owner.end;
    if (uint16At(packet, fields) === TYPE.OPT) {
      if (edns !== undefined || owner.name.length > 0) return undefined;
      edns = { udpBytes: uint16At(packet, fields + 2), dnssec: ((packet[fields + 6] ?? 0) & 0x80) !== 0 };
      version = packet[fields + 5] ?? 0;
    }
    at = fields + 10 + uint16At(packet, fields + 8);
    if (at > packet.length) return undefined;
  }
  return at === packet.length ? { edns, version } : undefined;
}
