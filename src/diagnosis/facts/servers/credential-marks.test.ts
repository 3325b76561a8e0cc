/** Marks by which two passwords are compared. */
import { expect, it } from 'vitest';
import { credentialMark } from './credential-marks.ts';

it.each<[string, string, string, boolean]>([
  ['the same', 's3cret', 's3cret', true],
  ['two', 's3cret', 's3cres', false],
  ['one in a URL', 'postgres://app:s3cret@db:5432/shop', 's3cret', true],
  ['one without a user', 'redis://:s3cret@cache', 's3cret', true],
  ['a coded one', 'amqp://u:a%2Fb@mq', 'a/b', true],
  ['one that cannot be decoded', 'amqp://u:a%2@mq', 'a%2', true],
  ['one of pairs', 'host=db user=app password=s3cret', 's3cret', true],
  ['one with a line end, which a program would send', 's3cret\n', 's3cret', false],
])('%s', (_, one, other, isSame) => {
  expect(credentialMark(one) === credentialMark(other)).toBe(isSame);
});

it('makes none of nothing, and of what is longer than any password', () => {
  expect([credentialMark(''), credentialMark('x'.repeat(5000))]).toEqual([undefined, undefined]);
});

it('does not hold the password', () => {
  expect(credentialMark('s3cret')).not.toContain('s3cret');
});
