/** Routes of the machine that are in the way of a network of services. */
import { expect, it } from 'vitest';
import type { HostRoute } from './conflicting-route.ts';
import type { NetworkMachine } from './network-machine.ts';
import { refuseTakenServiceNetwork } from './set-up-network.ts';

const cases: readonly [string, HostRoute, string | undefined][] = [
  ['the default route', { dst: 'default', dev: 'eth0' }, undefined],
  ['a network of its own', { dst: '192.168.0.0/16', dev: 'eth0' }, undefined],
  ['another mendlet with the same services', { dst: '10.96.0.0/16', dev: 'lo', protocol: '119' }, undefined],
  [
    'an office network around it',
    { dst: '10.0.0.0/8', dev: 'tun0' },
    '--service-cidr 10.96.0.0/16 overlaps the route to 10.0.0.0/8 through tun0; choose another network',
  ],
  [
    'a host within it',
    { dst: '10.96.3.4', dev: 'tun0' },
    '--service-cidr 10.96.0.0/16 overlaps the route to 10.96.3.4 through tun0; choose another network',
  ],
];

it.each(cases)('%s', async (_, route, message) => {
  const machine: Pick<NetworkMachine, 'allRoutes'> = { allRoutes: async () => [route] };
  const checked = refuseTakenServiceNetwork(machine, '10.96.0.0/16');
  if (message === undefined) await checked;
  else await expect(checked).rejects.toThrow(message);
});
