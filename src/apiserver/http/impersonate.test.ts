import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { startTestServer } from '../test-server.ts';
import type { AccessRequest } from '../authorization/access-request.ts';
import { impersonate } from './impersonate.ts';

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const bob = { name: 'bob', groups: ['system:authenticated'] };

/** Masters may all; others what is listed, as "resource/subresource name". */
function authorizer(...allowed: string[]): Parameters<typeof impersonate>[0] {
  const print = (access: AccessRequest): string =>
    access.kind === 'path'
      ? ''
      : `${access.verb} ${[access.resource, access.subresource].filter((part) => part !== '').join('/')} ${access.namespace} ${access.name}`;
  return {
    authorize: (user, access) => ({
      allowed: user.groups.includes('system:masters') || allowed.includes(print(access)),
    }),
    rulesFor: () => ({ rules: [], incomplete: false }),
  };
}

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
    expect(impersonate(authorizer(), admin, headers)).toEqual(expected);
  });

  const eve = {
    'impersonate-user': 'eve',
    'impersonate-group': 'devs',
    'impersonate-uid': '7',
    'impersonate-extra-a%2fb': 'c',
  };
  const rights = [
    'impersonate users  eve',
    'impersonate groups  devs',
    'impersonate uids  7',
    'impersonate userextras/a/b  c',
  ];
  it('needs a right for each part', () => {
    expect(impersonate(authorizer(...rights), bob, eve)).toEqual({
      name: 'eve',
      groups: ['devs', 'system:authenticated'],
      uid: '7',
      extra: { 'a/b': ['c'] },
    });
  });
  it.each(rights)('is refused without: %s', (missing) => {
    const left = rights.filter((right) => right !== missing);
    expect(() => impersonate(authorizer(...left), bob, eve)).toThrow(/"bob" cannot impersonate resource/);
  });
  it('knows service accounts by their namespace', () => {
    const headers = { 'impersonate-user': 'system:serviceaccount:a:b' };
    expect(impersonate(authorizer('impersonate serviceaccounts a b'), bob, headers)?.name).toBe(
      'system:serviceaccount:a:b',
    );
    expect(() => impersonate(authorizer('impersonate users  system:serviceaccount:a:b'), bob, headers)).toThrow(
      'serviceaccounts "b" is forbidden: User "bob" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a"',
    );
  });

  it('is refused to all others, and without a name', () => {
    expect(() => impersonate(authorizer(), bob, { 'impersonate-user': 'admin' })).toThrow(/"bob" cannot impersonate/);
    expect(() => impersonate(authorizer(), admin, { 'impersonate-group': 'a' })).toThrow(/without Impersonate-User/);
    expect(impersonate(authorizer(), undefined, { 'impersonate-user': 'admin' })).toBeUndefined();
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
