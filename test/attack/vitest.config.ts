import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/attack/**/*.attack.test.ts'],
    pool: 'forks',
    // Two suites at once fill two cores; each attack has sockets, stores and folders of its own.
    maxWorkers: 2,
    // Not a speed limit: only so that an attack that never ends is named instead of hanging the run.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
