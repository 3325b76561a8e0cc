import { defineConfig } from 'vitest/config';

/** Separate from the end-to-end suites, because it downloads packages and makes images of half a gigabyte. */
export default defineConfig({
  test: {
    include: ['test/apps/**/*.e2e.test.ts'],
    pool: 'forks',
    testTimeout: 600_000,
    hookTimeout: 600_000,
    globalSetup: 'test/e2e/global-set-up.ts',
    reporters: ['verbose'],
  },
});
