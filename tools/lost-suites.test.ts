import { expect, it } from 'vitest';
import { lostSuite, withoutBrowser } from './lost-suites.ts';

const emitted = (message: string): Error =>
  new Error('[vitest-pool]: Worker forks emitted error.', { cause: new Error(message) });

it.each([
  [
    'Worker exited unexpectedly with signal SIGSEGV during started state while running test file /a/b.test.ts',
    '/a/b.test.ts',
  ],
  [
    'Worker exited unexpectedly with signal SIGTRAP during started state while running test file /a/b.test.ts',
    '/a/b.test.ts',
  ],
  [
    'Worker exited unexpectedly with signal SIGKILL during started state while running test file /a/b.test.ts',
    undefined,
  ],
  ['Worker exited unexpectedly with exit code 1 during started state while running test file /a/b.test.ts', undefined],
  ['something else', undefined],
])('%s', (message, file) => {
  expect(lostSuite(emitted(message))).toBe(file);
});

it('takes no other error for a fault', () => {
  expect(lostSuite(new Error('with signal SIGSEGV while running test file /a'))).toBeUndefined();
  expect(lostSuite(undefined)).toBeUndefined();
});

const GONE = 'Error: page.goto: Target page, context or browser has been closed';

it.each<[what: string, messages: readonly (string | undefined)[], isLost: boolean]>([
  ['each failure says that the browser is gone', [undefined, GONE, 'Error: page.goto: Page crashed'], true],
  ['one failed before by itself', ['AssertionError: expected 1 to be 2', GONE], false],
  ['none failed', [undefined], false],
])('%s', (_what, messages, isLost) => {
  const assertionResults = messages.map((said) =>
    said === undefined ? { status: 'passed' } : { status: 'failed', failureMessages: [said] },
  );
  expect(withoutBrowser([{ name: '/a/safe.page.test.ts', assertionResults }])).toEqual(
    isLost ? ['/a/safe.page.test.ts'] : [],
  );
});

it('a file whose hook says that the browser is gone is lost', () => {
  const file = { name: '/a/many-pods.page.test.ts', assertionResults: [{ status: 'skipped' }] };
  expect(withoutBrowser([{ ...file, message: GONE }])).toEqual([file.name]);
  expect(withoutBrowser([{ ...file, message: 'Error: no port' }])).toEqual([]);
  expect(withoutBrowser([{ ...file, message: '' }])).toEqual([]);
});
