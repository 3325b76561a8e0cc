import { expect, test } from 'vitest';
import { losesLink } from './link-lost.ts';

test.each([
  ['Connection to cache:6379 lost', true],
  ['connection lost, retrying in 5s', true],
  ['the session was lost', true],
  ['lost our connection to the broker', true],
  ['client 10.0.0.7 left (connection lost)', false],
  ['12 packets lost', false],
  ['connection to cache:6379 established', false],
])('%j loses its link: %j', (line, expected) => {
  expect(losesLink(line)).toBe(expected);
});
