import { expect, it } from 'vitest';
import { OWN_TYPES } from './own-schema.ts';

/** What a parser of YAML 1.1, as kubectl has, reads as a boolean or as nothing: a key of this name is not the field. */
const NOT_A_NAME = /^(y|n|yes|no|on|off|true|false|null|~)$/i;

it('no field of our kinds has a name that YAML takes for a boolean', () => {
  const names = Object.values(OWN_TYPES).flatMap((type) => ('fields' in type ? Object.keys(type.fields) : []));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => NOT_A_NAME.test(name))).toEqual([]);
});
