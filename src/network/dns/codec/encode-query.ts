/** Writes questions for other servers. Pure. */
import type { Query } from './decode-query.ts';
import { MessageWriter } from './message-writer.ts';
import type { DnsName } from './name.ts';
import { CLASS_IN, EDNS_UDP_BYTES, FLAG, MAX_MESSAGE_BYTES, TYPE } from './wire.ts';

/** The client's question under another id. Of its EDNS only the wish for signatures goes on, no option. */
export function encodeQuery({ flags, question, edns }: Query, id: number): Uint8Array {
  const writer = new MessageWriter(MAX_MESSAGE_BYTES);
  for (const value of [id, flags | FLAG.RECURSION_DESIRED, 1, 0, 0, edns === undefined ? 0 : 1]) writer.uint16(value);
  writer.raw(question);
  if (edns !== undefined) {
    writer.uint8(0);
    for (const value of [TYPE.OPT, EDNS_UDP_BYTES, 0, edns.dnssec ? 0x8000 : 0, 0]) writer.uint16(value);
  }
  return writer.finish();
}

/** The same question for another name. */
export function queryFor(query: Query, name: DnsName): Query {
  const writer = new MessageWriter(MAX_MESSAGE_BYTES);
  writer.name(name);
  writer.uint16(query.type);
  writer.uint16(CLASS_IN);
  return { ...query, name, question: writer.finish() };
}
