import { expect, it } from 'vitest';
import { lostSuite } from './lost-suites.ts';

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
