import { expect, it } from 'vitest';
import { duplicateFields } from './duplicate-fields.ts';

it.each([
  ['{}', []],
  ['{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}', []],
  ['{"a":1,"a":2}', ['duplicate field "a"']],
  ['{"a":{"b":1,"c":[],"b":2}}', ['duplicate field "a.b"']],
  ['{"l":[{"x":1},{"x":1,"x":{}}]}', ['duplicate field "l[1].x"']],
  ['{"a":"a","b":"a","c":["a","a"]}', []],
  [String.raw`{"a\"":"{\"a\":1,\"a\":2}","b":{}}`, []],
  ['[[{"k":1,"k":1}]]', ['duplicate field "[0][0].k"']],
])('%s', (text, expected) => {
  expect(duplicateFields(text)).toEqual(expected);
});
