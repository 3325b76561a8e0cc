import { expect, it } from 'vitest';
import { podNetwork } from './pod-network.ts';
import { natRules } from './packet-filter.ts';
import { ipRouteArguments, planPeerRoutes, routeMetric } from './peer-routes.ts';

const network = { bridge: 'mndt-abcdef' };
const metric = routeMetric(network);
const owner = ['proto', '118', 'metric', String(metric)];
const ours = (dst: string, gateway: string) => ({ dst, gateway, protocol: '118', metric });

it('makes what is missing, changes what leads elsewhere, and removes what nobody wants any more', () => {
  const routes = [
    ours('10.244.1.0/24', '192.0.2.1'),
    ours('10.244.2.0/24', '192.0.2.2'),
    ours('10.244.3.0/24', '192.0.2.3'),
    { ...ours('10.244.9.0/24', '192.0.2.9'), metric: metric + 1 },
    { dst: '10.244.8.0/24', gateway: '192.0.2.8', protocol: 'static' },
  ];
  const peers = [
    { cidr: '10.244.1.0/24', via: '192.0.2.1' },
    { cidr: '10.244.2.0/24', via: '192.0.2.22' },
    { cidr: '10.244.4.0/24', via: '192.0.2.4' },
    { cidr: '10.244.5.0/24' },
  ];
  expect(planPeerRoutes(network, peers, routes).map(ipRouteArguments)).toEqual([
    ['-4', 'route', 'delete', '10.244.3.0/24', ...owner],
    ['-4', 'route', 'replace', '10.244.2.0/24', 'via', '192.0.2.22', ...owner],
    ['-4', 'route', 'replace', '10.244.4.0/24', 'via', '192.0.2.4', ...owner],
  ]);
});

it('tells two instances apart', () => {
  expect(routeMetric({ bridge: 'mndt-abcdeg' })).not.toBe(metric);
});

it('leaves pods their addresses towards other nodes’ pods, whether there is a route or not', () => {
  const own = podNetwork('abcdef', '10.244.0.0/24');
  if (typeof own === 'string') throw new Error(own);
  expect(natRules(own, ['10.244.1.0/24']).slice(2, 5)).toEqual([
    '-A MENDLET-SNAT-abcdef -d 224.0.0.0/4 -j RETURN',
    '-A MENDLET-SNAT-abcdef -s 10.244.0.0/24 -d 10.244.1.0/24 -j RETURN',
    '-A MENDLET-SNAT-abcdef -s 10.244.0.0/24 ! -d 10.244.0.0/24 -j MASQUERADE',
  ]);
});
