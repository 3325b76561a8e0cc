import { expect, it } from 'vitest';
import { Endings, unlessEnded } from './endings.ts';

it('ends once who is there, at once who comes later, and nobody who left', () => {
  const endings = new Endings();
  const ended: string[] = [];
  const same = (): void => void ended.push('same');
  const leave = endings.add(same);
  endings.add(same);
  endings.add(() => void ended.push('stays'));
  const gone = endings.add(() => void ended.push('gone'));
  gone();
  gone();
  leave();
  expect([endings.size, endings.reason]).toEqual([2, undefined]);
  const reason = new Error('closing');
  endings.end(reason);
  endings.end(new Error('again'));
  expect(ended).toEqual(['same', 'stays']);
  endings.add(() => void ended.push('late'))();
  expect([ended, endings.size, endings.reason]).toEqual([['same', 'stays', 'late'], 0, reason]);
});

it('lets one leave while it ends all', () => {
  const endings = new Endings();
  const ended: number[] = [];
  const leaves = [1, 2, 3].map((n) =>
    endings.add(() => {
      ended.push(n);
      for (const leave of leaves) leave();
    }),
  );
  endings.end(new Error('closing'));
  expect(ended).toEqual([1, 2, 3]);
});

it('waits for a promise, or for the end, and leaves nothing behind', async () => {
  const endings = new Endings();
  expect(await unlessEnded(Promise.resolve(7), endings)).toBe(7);
  await expect(unlessEnded(Promise.reject(new Error('no')), endings)).rejects.toThrow('no');
  expect(endings.size).toBe(0);
  const never = new Promise<number>(() => {});
  const waiting = unlessEnded(never, endings);
  endings.end(new Error('closing'));
  expect(await waiting).toBe('ended');
  expect(await unlessEnded(never, endings)).toBe('ended');
});
