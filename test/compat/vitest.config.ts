import { defineConfig } from 'vitest/config';

/** Clients from outside against the real server, without nodes: as root or not, with a network the first time. */
export default defineConfig({
  test: {
    include: ['test/compat/**/*.compat.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    globalSetup: 'test/compat/global-set-up.ts',
    reporters: ['verbose'],
  },
});
