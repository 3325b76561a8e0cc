import { defineConfig } from 'vitest/config';
import { builtWorker } from './test/support/built-worker.ts';
import { STEADY_V8 } from './tools/v8-flags.ts';

export default defineConfig({
  plugins: [builtWorker()],
  // The live page's components.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'tools/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.e2e.test.ts'],
    // Processes, not threads: see `STEADY_V8`.
    pool: 'forks',
    execArgv: [...STEADY_V8],
    isolate: false,
    // Vitest leaves one core alone, which of two is half of the machine.
    maxWorkers: '100%',
    // Not a speed limit: only so that a test that never ends is named instead of hanging the run.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
