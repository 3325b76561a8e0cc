import { describe, expect, it } from 'vitest';
import { createMetrics, silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import type { Query } from './codec/decode-query.ts';
import { encodeAnswer } from './codec/encode-answer.ts';
import type { DnsRecord } from './codec/records.ts';
import { RCODE, TYPE } from './codec/wire.ts';
import { createDnsMetrics } from './dns-metrics.ts';
import { DnsServer } from './dns-server.ts';
import { queryPacket, readAnswer, service, slice, viewOf } from './dns.fixtures.ts';
import type { ServerAddress, Transport } from './dns-sockets.ts';
import type { Route } from './forwarder.ts';
import { MAX_PENDING_PER_CLIENT } from './limits.ts';

const SERVICES = [
  service('web', { clusterIP: '10.96.0.7', ports: [{ port: 80 }] }),
  service('out', { type: 'ExternalName', externalName: 'www.example.test' }),
  service('many', { clusterIP: 'None' }),
];
const SLICES = [
  slice(
    'many',
    Array.from({ length: 100 }, (_, at) => ({ ip: `10.244.1.${at}` })),
  ),
];

interface World {
  synced?: boolean;
  others?: readonly ServerAddress[];
  resolve?: (query: Query, route: Route) => Promise<Uint8Array>;
}

function world(settings: World = {}) {
  const clock = createManualClock();
  const registry = createMetrics();
  const synced = Promise.withResolvers<void>();
  const state = { synced: settings.synced ?? true };
  const forwarded: string[] = [];
  const server = new DnsServer(
    { clock, logger: silentLogger, metrics: createDnsMetrics(registry) },
    {
      view: viewOf(SERVICES, SLICES),
      directory: {
        get synced() {
          return state.synced;
        },
        waitForSync: (signal) =>
          Promise.race([
            synced.promise,
            new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('late')))),
          ]),
      },
      forwarder: {
        resolve: async (query, route) => {
          forwarded.push(`${query.name.join('.')} ${route.mayKeep ? 'out' : 'zone'}`);
          if (settings.resolve !== undefined) return settings.resolve(query, route);
          const record: DnsRecord = { name: query.name, ttl: 60, type: TYPE.A, address: '192.0.2.80' };
          const answer = { code: 0, authoritative: false, answers: [record], authority: [], additional: [] };
          return encodeAnswer(query, answer, 65_535);
        },
      },
      upstream: () => [],
      cameRound: () => false,
      others: () => settings.others,
      isAllowed: (address) => address.startsWith('10.244.'),
    },
    new AbortController().signal,
  );
  const send = (packet: Uint8Array, from: { address?: string; transport?: Transport } = {}): Uint8Array[] => {
    const replies: Uint8Array[] = [];
    server.handle(packet, { address: '10.244.0.5', transport: 'udp', ...from }, (reply) => replies.push(reply));
    return replies;
  };
  const ask = async (name: string, type: number = TYPE.A, from: Parameters<typeof send>[1] = {}) => {
    const replies = send(queryPacket(name, type), from);
    await settle();
    return replies.map(readAnswer)[0];
  };
  const sync = (): void => {
    state.synced = true;
    synced.resolve();
  };
  return { clock, registry, send, ask, sync, forwarded };
}

describe('the DNS server', () => {
  it('answers names of the cluster itself, at once', () => {
    const { send, registry } = world();
    const [reply] = send(queryPacket('web.default.svc.cluster.local', TYPE.A));
    expect(readAnswer(reply!)).toMatchObject({
      authoritative: true,
      answers: ['web.default.svc.cluster.local. 30 A 10.96.0.7'],
    });
    const text = registry.text();
    expect(text).toContain('coredns_dns_requests_total{server="dns://:53",zone=".",proto="udp",family="1",type="A"} 1');
    expect(text).toContain(
      'coredns_dns_responses_total{server="dns://:53",zone=".",rcode="NOERROR",plugin="kubernetes"} 1',
    );
    expect(text).toContain('coredns_dns_request_duration_seconds_count{server="dns://:53",zone="."} 1');
  });

  it('holds questions until it has read the services, but not for ever', async () => {
    const { send, clock, sync } = world({ synced: false });
    const question = queryPacket('web.default.svc.cluster.local', TYPE.A);
    const first = send(question);
    await clock.advance(5000);
    // glibc's second packet: a start that takes long fails neither.
    const second = send(question);
    await clock.advance(4999);
    expect([...first, ...second]).toEqual([]);
    await clock.advance(1);
    for (const [answer] of [first, second]) expect(readAnswer(answer!).code).toBe('SERVFAIL');
    const later = send(question);
    await clock.advance(2499);
    expect(later).toEqual([]);
    await clock.advance(1);
    expect(readAnswer(later[0]!).code).toBe('SERVFAIL');
    const last = send(question);
    sync();
    await settle();
    expect(readAnswer(last[0]!).answers).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('answers nobody but the node and its pods', async () => {
    const { ask, forwarded } = world();
    expect(await ask('www.example.test', TYPE.A, { address: '203.0.113.9' })).toMatchObject({
      code: 'REFUSED',
      answers: [],
    });
    expect(forwarded).toEqual([]);
  });

  it('never answers what is no query', () => {
    const { send, registry } = world();
    expect(send(queryPacket('web', TYPE.A, { flags: 0x8000 }))).toEqual([]);
    expect(send(new Uint8Array(5))).toEqual([]);
    expect(registry.text()).toContain('mendlet_dns_ignored_packets_total 2');
  });

  it('follows an external name, and says who it is', async () => {
    const { ask, forwarded } = world();
    expect((await ask('out.default.svc.cluster.local'))?.answers).toEqual([
      'out.default.svc.cluster.local. 5 CNAME www.example.test.',
      'www.example.test. 60 A 192.0.2.80',
    ]);
    expect(forwarded).toEqual(['www.example.test out']);
  });

  it('leaves the cluster to another server that is there', async () => {
    const { ask, forwarded } = world({ others: [{ address: '10.244.0.9', port: 53 }] });
    await ask('web.default.svc.cluster.local');
    await ask('www.example.test');
    expect(forwarded).toEqual(['web.default.svc.cluster.local zone', 'www.example.test out']);
  });

  it('tells a client by UDP to come by TCP for more', async () => {
    const { ask } = world();
    const byUdp = await ask('many.default.svc.cluster.local');
    expect(byUdp?.truncated).toBe(true);
    expect(byUdp?.answers.length).toBeGreaterThan(20);
    const byTcp = await ask('many.default.svc.cluster.local', TYPE.A, { transport: 'tcp' });
    expect(byTcp).toMatchObject({ truncated: false });
    expect(byTcp?.answers).toHaveLength(100);
    const large = world({ resolve: async (query) => encodeAnswer(query, { ...LARGE, answers: many(query) }, 65_535) });
    expect(await large.ask('www.example.test')).toMatchObject({ truncated: true, answers: [] });
    expect((await large.ask('www.example.test', TYPE.A, { transport: 'tcp' }))?.answers).toHaveLength(100);
  });

  it('bounds what one client may have waiting, and goes on after a mistake', async () => {
    const flooded = world({ resolve: () => new Promise(() => {}) });
    for (let at = 0; at < MAX_PENDING_PER_CLIENT; at++) flooded.send(queryPacket(`a${at}.example.test`, TYPE.A));
    expect((await flooded.ask('www.example.test'))?.code).toBe('REFUSED');
    expect(await flooded.ask('www.example.test', TYPE.A, { address: '10.244.0.6' })).toBeUndefined();
    expect((await flooded.ask('web.default.svc.cluster.local'))?.code).toBe('NOERROR');
    const broken = world({ resolve: () => Promise.reject(new Error('a mistake')) });
    expect((await broken.ask('www.example.test'))?.code).toBe('SERVFAIL');
  });

  const LARGE = { code: RCODE.NOERROR, authoritative: false, answers: [], authority: [], additional: [] };
  const many = ({ name }: Query): DnsRecord[] =>
    Array.from({ length: 100 }, (_, at) => ({ name, ttl: 5, type: TYPE.A, address: `192.0.2.${at}` }));
});
