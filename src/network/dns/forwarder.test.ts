import { describe, expect, it } from 'vitest';
import { createMetrics, seededRandom } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { decodeQuery, type Query } from './codec/decode-query.ts';
import { encodeAnswer } from './codec/encode-answer.ts';
import { queryFor } from './codec/encode-query.ts';
import type { Answer, DnsRecord } from './codec/records.ts';
import { RCODE, TYPE } from './codec/wire.ts';
import { createDnsMetrics } from './dns-metrics.ts';
import { queryPacket, readAnswer } from './dns.fixtures.ts';
import type { DnsSockets, Exchange, ServerAddress } from './dns-sockets.ts';
import { Forwarder } from './forwarder.ts';
import { MAX_FORWARDS } from './limits.ts';

type Reply = Partial<Answer> & { readonly id?: number; readonly name?: string; readonly truncated?: boolean };
/** What a server does: answers, says that nobody listens, or nothing. */
type Behaviour = (exchange: Exchange, query: Query) => Reply | 'unreachable' | 'silent';

const NOTHING: Answer = { code: 0, authoritative: false, answers: [], authority: [], additional: [] };

function queryOf(name: string, options: Parameters<typeof queryPacket>[2] = {}): Query {
  const decoded = decodeQuery(queryPacket(name, TYPE.A, options));
  if (decoded.kind !== 'query') throw new Error(decoded.kind);
  return decoded.query;
}

function a(address: string, ttl = 60, name = 'www.example.test'): DnsRecord {
  return { name: name.split('.'), ttl, type: TYPE.A, address };
}

function world(behaviours: Readonly<Record<string, Behaviour>>) {
  const clock = createManualClock();
  const registry = createMetrics();
  const asked: string[] = [];
  const sent: Exchange[] = [];
  const stop = new AbortController();
  let open = 0;
  const sockets: DnsSockets = {
    listen: () => Promise.reject(new Error('not here')),
    exchange: (exchange) => {
      const { server, transport, packet, accept, signal } = exchange;
      asked.push(`${transport} ${server.address}`);
      sent.push(exchange);
      open += 1;
      const decoded = decodeQuery(packet);
      if (decoded.kind !== 'query') throw new Error('no query');
      const behaviour = behaviours[server.address]?.(exchange, decoded.query) ?? 'silent';
      return new Promise((resolve) => {
        let ended = false;
        const end = (answer: Uint8Array | undefined): void => {
          if (!ended) open -= 1;
          ended = true;
          resolve(answer);
        };
        signal.addEventListener('abort', () => end(undefined), { once: true });
        if (behaviour === 'unreachable') end(undefined);
        if (typeof behaviour === 'string') return;
        const { id = decoded.query.id, name, truncated = false, ...answer } = behaviour;
        const query = name === undefined ? decoded.query : queryFor(decoded.query, name.split('.'));
        const bytes = encodeAnswer({ ...query, id }, { ...NOTHING, ...answer }, 65_535);
        if (truncated) bytes[2] = (bytes[2] ?? 0) | 2;
        if (accept(bytes)) end(bytes);
      });
    },
  };
  const forwarder = new Forwarder(
    { sockets, clock, random: seededRandom(7), metrics: createDnsMetrics(registry) },
    stop.signal,
  );
  const servers: readonly ServerAddress[] = Object.keys(behaviours).map((address) => ({ address, port: 53 }));
  const route = { servers: () => servers, mayKeep: true };
  const resolve = (query: Query, mayKeep = true) => forwarder.resolve(query, { ...route, mayKeep });
  return { clock, registry, asked, sent, resolve, stop, openExchanges: () => open };
}

const known: Behaviour = () => ({ answers: [a('192.0.2.1')] });

describe('the forwarder', () => {
  it('asks with an id of its own, and answers with that of the client, in its spelling', async () => {
    const { resolve, sent } = world({ '9.9.9.9': known });
    const packet = await resolve(queryOf('WWW.example.test', { id: 99 }));
    expect(readAnswer(packet)).toMatchObject({
      id: 99,
      code: 'NOERROR',
      answers: ['www.example.test. 60 A 192.0.2.1'],
    });
    expect(Buffer.from(packet).toString('latin1')).toContain('WWW');
    expect(sent[0]?.packet.slice(0, 2)).not.toEqual(Uint8Array.of(0, 99));
  });

  it('asks once for all who ask the same, and keeps the answer for its time', async () => {
    const { resolve, asked, clock } = world({ '9.9.9.9': known });
    await Promise.all([resolve(queryOf('www.example.test')), resolve(queryOf('www.Example.test'))]);
    await clock.advance(20_500);
    expect(readAnswer(await resolve(queryOf('www.example.test'))).answers).toEqual([
      'www.example.test. 40 A 192.0.2.1',
    ]);
    expect(asked).toHaveLength(1);
    await clock.advance(40_000);
    await resolve(queryOf('www.example.test'));
    expect(asked).toHaveLength(2);
  });

  it('keeps nothing of another server of the cluster, nor what grants no time', async () => {
    const { resolve, asked } = world({
      '9.9.9.9': (_, { name }) => ({ answers: [a('192.0.2.1', 0, name.join('.'))] }),
    });
    for (const mayKeep of [true, true, false, false]) await resolve(queryOf('www.example.test'), mayKeep);
    expect(asked).toHaveLength(4);
  });

  it('tells questions with and without EDNS apart', async () => {
    const { resolve, asked } = world({ '9.9.9.9': known });
    await resolve(queryOf('www.example.test'));
    const packet = await resolve(queryOf('www.example.test', { edns: { dnssec: true } }));
    expect(asked).toHaveLength(2);
    expect(readAnswer(packet).additional).toEqual(['OPT 1232 8000']);
  });

  it('asks the next server after a second, and the silent one last for a while', async () => {
    const { resolve, asked, clock, openExchanges } = world({ '1.1.1.1': () => 'silent', '2.2.2.2': known });
    const answer = resolve(queryOf('www.example.test'));
    await clock.advance(999);
    expect(asked).toEqual(['udp 1.1.1.1']);
    await clock.advance(1);
    expect(readAnswer(await answer).code).toBe('NOERROR');
    expect(asked).toEqual(['udp 1.1.1.1', 'udp 2.2.2.2']);
    await settle();
    expect(openExchanges()).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    await resolve(queryOf('other.example.test'));
    expect(asked.slice(2)).toEqual(['udp 2.2.2.2']);
    await clock.advance(10_000);
    void resolve(queryOf('third.example.test'));
    await settle();
    expect(asked.at(-1)).toBe('udp 1.1.1.1');
  });

  it.each<[string, Behaviour]>([
    ['cannot be reached', () => 'unreachable'],
    ['fails', () => ({ code: RCODE.SERVFAIL })],
    ['refuses', () => ({ code: RCODE.REFUSED })],
  ])('asks the next server at once if one %s', async (_what, first) => {
    const { resolve, asked } = world({ '1.1.1.1': first, '2.2.2.2': known });
    expect(readAnswer(await resolve(queryOf('www.example.test'))).code).toBe('NOERROR');
    expect(asked).toEqual(['udp 1.1.1.1', 'udp 2.2.2.2']);
  });

  it('passes on what all servers say, or that none answered', async () => {
    const refusing = world({ '1.1.1.1': () => ({ code: RCODE.REFUSED }), '2.2.2.2': () => ({ code: RCODE.REFUSED }) });
    expect(readAnswer(await refusing.resolve(queryOf('www.example.test'))).code).toBe('REFUSED');
    const silent = world({ '1.1.1.1': () => 'silent' });
    const answer = silent.resolve(queryOf('www.example.test'));
    await silent.clock.advance(4500);
    expect(readAnswer(await answer).code).toBe('SERVFAIL');
    const none = world({});
    expect(readAnswer(await none.resolve(queryOf('www.example.test'))).code).toBe('SERVFAIL');
  });

  it.each<[string, (query: Query) => Reply]>([
    ['another id', ({ id }) => ({ id: id ^ 1 })],
    ['another question', () => ({ name: 'evil.example.test' })],
  ])('takes no answer with %s', async (_what, wrong) => {
    const { resolve, clock } = world({ '1.1.1.1': (_, query) => ({ answers: [a('6.6.6.6')], ...wrong(query) }) });
    const answer = resolve(queryOf('www.example.test'));
    await clock.advance(4500);
    expect(readAnswer(await answer)).toMatchObject({ code: 'SERVFAIL', answers: [] });
  });

  it('asks by TCP what does not fit into UDP', async () => {
    const { resolve, asked } = world({
      '1.1.1.1': ({ transport }) => (transport === 'udp' ? { truncated: true } : { answers: [a('192.0.2.1')] }),
    });
    expect(readAnswer(await resolve(queryOf('www.example.test')))).toMatchObject({
      truncated: false,
      answers: ['www.example.test. 60 A 192.0.2.1'],
    });
    expect(asked).toEqual(['udp 1.1.1.1', 'tcp 1.1.1.1']);
  });

  it('serves stale answers while nobody gives newer ones, for a day', async () => {
    let up = true;
    const { resolve, clock, asked, registry } = world({
      '1.1.1.1': () => (up ? { answers: [a('192.0.2.1')] } : 'unreachable'),
    });
    await resolve(queryOf('www.example.test'));
    up = false;
    await clock.advance(61_000);
    expect(readAnswer(await resolve(queryOf('www.example.test'))).answers).toEqual([
      'www.example.test. 30 A 192.0.2.1',
    ]);
    const before = asked.length;
    // Right after a failure nobody is asked again.
    await resolve(queryOf('www.example.test'));
    expect(asked).toHaveLength(before);
    expect(registry.text()).toContain('coredns_cache_served_stale_total{server="dns://:53",zones="."} 2');
    await clock.advance(5000);
    up = true;
    expect(readAnswer(await resolve(queryOf('www.example.test'))).answers).toEqual([
      'www.example.test. 60 A 192.0.2.1',
    ]);
    up = false;
    await clock.advance(86_400_000 + 60_001);
    expect(readAnswer(await resolve(queryOf('www.example.test'))).code).toBe('SERVFAIL');
  });

  it('gives the stale answer before the patience of the client ends', async () => {
    let up = true;
    const { resolve, clock } = world({ '1.1.1.1': () => (up ? { answers: [a('192.0.2.1')] } : 'silent') });
    await resolve(queryOf('www.example.test'));
    up = false;
    await clock.advance(61_000);
    const answer = resolve(queryOf('www.example.test'));
    await clock.advance(1800);
    expect(readAnswer(await answer).answers).toEqual(['www.example.test. 30 A 192.0.2.1']);
  });

  it('refuses what goes beyond its bound, and ends with the agent', async () => {
    const { resolve, stop, clock } = world({ '1.1.1.1': () => 'silent' });
    const waiting = Array.from({ length: MAX_FORWARDS }, (_, at) => resolve(queryOf(`a${at}.example.test`)));
    await settle();
    expect(readAnswer(await resolve(queryOf('one.more.test'))).code).toBe('REFUSED');
    stop.abort();
    await clock.advance(4500);
    for (const packet of await Promise.all(waiting)) expect(readAnswer(packet).code).toBe('SERVFAIL');
  });
});
