import { expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

it('makes the oldest forget, and never keeps more than it may', () => {
  const budget = new ByteBudget(10);
  const forgotten: string[] = [];
  const owner = (name: string) => ({ forget: () => void forgotten.push(name) });
  const [a, b, c] = [owner('a'), owner('b'), owner('c')];
  budget.add(a, 4);
  budget.add(b, 4);
  budget.add(a, 2);
  expect([budget.bytes, forgotten]).toEqual([10, []]);
  budget.add(c, 1);
  expect([budget.bytes, forgotten]).toEqual([5, ['a']]);
  budget.release(b);
  expect([budget.bytes, forgotten]).toEqual([1, ['a']]);
  budget.add(b, 11);
  expect([budget.bytes, forgotten]).toEqual([0, ['a', 'c', 'b']]);
});
