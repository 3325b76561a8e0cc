import { defineConfig } from 'vitest/config';
import { inShort } from './extent.ts';
import LongestFirst from './longest-first.ts';

/**
 * Suites of `npm run e2e` alone: the soak keeps a whole core busy for as long as it runs, and what the runtime's adapter does is seen in
 * every other suite.
 */
const WHOLE_ONLY = ['test/e2e/soak.e2e.test.ts', 'test/cri/containerd.e2e.test.ts'];

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.e2e.test.ts', 'test/cri/**/*.e2e.test.ts'],
    exclude: inShort(WHOLE_ONLY, []),
    pool: 'forks',
    // Each suite has a host of its own and mostly waits; no verdict rests on how fast the machine is.
    fileParallelism: true,
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    globalSetup: 'test/e2e/global-set-up.ts',
  },
});
