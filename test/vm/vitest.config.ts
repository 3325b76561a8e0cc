import { defineConfig } from 'vitest/config';

/** Apart from the end-to-end suites: an emulated machine is ten times slower, and one of them has enough for two cores. */
export default defineConfig({
  test: {
    include: ['test/vm/**/*.e2e.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 7_200_000,
    hookTimeout: 7_200_000,
    globalSetup: 'test/vm/global-set-up.ts',
    // A suite takes long: each test is told as soon as it ends.
    reporters: ['verbose'],
  },
});
