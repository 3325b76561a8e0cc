import { expect, it } from 'vitest';
import { nearNames } from './near-names.ts';

it.each<[string, string[], string[]]>([
  ['web', ['webs', 'db', 'web-api', 'wen'], ['web-api', 'webs', 'wen']],
  ['postgres', ['postgresql', 'postgre', 'mysql'], ['postgre', 'postgresql']],
  ['frontend', ['front-end', 'backend'], ['front-end']],
  ['wbe', ['web', 'db'], ['web']],
  ['a', ['b', 'c'], ['b', 'c']],
  ['x'.repeat(100), ['x'], []],
])('%s is like', (wanted, names, expected) => {
  expect(nearNames(wanted, names)).toEqual(expected);
});
