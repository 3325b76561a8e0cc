import { expect, it } from 'vitest';
import { realEventLoop } from '../event-loop.node.ts';
import { fuzzSeed } from './fuzz-run.ts';

// `npm run fuzz` sweeps many seeds.
it.each([1, 2])('random manifests break neither server nor node (seed %d)', { timeout: 120_000 }, async (seed) => {
  const report = await fuzzSeed({ seed, pods: 40, loop: realEventLoop });
  expect(report.problems).toEqual([]);
  // The test would prove nothing if the server refused all manifests.
  expect(report.accepted).toBeGreaterThan(4);
});
