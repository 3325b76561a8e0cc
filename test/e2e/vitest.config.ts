import { defineConfig } from 'vitest/config';
import LongestFirst from './longest-first.ts';

/** The soak keeps a whole core busy for as long as it runs: it goes with `npm run e2e` and `npm run soak`. */
const BUSY = process.env['MENDLET_E2E_RUNTIMES'] === 'all' ? [] : ['test/e2e/soak.e2e.test.ts'];

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.e2e.test.ts', 'test/cri/**/*.e2e.test.ts'],
    exclude: BUSY,
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
