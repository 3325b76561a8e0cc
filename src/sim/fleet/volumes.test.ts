/** Fleets whose stateful sets have volumes that are folders of nodes. */
import { expect, it } from 'vitest';
import { realEventLoop } from '../event-loop.node.ts';
import { runFleet } from './run-fleet.ts';

const NOTHING_ELSE = { deployments: 0, replicas: 0, statefulSets: 0, daemonSets: 0, jobs: 0 };
const MINUTES = 10;

it.each([1, 2])('keeps volumes under the nemeses of seed %i', async (seed) => {
  const options = { nodes: 6, size: NOTHING_ELSE, volumeSets: 2, minutes: MINUTES };
  const { failure } = await runFleet({ seed: `volumes ${seed}`, loop: realEventLoop }, options);
  expect(failure).toBeUndefined();
});
