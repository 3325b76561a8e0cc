import { defineConfig } from 'vitest/config';

/** Separate from the end-to-end suites, because the control plane's programs take minutes to build once. */
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
