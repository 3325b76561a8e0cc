import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { startTestServer } from '../test-server.ts';
import { impersonate } from './impersonate.ts';

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const bob = { name: 'bob', groups: ['system:authenticated'] };

describe('impersonate', () => {
  it.each([
    [{}, admin],
    [{ 'impersonate-user': 'eve' }, { name: 'eve', groups: ['system:authenticated'] }],
    [
      { 'impersonate-user': 'eve', 'impersonate-group': 'devs, system:masters' },
      { name: 'eve', groups: ['devs', 'system:masters', 'system:authenticated'] },
    ],
    [{ 'impersonate-user': 'system:anonymous' }, { name: 'system:anonymous', groups: ['system:unauthenticated'] }],
    [
      { 'impersonate-user': 'system:serviceaccount:a:b' },
      {
        name: 'system:serviceaccount:a:b',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
      },
    ],
  ])('%j', (headers, expected) => {
    expect(impersonate(admin, headers)).toEqual(expected);
  });

  it('is refused to all others, and without a name', () => {
    expect(() => impersonate(bob, { 'impersonate-user': 'admin' })).toThrow(/"bob" cannot impersonate/);
    expect(() => impersonate(admin, { 'impersonate-group': 'a' })).toThrow(/without Impersonate-User/);
    expect(impersonate(undefined, { 'impersonate-user': 'admin' })).toBeUndefined();
  });

  it('counts for the whole request', async () => {
    const api = await startTestServer({ clock: createManualClock() });
    const url = '/api/v1/namespaces/default/configmaps';
    expect((await api.call('GET', url, undefined, { 'impersonate-user': 'bob' })).status).toBe(403);
    const master = { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' };
    expect((await api.call('GET', url, undefined, master)).status).toBe(200);
    await api.close();
  });
});
