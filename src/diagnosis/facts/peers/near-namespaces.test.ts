/** Which of several namespaces is likely that of the same people. */
import { expect, it } from 'vitest';
import { nearestNamespaces } from './near-namespaces.ts';

it('is the one whose name begins as theirs does', () => {
  expect(nearestNamespaces(['billing', 'shop-data', 'web'], ['shop'])).toEqual(['shop-data', 'billing', 'web']);
  expect(nearestNamespaces(['team-a-22', 'team-b', 'team-a-31b'], ['team-a-31'])[0]).toBe('team-a-31b');
  expect(nearestNamespaces([], ['shop'])).toEqual([]);
});
