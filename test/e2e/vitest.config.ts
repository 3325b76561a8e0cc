import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.e2e.test.ts', 'test/cri/**/*.e2e.test.ts'],
    pool: 'forks',
    // Real containers on one machine: one suite at a time keeps their timings honest.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    globalSetup: 'test/e2e/global-set-up.ts',
  },
});
