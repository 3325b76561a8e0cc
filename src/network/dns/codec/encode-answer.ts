/** Writes answers: whole sets of records as long as they fit, the question as it was asked. Pure. */
import { ipBytes } from '../../../api/index.ts';
import type { Query } from './decode-query.ts';
import { MessageWriter } from './message-writer.ts';
import { nameKey } from './name.ts';
import type { Answer, DnsRecord } from './records.ts';
import {
  CLASS_IN,
  EDNS_UDP_BYTES,
  FLAG,
  HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  PLAIN_UDP_BYTES,
  RCODE,
  TYPE,
} from './wire.ts';

/** An OPT record without options. */
const OPT_BYTES = 11;
const SOA_REFRESH_SECONDS = 7200;
const SOA_RETRY_SECONDS = 1800;
const SOA_EXPIRE_SECONDS = 86_400;

/** How many bytes the client takes by this transport. */
export function answerLimit({ edns }: Pick<Query, 'edns'>, transport: 'udp' | 'tcp'): number {
  if (transport === 'tcp') return MAX_MESSAGE_BYTES;
  if (edns === undefined) return PLAIN_UDP_BYTES;
  return Math.max(PLAIN_UDP_BYTES, Math.min(edns.udpBytes, EDNS_UDP_BYTES));
}

/**
 * The packet for the client. What does not fit is left out by whole sets, and the packet says that it is truncated; of the
 * first set of addresses as many as fit stay (RFC 2181 §9), for clients that never ask by TCP.
 */
export function encodeAnswer(query: Query, answer: Answer, maxBytes: number): Uint8Array {
  const writer = new MessageWriter(maxBytes - (query.edns === undefined ? 0 : OPT_BYTES));
  writer.raw(new Uint8Array(HEADER_BYTES));
  writer.raw(query.question);
  if (query.question.length > 0) writer.knowName(query.name, HEADER_BYTES);
  const answers = writeSets(writer, answer.answers, true);
  const authority = answers.whole ? writeSets(writer, answer.authority, false) : NONE;
  const truncated = !answers.whole || !authority.whole;
  // Additional records are a courtesy: their absence is no truncation (RFC 2181 §9).
  const additional = truncated ? NONE : writeSets(writer, answer.additional, false);
  if (query.edns !== undefined) writeOpt(writer, query.edns.dnssec, answer.code, maxBytes);
  const flags =
    FLAG.RESPONSE |
    FLAG.RECURSION_AVAILABLE |
    query.flags |
    (answer.authoritative ? FLAG.AUTHORITATIVE : 0) |
    (truncated ? FLAG.TRUNCATED : 0) |
    (answer.code & 0x0f);
  const counts = [answers.count, authority.count, additional.count + (query.edns === undefined ? 0 : 1)];
  for (const [at, value] of [query.id, flags, query.question.length === 0 ? 0 : 1, ...counts].entries()) {
    writer.setUint16(at * 2, value);
  }
  return writer.finish();
}

/** An answer that is a code and nothing else. */
export function encodeCode(query: Query, code: number): Uint8Array {
  const answer = { code, authoritative: false, answers: [], authority: [], additional: [] };
  return encodeAnswer(query, answer, MAX_MESSAGE_BYTES);
}

/** Says that the answer needs another transport. */
export function encodeTruncated(query: Query): Uint8Array {
  const packet = encodeCode(query, RCODE.NOERROR);
  packet[2] = (packet[2] ?? 0) | (FLAG.TRUNCATED >> 8);
  return packet;
}

interface Written {
  readonly count: number;
  /** All of them fit. */
  readonly whole: boolean;
}

const NONE: Written = { count: 0, whole: true };

function writeSets(writer: MessageWriter, records: readonly DnsRecord[], mayCut: boolean): Written {
  let count = 0;
  for (let from = 0; from < records.length; ) {
    const to = endOfSet(records, from);
    const start = writer.mark();
    const written = writeRecords(writer, records.slice(from, to));
    if (written < to - from) {
      const isAddress = records[from]?.type === TYPE.A || records[from]?.type === TYPE.AAAA;
      const cut = mayCut && isAddress && from <= 1;
      if (!cut) writer.goBack(start);
      return { count: cut ? count + written : count, whole: false };
    }
    count = to;
    from = to;
  }
  return { count, whole: true };
}

/** @returns how many fit */
function writeRecords(writer: MessageWriter, records: readonly DnsRecord[]): number {
  for (const [at, record] of records.entries()) {
    const mark = writer.mark();
    writeRecord(writer, record);
    if (writer.fits) continue;
    writer.goBack(mark);
    return at;
  }
  return records.length;
}

function endOfSet(records: readonly DnsRecord[], from: number): number {
  const first = records[from];
  const key = nameKey(first?.name ?? []);
  let to = from + 1;
  while (to < records.length && records[to]?.type === first?.type && nameKey(records[to]?.name ?? []) === key) to++;
  return to;
}

function writeRecord(writer: MessageWriter, record: DnsRecord): void {
  writer.name(record.name);
  writer.uint16(record.type);
  writer.uint16(CLASS_IN);
  writer.uint32(record.ttl);
  const lengthAt = writer.at;
  writer.uint16(0);
  writeData(writer, record);
  writer.setUint16(lengthAt, writer.at - lengthAt - 2);
}

function writeData(writer: MessageWriter, record: DnsRecord): void {
  switch (record.type) {
    case TYPE.A:
      for (const part of record.address.split('.')) writer.uint8(Number(part));
      return;
    case TYPE.AAAA:
      writer.raw(ipBytes(record.address) ?? new Uint8Array(16));
      return;
    case TYPE.CNAME:
    case TYPE.PTR:
    case TYPE.NS:
      writer.name(record.target);
      return;
    case TYPE.SRV:
      writer.uint16(record.priority);
      writer.uint16(record.weight);
      writer.uint16(record.port);
      // RFC 2782 forbids it, and older resolvers of Go refuse it.
      writer.name(record.target, false);
      return;
    case TYPE.TXT:
    case TYPE.HINFO:
      for (const text of record.texts) writer.text(text);
      return;
    case TYPE.SOA:
      writer.name(record.server);
      writer.name(record.contact);
      writer.uint32(record.serial);
      for (const seconds of [SOA_REFRESH_SECONDS, SOA_RETRY_SECONDS, SOA_EXPIRE_SECONDS]) writer.uint32(seconds);
      writer.uint32(record.minimum);
  }
}

function writeOpt(writer: MessageWriter, dnssec: boolean, code: number, maxBytes: number): void {
  writer.limitTo(maxBytes);
  writer.uint8(0);
  writer.uint16(TYPE.OPT);
  writer.uint16(EDNS_UDP_BYTES);
  writer.uint8(code >> 4);
  writer.uint8(0);
  writer.uint16(dnssec ? 0x8000 : 0);
  writer.uint16(0);
}
