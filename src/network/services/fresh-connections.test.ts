/** New clients of pods that leave. */
import { expect, it } from 'vitest';
import { clientsOf, freshlyReached } from './fresh-connections.ts';

const from = (client: string, answeredBy: string) => {
  const [address = '', port] = client.split(':');
  return { from: address, fromPort: Number(port), answeredBy };
};
const A = '10.0.0.1';
const B = '10.0.0.2';

it('are those that were not there at the last look', () => {
  const both = new Set([A, B]);
  const before = clientsOf(both, [from('10.1.0.1:1000', A), from('10.1.0.1:1000', B), from('10.1.0.1:7', '10.9.9.9')]);
  const same = clientsOf(both, [from('10.1.0.1:1000', A)]);
  expect(freshlyReached(before, same)).toEqual(new Set());
  const more = clientsOf(both, [from('10.1.0.1:1000', A), from('10.1.0.1:1001', B)]);
  expect(freshlyReached(before, more)).toEqual(new Set([B]));
});

it('are none at the first look', () => {
  const now = clientsOf(new Set([A]), [from('10.1.0.1:1000', A)]);
  expect(freshlyReached(new Map(), now)).toEqual(new Set());
});
