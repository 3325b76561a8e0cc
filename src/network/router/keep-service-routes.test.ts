import { beforeEach, describe, expect, it } from 'vitest';
import type { ServiceCIDR } from '../../api/index.ts';
import type { Change } from '../../client/index.ts';
import { silentLogger } from '../../lib/index.ts';
import { createManualClock, type ManualClock } from '../../lib/manual-clock.node.ts';
import { tellsOfRoute } from '../route-lines.ts';
import { type KnownServiceCidrs, type RoutedNetworks, ServiceRoutes } from './keep-service-routes.ts';
import { type MachineRoute, planServiceRoutes, serviceNetworksOf } from './plan-service-routes.ts';

const OURS = { protocol: '119', metric: 7, dev: 'lo' };
const OTHERS = { protocol: '119', metric: 8, dev: 'lo' };

function cidr(name: string, ...cidrs: string[]): ServiceCIDR {
  return { metadata: { name }, spec: { cidrs } };
}

describe('the plan', () => {
  const plan = (networks: string[], routes: MachineRoute[], decided: [string, boolean][] = []) => {
    const found = planServiceRoutes({ networks, decided: new Map(decided), metric: 7 }, routes);
    return {
      missing: found.missing,
      stale: found.stale,
      isOurs: Object.fromEntries(found.isOurs),
      foreign: found.foreign.map(({ network, route }) => `${network} ${route.dev}`),
    };
  };
  const [a, b] = ['10.96.0.0/16', '10.97.0.0/24'];

  it.each<[string, Parameters<typeof plan>, Partial<ReturnType<typeof plan>>]>([
    ['nothing is right yet', [[a, b], []], { missing: [a, b], isOurs: { [a]: true, [b]: true } }],
    ['all is right', [[a], [{ dst: a, ...OURS }]], { isOurs: { [a]: true } }],
    [
      'a network is gone',
      [
        [a],
        [
          { dst: a, ...OURS },
          { dst: b, ...OURS },
        ],
      ],
      { stale: [b], isOurs: { [a]: true } },
    ],
    [
      'another mendlet’s route stays',
      [
        [a],
        [
          { dst: a, ...OURS },
          { dst: b, ...OTHERS },
        ],
      ],
      { isOurs: { [a]: true } },
    ],
    [
      'a network is another mendlet’s',
      [[a, b], [{ dst: a, ...OTHERS }]],
      { missing: [b], isOurs: { [a]: false, [b]: true }, foreign: [`${a} lo`] },
    ],
    [
      'a network that was ours stays ours',
      [[a], [{ dst: a, ...OTHERS }], [[a, true]]],
      { missing: [a], isOurs: { [a]: true } },
    ],
    ['one that was another’s stays his', [[a], [], [[a, false]]], { isOurs: { [a]: false } }],
  ])('%s', (_, args, wanted) => {
    expect(plan(...args)).toEqual({ missing: [], stale: [], foreign: [], ...wanted });
  });

  it('takes each IPv4 network once', () => {
    expect(serviceNetworksOf([cidr('x', b, 'fd00::/64'), cidr('y', a), cidr('z', b)])).toEqual([a, b]);
  });

  it.each([
    ['Deleted 10.96.0.0/16 dev lo proto 119 scope link metric 77 ', true],
    ['Deleted 10.244.1.0/24 via 10.9.0.3 dev eth0 proto 118 metric 77', true],
    ['10.96.0.0/16 dev lo proto 119 scope link metric 77 ', false],
    ['Deleted 10.0.0.0/8 dev eth0 proto kernel scope link', false],
    ['Deleted 10.0.0.0/8 dev eth0 proto 1191 scope link', false],
  ])('of the line "%s" it is told: %s', (line, expected) => {
    expect(tellsOfRoute(line)).toBe(expected);
  });
});

describe('the routes of a machine', () => {
  let clock: ManualClock;
  let present: MachineRoute[];
  let refusal: string | undefined;
  let told: string[];
  let changes: RoutedNetworks[];
  let objects: ServiceCIDR[];
  let listener: (change: Change<ServiceCIDR>) => void;
  let routes: ServiceRoutes;
  let begun: RoutedNetworks;
  const stop = new AbortController();
  const cidrs: KnownServiceCidrs = {
    synced: true,
    list: () => objects,
    onChange: (found) => {
      listener = found;
      return () => {};
    },
  };
  const publish = async (...next: ServiceCIDR[]): Promise<void> => {
    objects = next;
    listener({ type: 'apply', key: '', object: {} });
    await clock.advance(50);
  };
  const networks = (): (string | undefined)[] => present.map(({ dst }) => dst);

  beforeEach(async () => {
    clock = createManualClock();
    [present, refusal, told, changes, objects] = [[], undefined, [], [], [cidr('kubernetes', '10.96.0.0/16')]];
    const machine = {
      ensureServiceRoute: async ({ network, metric }: { network: string; metric: number }) => {
        if (refusal === undefined) present.push({ ...OURS, dst: network, metric });
        return refusal;
      },
      removeServiceRoute: async ({ network }: { network: string }) => {
        present = present.filter(({ dst }) => dst !== network);
        return undefined;
      },
    };
    const tell = (message: string): void => void told.push(message);
    routes = new ServiceRoutes({ machine, routes: async () => present, clock, logger: silentLogger, tell }, 7, [
      '10.96.0.0/16',
    ]);
    begun = await routes.begin();
    routes.onChange((routed) => changes.push(routed));
    void routes.run(cidrs, stop.signal);
    await clock.advance(0);
  });

  it('follow ServiceCIDRs that come and go', async () => {
    expect(begun).toEqual({ networks: ['10.96.0.0/16'], foreign: [] });
    await publish(cidr('kubernetes', '10.96.0.0/16'), cidr('more', '10.7.0.0/24'));
    expect([networks(), changes]).toEqual([
      ['10.96.0.0/16', '10.7.0.0/24'],
      [{ networks: ['10.7.0.0/24', '10.96.0.0/16'], foreign: [] }],
    ]);
    await publish(cidr('more', '10.7.0.0/24'));
    expect([networks(), changes.slice(1)]).toEqual([['10.7.0.0/24'], [{ networks: ['10.7.0.0/24'], foreign: [] }]]);
    expect(told).toEqual([]);
  });

  it('are back when somebody removed them, told at once or found by a rare look, with an event', async () => {
    present = [];
    routes.again();
    await clock.advance(50);
    expect([networks(), told]).toEqual([
      ['10.96.0.0/16'],
      ['Somebody removed routes of services, which are back: 10.96.0.0/16'],
    ]);
    present = [];
    await clock.advance(60_000);
    expect([networks(), told.length]).toEqual([['10.96.0.0/16'], 2]);
    expect(changes).toEqual([]);
  });

  it('are tried again while the machine refuses', async () => {
    [present, refusal] = [[], 'RTNETLINK answers: Operation not permitted'];
    routes.again();
    await clock.advance(50);
    refusal = undefined;
    await clock.advance(5000);
    expect([networks(), told.length]).toEqual([['10.96.0.0/16'], 1]);
  });

  it('stay as they are while the server has no ServiceCIDR, and while another mendlet takes part', async () => {
    await publish();
    present.push({ dst: '10.96.0.0/16', ...OTHERS });
    await clock.advance(60_000);
    expect([networks(), changes, told]).toEqual([['10.96.0.0/16', '10.96.0.0/16'], [], []]);
  });

  it('leave a network to whoever has it', async () => {
    present.push({ dst: '10.8.0.0/16', dev: 'vpn0' });
    await publish(cidr('kubernetes', '10.96.0.0/16'), cidr('more', '10.8.1.0/24'));
    expect(networks()).toEqual(['10.96.0.0/16', '10.8.0.0/16']);
    expect(changes).toEqual([{ networks: ['10.8.1.0/24', '10.96.0.0/16'], foreign: ['10.8.1.0/24'] }]);
  });
});
