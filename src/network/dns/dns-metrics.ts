/** What the DNS server counts, under the names that CoreDNS has for it. */
import type { Counter, MetricsRegistry } from '../../lib/index.ts';
import { nameOf, RCODE, TYPE } from './codec/wire.ts';
import type { DnsClient, ServerAddress } from './dns-sockets.ts';

/** Where an answer comes from, in the words of CoreDNS' plugins. */
export type AnswerSource = 'kubernetes' | 'forward' | '';

export interface DnsMetrics {
  request(client: DnsClient, type: number): void;
  /** @param tookMs from the packet to its answer */
  response(code: number, source: AnswerSource, tookMs: number): void;
  /** A packet that is no query. */
  ignored(): void;
  /** A client that is neither this node nor a pod of it. */
  stranger(): void;
  /** @param code undefined: there was no answer */
  forwarded(server: ServerAddress, code: number | undefined, tookMs: number): void;
  forwardRejected(): void;
  cacheHit(): void;
  cacheMiss(): void;
  servedStale(): void;
  cacheEntries(count: number): void;
  onCollect(collect: () => void): void;
}

/** CoreDNS' buckets: 0.25 ms, doubled sixteen times. */
const SECONDS = Array.from({ length: 16 }, (_, at) => 0.000_25 * 2 ** at);
/** CoreDNS' labels of a server with one block for all zones. */
const ALL = { server: 'dns://:53', zone: '.' };

export function createDnsMetrics(registry: MetricsRegistry): DnsMetrics {
  const counter = (name: string, help: string): Counter => registry.counter({ name, help });
  const ignored = counter('mendlet_dns_ignored_packets_total', 'Packets that are no queries.');
  const strangers = counter(
    'mendlet_dns_strangers_total',
    'Queries refused because they came neither from this node nor from its pods.',
  );
  const rejected = counter(
    'coredns_forward_max_concurrent_rejects_total',
    'Queries refused because too many others were being asked.',
  );
  return {
    ...requestMetrics(registry),
    ...cacheMetrics(registry),
    ignored: () => ignored.inc(),
    stranger: () => strangers.inc(),
    forwardRejected: () => rejected.inc(),
    onCollect: (collect) => registry.onCollect(collect),
  };
}

function requestMetrics(registry: MetricsRegistry): Pick<DnsMetrics, 'request' | 'response' | 'forwarded'> {
  const requests = registry.counter({
    name: 'coredns_dns_requests_total',
    help: 'Queries by transport and type.',
    labels: ['server', 'zone', 'proto', 'family', 'type'],
  });
  const responses = registry.counter({
    name: 'coredns_dns_responses_total',
    help: 'Answers by code and by who knew them.',
    labels: ['server', 'zone', 'rcode', 'plugin'],
  });
  const durations = registry.histogram({
    name: 'coredns_dns_request_duration_seconds',
    help: 'Time from a query to its answer.',
    labels: ['server', 'zone'],
    buckets: SECONDS,
  });
  const forwards = registry.histogram({
    name: 'coredns_proxy_request_duration_seconds',
    help: 'Time that other servers took.',
    labels: ['proxy_name', 'to', 'rcode'],
    buckets: SECONDS,
  });
  return {
    request: ({ transport }, type) =>
      requests.inc({ ...ALL, proto: transport, family: '1', type: nameOf(TYPE, type) ?? 'other' }),
    response: (code, plugin, tookMs) => {
      responses.inc({ ...ALL, rcode: nameOf(RCODE, code) ?? String(code), plugin });
      durations.observe(tookMs / 1000, ALL);
    },
    forwarded: ({ address, port }, code, tookMs) => {
      const rcode = code === undefined ? 'none' : (nameOf(RCODE, code) ?? String(code));
      forwards.observe(tookMs / 1000, { proxy_name: 'forward', to: `${address}:${port}`, rcode });
    },
  };
}

function cacheMetrics(
  registry: MetricsRegistry,
): Pick<DnsMetrics, 'cacheHit' | 'cacheMiss' | 'servedStale' | 'cacheEntries'> {
  const of = { server: ALL.server, zones: '.' };
  const hits = registry.counter({
    name: 'coredns_cache_hits_total',
    help: 'Answers of other servers that were still kept.',
    labels: ['server', 'type', 'zones'],
  });
  const misses = registry.counter({
    name: 'coredns_cache_misses_total',
    help: 'Questions that other servers had to be asked.',
    labels: ['server', 'zones'],
  });
  const stale = registry.counter({
    name: 'coredns_cache_served_stale_total',
    help: 'Answers given after their time because nobody had newer ones.',
    labels: ['server', 'zones'],
  });
  const entries = registry.gauge({
    name: 'coredns_cache_entries',
    help: 'Answers of other servers that are kept.',
    labels: ['server', 'type', 'zones'],
  });
  return {
    cacheHit: () => hits.inc({ ...of, type: 'success' }),
    cacheMiss: () => misses.inc(of),
    servedStale: () => stale.inc(of),
    cacheEntries: (count) => entries.set(count, { ...of, type: 'success' }),
  };
}
