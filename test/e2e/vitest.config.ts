import { defineConfig } from 'vitest/config';
import LongestFirst from './longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.e2e.test.ts', 'test/cri/**/*.e2e.test.ts'],
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
