import { defineConfig } from 'vitest/config';
import { builtWorker } from '../support/built-worker.ts';
import { STEADY_V8 } from '../../tools/v8-flags.ts';

export default defineConfig({
  plugins: [builtWorker()],
  test: {
    include: ['test/attack/**/*.attack.test.ts'],
    pool: 'forks',
    execArgv: [...STEADY_V8],
    // Two suites at once leave a seventh of two cores idle; each attack has its own sockets, stores and folders.
    maxWorkers: 3,
    // This is no speed limit; it only ends and names an attack that hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
