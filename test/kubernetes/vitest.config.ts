import { defineConfig } from 'vitest/config';

/** Apart from the end-to-end suites: what it needs is built for minutes, once. */
export default defineConfig({
  test: {
    include: ['test/kubernetes/**/*.e2e.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    globalSetup: 'test/kubernetes/global-set-up.ts',
  },
});
