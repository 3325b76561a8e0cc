/** 1,000 volumes of a driver that hangs: few calls reach it at once, and other drivers go on. */
import { expect, it } from 'vitest';
import type { CsiDriver } from '../../csi/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { Drivers } from './drivers.ts';
import { MAX_CALLS_PER_DRIVER, MAX_QUESTIONS_PER_DRIVER } from './limits.ts';

const VOLUMES = 1000;
const info = { nodeId: 'n', maxVolumes: 0, topology: {} };
const unasked = (): Promise<never> => Promise.reject(new Error('not asked'));

function driver(onCall: () => Promise<never>): CsiDriver {
  return {
    info: unasked,
    capabilities: unasked,
    stage: onCall,
    unstage: unasked,
    publish: unasked,
    unpublish: unasked,
    stats: onCall,
    expand: unasked,
    close: () => {},
  };
}

const never = (): Promise<never> => new Promise(() => {});

it.each([
  ['call', MAX_CALLS_PER_DRIVER],
  ['ask', MAX_QUESTIONS_PER_DRIVER],
] as const)('a driver that hangs has few of each kind at once (%s), and another one answers', async (way, most) => {
  const drivers = new Drivers();
  const register = (name: string, calls: CsiDriver): void =>
    drivers.register({ name, endpoint: '/s', info, capabilities: new Set(), calls });
  let reached = 0;
  register(
    'bad',
    driver(() => ((reached += 1), never())),
  );
  register('good', driver(unasked));
  const waiting = Array.from({ length: VOLUMES }, () => drivers[way]('bad', ({ calls }) => calls.stats('h', '/p', '')));
  for (const each of waiting) each.catch(() => {});
  await settle();
  expect(reached).toBe(most);
  expect(await drivers[way]('good', async ({ name }) => name)).toBe('good');
});

it('questions get through to a driver that is busy with calls', async () => {
  const drivers = new Drivers();
  drivers.register({ name: 'd', endpoint: '/s', info, capabilities: new Set(), calls: driver(never) });
  for (let i = 0; i < VOLUMES; i++) void drivers.call('d', ({ calls }) => calls.stats('h', '/p', ''));
  expect(await drivers.ask('d', async ({ name }) => name)).toBe('d');
});
