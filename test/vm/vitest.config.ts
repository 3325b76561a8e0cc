import { defineConfig } from 'vitest/config';

/** Separate from the end-to-end suites, because an emulated machine is ten times slower, and one of them fills two cores. */
export default defineConfig({
  test: {
    include: ['test/vm/**/*.e2e.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 7_200_000,
    hookTimeout: 7_200_000,
    globalSetup: 'test/vm/global-set-up.ts',
    // Suites take long, so each test is reported as soon as it ends.
    reporters: ['verbose'],
  },
});
