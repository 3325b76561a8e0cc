import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameBytes, queryPacket, readAnswer } from '../dns.fixtures.ts';
import { addressesAndAliases, decodeAnswer, lifetimeOf } from './decode-answer.ts';
import { decodeQuery, type Query } from './decode-query.ts';
import { answerLimit, encodeAnswer, encodeCode } from './encode-answer.ts';
import { below, formatName, parseName, readName, reverseIpv4 } from './name.ts';
import type { Answer, DnsRecord } from './records.ts';
import { RCODE, TYPE } from './wire.ts';

const HEADER = Array.from({ length: 12 }, () => 0);
const NOTHING: Answer = { code: 0, authoritative: true, answers: [], authority: [], additional: [] };

const bytes = (...parts: (number | string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? nameBytes(part) : part)));

function queryOf(packet: Uint8Array): Query {
  const decoded = decodeQuery(packet);
  if (decoded.kind !== 'query') throw new Error(decoded.kind);
  return decoded.query;
}

describe('a query', () => {
  it('is read in lower case, and keeps its bytes', () => {
    const query = queryOf(queryPacket('KuBernetes.Default', TYPE.A, { id: 7 }));
    expect(query).toMatchObject({ id: 7, flags: 0x0100, name: ['kubernetes', 'default'], type: 1, class: 1 });
    expect(query.edns).toBeUndefined();
    expect(Buffer.from(query.question).toString('latin1')).toContain('KuBernetes');
  });

  it.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(0), 'ignored'],
    ['half a header', queryPacket('a', 1).slice(0, 11), 'ignored'],
    ['an answer', queryPacket('a', 1, { flags: 0x8180 }), 'ignored'],
    ['an update', queryPacket('a', 1, { flags: 5 << 11 }), `refused ${RCODE.NOTIMP}`],
    ['no question', bytes([0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]), `refused ${RCODE.FORMERR}`],
    ['two questions', edited(queryPacket('a', 1), 5, 2), `refused ${RCODE.FORMERR}`],
    ['records of an answer', edited(queryPacket('a', 1), 7, 1), `refused ${RCODE.FORMERR}`],
    ['a cut question', queryPacket('abc', 1).slice(0, -1), `refused ${RCODE.FORMERR}`],
    ['a byte too much', bytes([...queryPacket('abc', 1), 0]), `refused ${RCODE.FORMERR}`],
    ['OPT of version 1', queryPacket('a', 1, { edns: { version: 1 } }), `refused ${RCODE.BADVERS}`],
    ['two OPT records', twice(queryPacket('a', 1, { edns: {} })), `refused ${RCODE.FORMERR}`],
    ['a name that points to itself', bytes([...head(1), 0xc0, 12, 0, 1, 0, 1]), `refused ${RCODE.FORMERR}`],
    ['a name that points into the header', bytes([...head(1), 0xc0, 4, 0, 1, 0, 1]), `refused ${RCODE.FORMERR}`],
  ])('%s', (_what, packet, expected) => {
    const decoded = decodeQuery(packet);
    expect(decoded.kind === 'refused' ? `refused ${decoded.code}` : decoded.kind).toBe(expected);
  });

  it('is answered with its id, question and version of EDNS if it cannot be read', () => {
    const decoded = decodeQuery(queryPacket('a.b', 1, { edns: { version: 9 } }));
    if (decoded.kind !== 'refused') throw new Error(decoded.kind);
    const answer = readAnswer(encodeCode(decoded.query, decoded.code));
    expect(answer).toMatchObject({ id: 4711, code: 'NOERROR', additional: ['OPT 1232 1000000'] });
  });

  it.each<[string, Partial<Query>, 'udp' | 'tcp', number]>([
    ['plain', { edns: undefined }, 'udp', 512],
    ['by TCP', { edns: undefined }, 'tcp', 65_535],
    ['large', { edns: { udpBytes: 4096, dnssec: false } }, 'udp', 1232],
    ['medium', { edns: { udpBytes: 1000, dnssec: false } }, 'udp', 1000],
    ['absurd', { edns: { udpBytes: 1, dnssec: false } }, 'udp', 512],
  ])('takes as much as it says: %s', (_what, { edns }, transport, expected) =>
    expect(answerLimit({ edns }, transport)).toBe(expected),
  );
});

describe('a name', () => {
  it('is followed through pointers, backwards only', () => {
    const message = bytes(HEADER, 'cluster.local', [3, 118, 105, 97, 0xc0, 12]);
    expect(readName(message, 12 + 15)).toEqual({ name: ['via', 'cluster', 'local'], end: 12 + 15 + 6 });
    const forward = bytes(HEADER, [0xc0, 14, 1, 97, 0]);
    expect(readName(forward, 12)).toBeUndefined();
  });
  it('ends after 255 bytes, labels after 63', () => {
    const long = (count: number): Uint8Array => bytes(HEADER, 'abcdefg.'.repeat(count));
    expect(readName(long(31), 12)?.name).toHaveLength(31);
    expect(readName(long(32), 12)).toBeUndefined();
    expect(readName(bytes(HEADER, [64], 'a'.repeat(63)), 12)).toBeUndefined();
  });
  it.each<[string, readonly string[] | undefined]>([
    ['foo.example.com.', ['foo', 'example', 'com']],
    ['Foo', ['foo']],
    ['.', []],
    ['', undefined],
    ['a..b', undefined],
    ['a b', undefined],
    [`${'a'.repeat(64)}.b`, undefined],
  ])('%s as text', (text, expected) => expect(parseName(text)).toEqual(expected));
  it('is written without characters that could mislead', () =>
    expect(formatName(['a.b', 'c\n'])).toBe('a\\046b.c\\010.'));
  it('lies below a zone or not', () => {
    expect(below(['a', 'cluster', 'local'], ['cluster', 'local'])).toEqual(['a']);
    expect(below(['cluster', 'local'], ['cluster', 'local'])).toEqual([]);
    expect(below(['mycluster', 'local'], ['cluster', 'local'])).toBeUndefined();
  });
  it.each<[string, string | undefined]>([
    ['10.0.96.10.in-addr.arpa', '10.96.0.10'],
    ['0.96.10.in-addr.arpa', undefined],
    ['256.0.96.10.in-addr.arpa', undefined],
    ['010.0.96.10.in-addr.arpa', undefined],
  ])('%s of the reverse', (name, expected) => expect(reverseIpv4(name.split('.'))).toBe(expected));
});

describe('an answer', () => {
  const zone = ['svc', 'cluster', 'local'];
  const record = (address: string): DnsRecord => ({ name: ['web', ...zone], ttl: 5, type: TYPE.A, address });
  const many = (count: number): DnsRecord[] => Array.from({ length: count }, (_, at) => record(`10.0.0.${at}`));
  const answerOf = (part: Partial<Answer>): Answer => ({
    ...NOTHING,
    ...part,
  });

  it('echoes the case of the question and points to it', () => {
    const query = queryOf(queryPacket('WeB.svc.cluster.local', TYPE.A));
    const packet = encodeAnswer(query, answerOf({ answers: many(1) }), 512);
    expect(Buffer.from(packet).toString('latin1')).toContain('WeB');
    expect(packet.length).toBe(12 + query.question.length + 16);
    expect(readAnswer(packet).answers).toEqual(['web.svc.cluster.local. 5 A 10.0.0.0']);
  });

  it('writes every type so that it is read again', () => {
    const query = queryOf(queryPacket('web.svc.cluster.local', TYPE.A));
    const name = ['web', ...zone];
    const packet = encodeAnswer(
      query,
      answerOf({
        answers: [
          { name, ttl: 1, type: TYPE.CNAME, target: ['x', ...zone] },
          { name, ttl: 2, type: TYPE.SRV, priority: 1, weight: 2, port: 80, target: ['x', ...zone] },
          { name, ttl: 3, type: TYPE.TXT, texts: ['1.1.0'] },
          { name, ttl: 4, type: TYPE.AAAA, address: 'fd00::7' },
          { name, ttl: 5, type: TYPE.PTR, target: zone },
          { name, ttl: 6, type: TYPE.NS, target: ['ns', ...zone] },
        ],
        authority: [
          {
            name: zone,
            ttl: 1,
            type: TYPE.SOA,
            server: ['ns', ...zone],
            contact: ['h', ...zone],
            serial: 4e9,
            minimum: 1,
          },
        ],
      }),
      1232,
    );
    const read = readAnswer(packet);
    expect(read.answers.map((text) => text.split(' ').slice(1).join(' '))).toEqual([
      '1 CNAME x.svc.cluster.local.',
      '2 SRV 1 2 80 x.svc.cluster.local.',
      '3 TXT 1.1.0',
      '4 AAAA fd000000000000000000000000000007',
      '5 PTR svc.cluster.local.',
      '6 NS ns.svc.cluster.local.',
    ]);
    expect(read.authority).toEqual(['svc.cluster.local. 1 SOA ns.svc.cluster.local. minimum 1']);
    // The target of SRV stands in full (RFC 2782); the other name of it is a pointer.
    expect(Buffer.from(packet).toString('latin1').split('\u0007cluster').length - 1).toBe(2);
  });

  it('confuses no label that has a dot with two labels', () => {
    const query: Query = { ...queryOf(queryPacket('a', TYPE.A)), question: bytes([3, 97, 46, 98, 0, 0, 1, 0, 1]) };
    const packet = encodeAnswer(
      { ...query, name: ['a.b'] },
      answerOf({ answers: [{ ...record('10.0.0.1'), name: ['a', 'b'] }] }),
      512,
    );
    expect(readAnswer(packet).answers).toEqual(['a.b. 5 A 10.0.0.1']);
  });

  it.each<[string, Partial<Answer>, number, number, boolean]>([
    ['30 addresses do not fit into 512 bytes: what fits stays', { answers: many(30) }, 512, 29, true],
    ['29 do', { answers: many(29) }, 512, 29, false],
    ['nor 60 texts, of which none stays', { answers: texts(60) }, 512, 0, true],
  ])('%s', (_what, part, limit, count, truncated) => {
    const query = queryOf(queryPacket('web.svc.cluster.local', TYPE.A));
    const packet = encodeAnswer(query, answerOf(part), limit);
    expect(packet.length).toBeLessThanOrEqual(limit);
    expect(readAnswer(packet)).toMatchObject({ truncated });
    expect(readAnswer(packet).answers).toHaveLength(count);
  });

  it('leaves out additional records first, and that is no truncation', () => {
    const query = queryOf(queryPacket('web.svc.cluster.local', TYPE.A, { edns: { udpBytes: 512 } }));
    const packet = encodeAnswer(query, answerOf({ answers: many(20), additional: many(10) }), 512);
    expect(readAnswer(packet)).toMatchObject({ truncated: false, additional: ['OPT 1232 0'] });
    expect(readAnswer(packet).answers).toHaveLength(20);
  });

  it('grants the time that its records grant', () => {
    const lifetime = (packet: Uint8Array): number => lifetimeOf(packet, decodeAnswer(packet)!);
    const query = queryOf(queryPacket('web.svc.cluster.local', TYPE.A));
    const soa: DnsRecord = { name: zone, ttl: 9, type: TYPE.SOA, server: zone, contact: zone, serial: 1, minimum: 3 };
    const alias: DnsRecord = { name: ['web', ...zone], ttl: 2, type: TYPE.CNAME, target: zone };
    expect(lifetime(encodeAnswer(query, answerOf({ answers: [record('10.0.0.1')] }), 512))).toBe(5);
    expect(lifetime(encodeAnswer(query, answerOf({ authority: [soa] }), 512))).toBe(3);
    expect(lifetime(encodeAnswer(query, answerOf({ answers: [alias], authority: [soa] }), 512))).toBe(2);
    expect(lifetime(encodeAnswer(query, answerOf({ code: RCODE.NXDOMAIN }), 512))).toBe(0);
    expect(lifetime(encodeAnswer(query, answerOf({ code: RCODE.SERVFAIL, authority: [soa] }), 512))).toBe(0);
  });

  function texts(count: number): DnsRecord[] {
    return Array.from({ length: count }, () => ({ name: ['web', ...zone], ttl: 5, type: TYPE.TXT, texts: ['a text'] }));
  }
});

describe('hostile packets', () => {
  const good = [
    queryPacket('web.default.svc.cluster.local', TYPE.A, { edns: {} }),
    encodeAnswer(
      queryOf(queryPacket('web.default', TYPE.SRV, { edns: {} })),
      {
        ...NOTHING,
        answers: [{ name: ['web', 'default'], ttl: 5, type: TYPE.CNAME, target: ['web', 'x', 'default'] }],
      },
      1232,
    ),
  ];
  it('never throw, and never read beyond the packet', () => {
    const mutated = fc
      .tuple(fc.constantFrom(...good), fc.array(fc.tuple(fc.nat(120), fc.nat(255)), { maxLength: 6 }), fc.nat(120))
      .map(([packet, changes, cut]) => {
        const copy = packet.slice(0, Math.max(0, packet.length - (cut > 100 ? cut - 100 : 0)));
        for (const [at, value] of changes) if (at < copy.length) copy[at] = value;
        return copy;
      });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 600 })), (packet) => {
        const query = decodeQuery(packet);
        if (query.kind !== 'ignored') expect(encodeCode(query.query, RCODE.SERVFAIL).length).toBeGreaterThan(11);
        const answer = decodeAnswer(packet);
        if (answer === undefined) return;
        expect(lifetimeOf(packet, answer)).toBeGreaterThanOrEqual(0);
        addressesAndAliases(packet, answer.sections.answers);
        for (const at of answer.ttlPlaces) expect(at + 4).toBeLessThanOrEqual(packet.length);
      }),
      { numRuns: 20_000 },
    );
  });
});

function head(questions: number): number[] {
  return [0, 1, 1, 0, 0, questions, 0, 0, 0, 0, 0, 0];
}

function edited(packet: Uint8Array, at: number, value: number): Uint8Array {
  const copy = packet.slice();
  copy[at] = value;
  return copy;
}

/** With its OPT record once more. */
function twice(packet: Uint8Array): Uint8Array {
  return edited(Uint8Array.from([...packet, ...packet.slice(-11)]), 11, 2);
}
