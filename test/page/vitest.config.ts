import { defineConfig } from 'vitest/config';

const isRoot = process.getuid?.() === 0;

/** Separate from the end-to-end suites, because these need a Chromium, and most of them no root. */
export default defineConfig({
  test: {
    include: ['test/page/**/*.page.test.ts'],
    // Containers need root.
    exclude: isRoot ? [] : ['test/page/real.page.test.ts'],
    pool: 'forks',
    // Each suite has its own browser, server and folders, and often waits: two at once leave an eighth of two cores idle.
    maxWorkers: 3,
    // This is no speed limit; it only ends and names what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: 'test/page/global-set-up.ts',
  },
});
