import { expect, it } from 'vitest';
import { parseYamlText } from './yaml.ts';

/** Expected values are those of go-yaml 2, which kubectl and the API server use. */
it.each<[string, unknown]>([
  ['y', true],
  ['No', false],
  ['on', true],
  ['0644', 420],
  ['0x1f', 31],
  ['1_000', 1000],
  ['1e3', 1000],
  ['-2.5E-1', -0.25],
  ['.5', 0.5],
  ['~', null],
  ['12:30', '12:30'],
  ['2020-01-01', '2020-01-01'],
  ['"y"', 'y'],
  ['1.2.3', '1.2.3'],
])('%s', (text, value) => {
  expect(parseYamlText(`a: ${text}`)).toEqual({ a: value });
});
