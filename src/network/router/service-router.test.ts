import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EndpointSlice, Service } from '../../api/index.ts';
import { systemClock } from '../../lib/clock.node.ts';
import { createMetrics, silentLogger } from '../../lib/index.ts';
import { TestTable } from '../../../test/support/test-table.ts';
import { LocalVerdicts } from '../services/local-verdicts.ts';
import type { ServiceDirectory } from '../services/service-directory.ts';
import { HealthChecks } from './health-checks.ts';
import type { RouterMachine, TrackedConnection } from './router-machine.ts';
import { ServiceRouter } from './service-router.ts';

const settings = {
  instanceId: 'test',
  podNetworks: ['10.244.0.0/16'],
  serviceNetworks: ['10.96.0.0/16'],
  routesHost: true,
};

let services: Map<string, { service: Service; slices: readonly EndpointSlice[] }>;
let changed: (key: string) => void;
let table: TestTable;
let texts: string[];
let refusals: number;
/** When transactions began, ms. */
let begunAt: number[];
let hold: Promise<void> | undefined;
let flows: readonly TrackedConnection[];
/** How often the UDP flows were listed. */
let listed: number;
let begun: readonly TrackedConnection[];
let forgotten: string[];
let verdicts: LocalVerdicts;
let router: ServiceRouter;
const metrics = createMetrics();
let end: AbortController;

function service(name: string, ips: readonly string[], udp = true): void {
  const servicePorts = [{ port: 80 }, ...(udp ? [{ name: 'u', port: 53, protocol: 'UDP' }] : [])];
  const spec = { clusterIP: `10.96.0.${name.length}`, ports: servicePorts };
  const endpoints = ips.map((ip) => ({
    addresses: [ip],
    nodeName: 'here',
    targetRef: { kind: 'Pod', uid: `uid-${ip}` },
  }));
  const ports = [
    { name: '', port: 8080, protocol: 'TCP' },
    { name: 'u', port: 53, protocol: 'UDP' },
  ];
  const labels = { 'kubernetes.io/service-name': name };
  const slice: EndpointSlice = { metadata: { namespace: 'team', labels }, addressType: 'IPv4', ports, endpoints };
  services.set(`team/${name}`, { service: { metadata: { namespace: 'team', name }, spec }, slices: [slice] });
  changed(`team/${name}`);
}

function directory(): ServiceDirectory {
  const slices = () => [...services.values()].flatMap((each) => each.slices);
  return {
    synced: true,
    services: () => [...services.values()].map((each) => each.service),
    service: (namespace, name) => services.get(`${namespace}/${name}`)?.service,
    slices: (namespace, name) => services.get(`${namespace}/${name}`)?.slices ?? [],
    slicesOfPod: (uid) =>
      slices().filter(({ endpoints }) => endpoints?.some(({ targetRef }) => targetRef?.uid === uid)),
    slicesAt: () => [],
    servicesAt: () => [],
    servicesIn: () => [],
    onChange: (listener) => {
      changed = listener;
      return () => {};
    },
    waitForSync: async () => {},
  };
}

const machine: RouterMachine = {
  apply: async (text) => {
    begunAt.push(performance.now());
    await hold;
    if (refusals > 0) {
      refusals--;
      return 'Error: no';
    }
    texts.push(text);
    table.apply(text);
    return undefined;
  },
  outline: async () => undefined,
  contents: async () => undefined,
  removeTable: async () => {},
  watchRemovals: async () => '',
  filterBridges: async () => undefined,
  ensureServiceRoute: async () => undefined,
  removeServiceRoute: async () => undefined,
  removeServiceRoutes: async () => {},
  addresses: () => ['192.0.2.1'],
  udpConnections: async () => {
    listed += 1;
    return flows;
  },
  forget: async ({ answeredBy }) => void forgotten.push(answeredBy),
  begunConnections: async () => begun,
  forgetUntranslated: async (address) => void forgotten.push(`to ${address}`),
};

async function until(what: () => boolean): Promise<void> {
  while (!what()) await systemClock.sleep(1);
}

const targets = (key: string): readonly (string | undefined)[] =>
  [0, 1, 2].map((slot) => table.sets.get(`address-slot-${slot}`)?.get(key)).filter((each) => each !== undefined);

beforeEach(async () => {
  services = new Map();
  changed = () => {};
  begunAt = [];
  listed = 0;
  [table, texts, refusals, hold, flows, begun, forgotten] = [new TestTable(), [], 0, undefined, [], [], []];
  verdicts = new LocalVerdicts();
  service('a', ['10.244.0.1', '10.244.0.2']);
  service('bb', ['10.244.0.1', '192.0.2.1']);
  end = new AbortController();
  const node = { nodeName: 'here', zone: () => undefined, nodeDns: () => undefined };
  const healthChecks = new HealthChecks(async () => ({ close: () => {} }), 'here', silentLogger);
  router = new ServiceRouter({ machine, clock: systemClock, logger: silentLogger, metrics }, node, {
    directory: directory(),
    verdicts,
    healthChecks,
    lostNetworks: undefined,
  });
  void router.run(async () => settings, end.signal);
  await until(() => texts.length === 1);
});
afterEach(() => end.abort());

const A = '10.96.0.1 . tcp . 80';
const B = '10.96.0.2 . tcp . 80';

describe('the router', () => {
  it('has connections forgotten that were begun while no rules were there, after a load alone', async () => {
    const from = { from: '192.0.2.1', fromPort: 40_000 };
    const untranslated = (to: string, toPort: number): TrackedConnection => {
      return { ...from, to, toPort, answeredBy: to, answeredByPort: toPort };
    };
    begun = [
      untranslated('10.96.0.1', 80),
      untranslated('10.96.0.1', 81),
      untranslated('198.51.100.1', 80),
      { ...from, to: '10.96.0.2', toPort: 80, answeredBy: '10.244.0.1', answeredByPort: 8080 },
    ];
    verdicts.give('uid-10.244.0.1', 'dead');
    await until(() => router.isApplied('uid-10.244.0.1'));
    expect(forgotten).toEqual([]);
    await router.reload();
    await until(() => forgotten.length > 0);
    expect(forgotten).toEqual(['to 10.96.0.1']);
  });

  it('lets go who waits for a load when it ends, and who asks for one later', async () => {
    const asked = [router.reload()];
    end.abort();
    asked.push(router.reload());
    await Promise.all(asked);
    await router.reload();
  });

  it('takes a pod that this node knows to be dead out of all its services, in one transaction', async () => {
    expect(router.isApplied('uid-10.244.0.1')).toBe(true);
    verdicts.give('uid-10.244.0.1', 'dead');
    expect(router.isApplied('uid-10.244.0.1')).toBe(false);
    await until(() => router.isApplied('uid-10.244.0.1'));
    expect([targets(A), targets(B), texts.length]).toEqual([['10.244.0.2 . 8080'], ['192.0.2.1 . 8080'], 2]);
    verdicts.lift('uid-10.244.0.1');
    await until(() => targets(A).length === 2);
  });

  it('merges what comes while a transaction is under way', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    service('ccc', ['10.244.0.3']);
    await until(() => begunAt.length === 2);
    for (const ip of ['10.244.0.4', '10.244.0.5', '10.244.0.6']) service('ccc', [ip]);
    service('dddd', ['10.244.0.7']);
    resolve();
    await until(() => targets('10.96.0.4 . tcp . 80').length === 1);
    expect([texts.length, targets('10.96.0.3 . tcp . 80')]).toEqual([3, ['10.244.0.6 . 8080']]);
  });

  it('writes what follows the cluster each tenth of a second at most, and a withdrawal at once', async () => {
    service('ccc', ['10.244.0.3']);
    await until(() => texts.length === 2);
    expect(begunAt[1]! - begunAt[0]!).toBeGreaterThanOrEqual(95);
    service('dddd', ['10.244.0.7']);
    verdicts.give('uid-10.244.0.1', 'dead');
    await until(() => router.isApplied('uid-10.244.0.1'));
    // With it goes what waited.
    expect([texts.length, targets('10.96.0.4 . tcp . 80')]).toEqual([3, ['10.244.0.7 . 8080']]);
  });

  it('loads everything after a refusal, and loses nothing', async () => {
    refusals = 1;
    service('a', ['10.244.0.9']);
    verdicts.give('uid-10.244.0.1', 'dead');
    await until(() => texts.length === 2);
    expect(texts[1]).toContain('delete table ip mendlet-test');
    expect([targets(A), targets(B)]).toEqual([['10.244.0.9 . 8080'], ['192.0.2.1 . 8080']]);
    expect(router.isApplied('uid-10.244.0.1')).toBe(true);
  });

  it('resets connections to a pod that is gone, not to an address of the node, until the address is taken', async () => {
    verdicts.give('uid-10.244.0.1', 'gone');
    verdicts.give('uid-192.0.2.1', 'gone');
    await until(() => router.isApplied('uid-192.0.2.1'));
    const dead = (): readonly string[] => [...(table.sets.get('dead')?.keys() ?? [])];
    expect(dead()).toEqual(['10.244.0.1']);
    await router.reload();
    expect(dead()).toEqual(['10.244.0.1']);
    await router.addressTaken('10.244.0.1');
    expect(dead()).toEqual([]);
  });

  it('forgets UDP flows to endpoints that do not serve', async () => {
    const flow = { to: '10.96.0.1', toPort: 53, from: '10.244.0.8', fromPort: 1, answeredByPort: 53 };
    flows = ['10.244.0.1', '10.244.0.2'].map((answeredBy) => ({ ...flow, answeredBy }));
    service('a', ['10.244.0.2']);
    await until(() => forgotten.length > 0);
    expect(forgotten[0]).toBe('10.244.0.1');
    expect(forgotten).not.toContain('10.244.0.2');
  });

  it('lists no flows for a service without UDP', async () => {
    await until(() => listed === 1);
    for (const ips of [['10.244.0.3'], ['10.244.0.4'], []]) {
      const before = texts.length;
      service('ccc', ips, false);
      await until(() => texts.length > before);
    }
    expect(listed).toBe(1);
    service('a', ['10.244.0.2']);
    await until(() => listed === 2);
  });
});

it('builds the table anew when the networks of services are others', async () => {
  router.settingsChanged({ ...settings, serviceNetworks: ['10.7.0.0/24', '10.96.0.0/16'] });
  await until(() => texts.length === 2);
  expect(texts[1]).toContain('delete table ip mendlet-');
  expect(texts[1]).toContain('elements = { 10.7.0.0/24, 10.96.0.0/16 }');
  expect(targets(A)).toHaveLength(2);
});
