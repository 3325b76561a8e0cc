/**
 * Tests attacks on the node's DNS: mutated packets to the whole server on real sockets, by UDP and TCP, and hostile answers of
 * the servers that it asks. It must go on answering, never throw, and keep no memory of them.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.node.ts';
import { createMetrics, type Logger, seededRandom, silentLogger } from '../../src/lib/index.ts';
import { decodeQuery, type Query } from '../../src/network/dns/codec/decode-query.ts';
import { encodeAnswer } from '../../src/network/dns/codec/encode-answer.ts';
import { TYPE } from '../../src/network/dns/codec/wire.ts';
import { createDnsMetrics } from '../../src/network/dns/dns-metrics.ts';
import { DnsServer } from '../../src/network/dns/dns-server.ts';
import { openDnsSockets } from '../../src/network/dns/dns-sockets.node.ts';
import type { DnsSockets } from '../../src/network/dns/dns-sockets.ts';
import { queryPacket, readAnswer, service, slice, viewOf } from '../../src/network/dns/dns.fixtures.ts';
import { Forwarder } from '../../src/network/dns/forwarder.ts';
import { inShort } from './extent.ts';

const PACKETS = inShort(20_000, 100_000);
const MAX_GROWTH_BYTES = 8 << 20;
const SEED = 12;
const random = seededRandom(SEED);
const below = (limit: number): number => Math.floor(random.next() * limit);

const stop: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of stop.splice(0)) await end();
});

const SERVICES = [
  service('web', { clusterIP: '10.96.0.7', ports: [{ name: 'http', port: 80 }] }),
  service('db', { clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] }),
  service('out', { type: 'ExternalName', externalName: 'www.example.test' }),
];
const SLICES = [slice('db', [{ ip: '10.244.0.5', hostname: 'db-0' }], [{ name: 'sql', port: 5432 }])];
const SEEDS = [
  queryPacket('web.default.svc.cluster.local', TYPE.A, { edns: {} }),
  queryPacket('_sql._tcp.db.default.svc.cluster.local', TYPE.SRV),
  queryPacket('out.default.svc.cluster.local', TYPE.AAAA, { edns: { dnssec: true } }),
  queryPacket('7.0.96.10.in-addr.arpa', TYPE.PTR),
  queryPacket('www.example.test', TYPE.ANY),
];

/** Changes some bytes, cuts, repeats or adds. */
function mutated(packet: Uint8Array): Uint8Array {
  const bytes = [...packet];
  for (let changes = 1 + below(5); changes > 0; changes--) bytes[below(bytes.length)] = below(256);
  const kind = below(8);
  if (kind === 0) bytes.length = below(bytes.length);
  if (kind === 1) bytes.push(...bytes.slice(12, 12 + below(bytes.length)));
  if (kind === 2) bytes.push(...Array.from({ length: below(600) }, () => below(256)));
  return Uint8Array.from(bytes);
}

/** The logger fails the test: the server tells a mistake of its own as an error. */
function server(upstream: DnsSockets['exchange']) {
  const mistakes: unknown[] = [];
  const logger: Logger = { ...silentLogger, error: (message, fields) => mistakes.push({ message, ...fields }) };
  const metrics = createDnsMetrics(createMetrics());
  const ended = new AbortController();
  stop.push(() => ended.abort());
  const sockets = { ...openDnsSockets(logger), exchange: upstream };
  const dns = new DnsServer(
    { clock: systemClock, logger, metrics },
    {
      view: viewOf(SERVICES, SLICES),
      directory: { synced: true, waitForSync: async () => {} },
      forwarder: new Forwarder({ sockets, clock: systemClock, random, metrics }, ended.signal),
      upstream: () => [{ address: '192.0.2.1', port: 53 }],
      cameRound: () => false,
      others: () => undefined,
      isAllowed: () => true,
    },
    ended.signal,
  );
  return { dns, sockets, mistakes };
}

/** Echoes the question as an answer with a record, then damages it. */
const hostileUpstream: DnsSockets['exchange'] = async ({ packet, accept }) => {
  const decoded = decodeQuery(packet);
  if (decoded.kind !== 'query') throw new Error('our own question is none');
  const { query } = decoded;
  const record = { name: query.name, ttl: 60, type: TYPE.A, address: '192.0.2.80' } as const;
  const answer = encodeAnswer(query, { ...NOTHING, answers: [record] }, 1232);
  const wrong = mutated(answer);
  if (accept(wrong)) return wrong;
  return below(2) === 0 ? undefined : answer;
};
const NOTHING = { code: 0, authoritative: false, answers: [], authority: [], additional: [] };

/** The collector, so that only what is kept counts. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

function heapBytes(): number {
  collector()();
  return process.memoryUsage().heapUsed;
}

describe('hostile packets to the DNS server', () => {
  it(`are answered or dropped, ${PACKETS} of them, and leave nothing`, async () => {
    const { dns, mistakes } = server(hostileUpstream);
    let answered = 0;
    const send = async (count: number): Promise<void> => {
      for (let sent = 0; sent < count; sent++) {
        const packet = mutated(SEEDS[below(SEEDS.length)]!);
        dns.handle(packet, { address: '10.244.0.5', transport: sent % 2 === 0 ? 'udp' : 'tcp' }, (reply) => {
          answered += 1;
          expect(reply.length).toBeGreaterThanOrEqual(12);
          expect(reply[0]).toBe(packet[0]);
        });
        if (sent % 50 === 0) await turn();
      }
      await turn();
    };
    // The cache and the metrics fill once.
    await send(PACKETS / 4);
    const before = heapBytes();
    await send(PACKETS);
    expect(heapBytes() - before).toBeLessThan(MAX_GROWTH_BYTES);
    expect(mistakes).toEqual([]);
    expect(answered).toBeGreaterThan(PACKETS / 2);
    const replies: Uint8Array[] = [];
    dns.handle(SEEDS[0]!, { address: '10.244.0.5', transport: 'udp' }, (reply) => replies.push(reply));
    expect(readAnswer(replies[0]!).answers).toEqual(['web.default.svc.cluster.local. 30 A 10.96.0.7']);
  });

  it('on real sockets, by UDP and by TCP, stop nobody else', async () => {
    const { dns, sockets, mistakes } = server(hostileUpstream);
    const port = 30_000 + below(20_000);
    const result = await sockets.listen({ address: '127.0.0.1', port }, dns.handle);
    if (!result.ok) throw new Error(result.message);
    stop.push(() => result.server.close());
    const udp = createSocket('udp4');
    stop.push(() => void udp.close());
    const floods = Array.from({ length: 40 }, () => connect(port, '127.0.0.1'));
    for (const flood of floods) {
      flood.on('error', () => {});
      stop.push(() => void flood.destroy());
      // A length that never comes, garbage, and queries whose answers are never read.
      flood.write(Uint8Array.from([255, 255, ...SEEDS[0]!]));
      for (let at = 0; at < 100; at++) {
        const packet = mutated(SEEDS[at % SEEDS.length]!);
        flood.write(Uint8Array.from([packet.length >> 8, packet.length & 255, ...packet]));
      }
    }
    for (let at = 0; at < 2000; at++) udp.send(mutated(SEEDS[at % SEEDS.length]!), port, '127.0.0.1');
    const honest = createSocket('udp4');
    stop.push(() => void honest.close());
    const answer = once(honest, 'message') as Promise<[Buffer]>;
    const asking = setInterval(() => honest.send(SEEDS[0]!, port, '127.0.0.1'), 100);
    const [packet] = await answer;
    clearInterval(asking);
    expect(readAnswer(packet).answers).toEqual(['web.default.svc.cluster.local. 30 A 10.96.0.7']);
    expect(mistakes).toEqual([]);
  });

  it('of servers that are asked lead nobody astray', async () => {
    const { dns, mistakes } = server(hostileUpstream);
    const strange: string[] = [];
    for (let at = 0; at < PACKETS / 10; at++) {
      const question = queryPacket(`n${at}.example.test`, TYPE.A, { id: at & 0xffff });
      const decoded = decodeQuery(question) as { readonly query: Query };
      await new Promise<void>((resolve) => {
        dns.handle(question, { address: '10.244.0.5', transport: 'udp' }, (reply) => {
          const same = Buffer.from(reply.subarray(12, 12 + decoded.query.question.length)).equals(
            Buffer.from(decoded.query.question),
          );
          if (!same || reply[0] !== question[0] || reply[1] !== question[1])
            strange.push(Buffer.from(reply).toString('hex'));
          resolve();
        });
      });
    }
    expect(strange).toEqual([]);
    expect(mistakes).toEqual([]);
  });
});
