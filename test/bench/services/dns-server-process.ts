/** The DNS server of the bench in a process of its own, with made-up services; tells how much CPU it has used when asked. */
import { createMetrics, silentLogger } from '../../../src/lib/index.ts';
import { systemClock } from '../../../src/lib/clock.node.ts';
import { createDnsMetrics } from '../../../src/network/dns/dns-metrics.ts';
import { DnsServer } from '../../../src/network/dns/dns-server.ts';
import { openDnsSockets } from '../../../src/network/dns/dns-sockets.node.ts';
import { service, slice } from '../../../src/network/dns/dns.fixtures.ts';
import type { ClusterView } from '../../../src/network/dns/cluster-records.ts';
import { AllowedClients } from '../../../src/network/dns/allowed-clients.ts';

const count = Number(process.argv[2]);
const ips = (at: number) => [1, 2, 3].map((pod) => `10.${64 + pod}.${at >> 8}.${at & 255}`);
const services = new Map(
  Array.from({ length: count }, (_, at) => [
    service(`svc-${at}`, { clusterIP: `10.96.${at >> 8}.${at & 255}`, ports: [{ name: 'http', port: 80 }] }),
    service(`peers-${at}`, { clusterIP: 'None', ports: [{ name: 'http', port: 80 }] }),
  ])
    .flat()
    .map((each) => [`default/${each.metadata?.name}`, each]),
);
const slices = new Map(
  Array.from({ length: count }, (_, at) => [
    `default/peers-${at}`,
    [
      slice(
        `peers-${at}`,
        ips(at).map((ip) => ({ ip, uid: ip })),
        [{ name: 'http', port: 80 }],
      ),
    ],
  ]),
);
const view: ClusterView = {
  zone: ['cluster', 'local'],
  verdictOf: () => undefined,
  ownAddress: '127.0.0.1',
  next: Math.random,
  directory: {
    service: (namespace, name) => services.get(`${namespace}/${name}`),
    servicesIn: () => [],
    slices: (namespace, name) => slices.get(`${namespace}/${name}`) ?? [],
    slicesAt: () => [],
    servicesAt: () => [],
  },
};
const metrics = createDnsMetrics(createMetrics());
const clients = new AllowedClients(
  { clock: systemClock, addresses: () => [], localNetworks: async () => [] },
  '10.244.0.0/24',
);
const server = new DnsServer(
  { clock: systemClock, logger: silentLogger, metrics },
  {
    view,
    directory: { synced: true, waitForSync: async () => {} },
    forwarder: { resolve: () => Promise.reject(new Error('nothing is forwarded')) },
    upstream: () => [],
    cameRound: () => false,
    others: () => undefined,
    isAllowed: clients.isAllowed,
  },
  new AbortController().signal,
);
const port = 20_000 + (process.pid % 20_000);
const result = await openDnsSockets(silentLogger).listen({ address: '127.0.0.1', port }, server.handle);
if (!result.ok) throw new Error(result.message);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuSeconds: (user + system) / 1e6 });
});
process.send?.({ port });
