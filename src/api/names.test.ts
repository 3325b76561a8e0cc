import { describe, expect, it } from 'vitest';
import {
  checkConfigMapKey,
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkEnvVarName,
  checkLabelKey,
  checkLabelValue,
  checkPortName,
  forPrefix,
} from './names.ts';

const long = (length: number) => 'a'.repeat(length);

describe('names', () => {
  it.each([
    [checkDns1123Label, ['a', 'a-1', long(63)], ['', 'A', '-a', 'a-', 'a.b', long(64), 'a\n']],
    [checkDns1123Subdomain, ['a', 'a.b-c', long(253)], ['', 'a..b', 'A.b', 'a_b', long(254)]],
    [checkDns1035Label, ['a1'], ['1a', 'a.b']],
    [
      checkLabelKey,
      ['a', 'A_b.c', 'x.y/Z', `${long(253)}/${long(63)}`],
      ['', '/a', 'a/', 'a/b/c', 'X.y/z', '-a', long(64)],
    ],
    [checkLabelValue, ['', 'a', 'A_1.b'], ['-a', 'a b', long(64)]],
    [checkEnvVarName, ['A', 'a b', '1x', '!'], ['', 'a=b', 'é', 'a\n']],
    [checkConfigMapKey, ['a.b', '.a', '-'], ['', '.', '..', '..a', 'a/b', long(254)]],
    [checkPortName, ['http', 'a-1', long(15)], ['', '1', 'A', 'a--b', '-a', 'a-', long(16)]],
  ])('%o', (check, good, bad) => {
    expect(good.flatMap((name) => check(name))).toEqual([]);
    for (const name of bad) expect({ name, errors: check(name) }).not.toEqual({ name, errors: [] });
  });

  it('words them as upstream', () => {
    expect(checkDns1123Label('A')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name', or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
    expect(checkDns1123Label('a.b')).toEqual(['must not contain dots']);
    expect(checkDns1123Label(long(64))).toEqual(['must be no more than 63 characters']);
  });

  it('lets a prefix end with a dash', () => {
    expect(forPrefix(checkDns1123Label)('a-')).toEqual([]);
    expect(forPrefix(checkDns1123Label)('-')).not.toEqual([]);
  });
});
