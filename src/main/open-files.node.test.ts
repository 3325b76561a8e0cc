import { expect, it } from 'vitest';
import { maxOpenFiles } from './open-files.node.ts';

const limits = (soft: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 4096                 files\n`;

it('is the soft limit of this process', () => {
  expect(maxOpenFiles()).toBeGreaterThan(0);
  expect(maxOpenFiles(() => limits('1024'))).toBe(1024);
});

it('is unknown where there is none, or nothing to read', () => {
  expect(maxOpenFiles(() => limits('unlimited'))).toBeUndefined();
  expect(maxOpenFiles(() => '')).toBeUndefined();
  expect(
    maxOpenFiles(() => {
      throw new Error('ENOENT');
    }),
  ).toBeUndefined();
});
