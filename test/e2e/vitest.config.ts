import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { inShort } from './extent.ts';
import LongestFirst from './longest-first.ts';

/**
 * Suites of `npm run e2e` alone: the soaks keep a whole core busy as long as they run, every other suite exercises the
 * runtime's adapter, too, and suites that run side by side are many mendlets on one machine already.
 */
const WHOLE_ONLY = [
  'test/e2e/soak.e2e.test.ts',
  'test/e2e/volumes-soak.e2e.test.ts',
  // What claims keep is tried by `claims` and `databases`; these wait for nodes to be given up, and for machines to stop and start.
  'test/e2e/lost-nodes.e2e.test.ts',
  'test/e2e/claims-down.e2e.test.ts',
  'test/e2e/two-mendlets.e2e.test.ts',
  // The node's duties are tested by `csi`, the decisions of the rest in unit tests and simulation; these have two nodes, or the
  // sidecars of a driver, or both.
  'test/e2e/csi-attach.e2e.test.ts',
  'test/e2e/csi-example-attach.e2e.test.ts',
  'test/e2e/csi-example.e2e.test.ts',
  'test/e2e/csi-topology.e2e.test.ts',
  // The decisions and the watch have their unit tests; this waits for the periods of real drivers.
  'test/e2e/csi-healing.e2e.test.ts',
  // It needs a loop device that may be cut short while it is mounted.
  'test/e2e/failing-disk.e2e.test.ts',
  // A cluster of its own for what the suites of volumes test on ours.
  'test/e2e/foreign-volumes.e2e.test.ts',
  // What an operator needs is tested piece by piece by `custom-resources`, `server-side-apply` and `ownership`.
  // Conversion is tested with a webhook in the process by the unit tests.
  'test/e2e/conversion-webhook.e2e.test.ts',
  'test/e2e/operator.e2e.test.ts',
  // Its parts are tested in unit tests; under a load of its own it waits for two rounds of measurements.
  'test/e2e/autoscaler.e2e.test.ts',
  'test/cri/containerd.e2e.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.e2e.test.ts', 'test/cri/**/*.e2e.test.ts'],
    exclude: inShort(WHOLE_ONLY, []),
    pool: 'forks',
    // Hundreds of processes run the same program: they need not compile it each anew.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, '..', '..', '.cache', 'e2e', 'compiled') },
    // Each suite has its own host and mostly waits; no verdict depends on the speed of the machine. Four at once leave a third
    // of two cores idle.
    fileParallelism: true,
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // The harness waits as long.
    expect: { poll: { timeout: 300_000, interval: 200 } },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    globalSetup: 'test/e2e/global-set-up.ts',
  },
});
