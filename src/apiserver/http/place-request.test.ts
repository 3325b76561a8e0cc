import { describe, expect, it } from 'vitest';
import { resourceAccess } from '../authorization/access-request.ts';
import type { AuthorizedResource } from '../authorization/authorize-request.ts';
import { builtInKinds } from '../kinds/built-in.ts';
import { LiveRegistry } from '../kinds/registry.ts';
import { placeAccess, placeRequest } from './place-request.ts';
import { parseRequestInfo } from './request-info.ts';

const registry = new LiveRegistry(builtInKinds());

describe('a path', () => {
  it.each([
    '/api/v1/namespaces/t1/nodes',
    '/api/v1/namespaces/t1/nodes/n1/proxy/run/t2/p/c',
    '/apis/metrics.k8s.io/v1beta1/namespaces/t1/nodes',
    '/apis/apiextensions.k8s.io/v1/namespaces/t1/customresourcedefinitions',
    '/apis/rbac.authorization.k8s.io/v1/namespaces/t1/clusterroles',
    '/apis/authentication.k8s.io/v1/namespaces/t1/tokenreviews',
    '/api/v1/watch/namespaces/t1/nodes',
    '/api/v1/pods/p',
    '/apis/metrics.k8s.io/v1beta1/pods/p',
    '/api/v1/namespaces/t1/pods/p/status/more',
    '/api/v1/watch/namespaces/t1/pods/p/log',
  ])('%s names nothing', (url) => {
    expect(() => placeRequest(registry, parseRequestInfo('GET', url))).toThrow('could not find');
  });

  it.each([
    '/api/v1/nodes',
    '/api/v1/nodes/n1/proxy/pods/x/y',
    '/api/v1/namespaces/t1',
    '/api/v1/namespaces/t1/status',
    '/api/v1/namespaces',
    '/api/v1/pods',
    '/api/v1/watch/namespaces/t1/pods/p',
    '/api/v1/namespaces/t1/pods/p/proxy//a/',
    '/api/v1/namespaces/t1/pods/p/log/',
    '/api/v1/namespaces/t1/nothing/x',
  ])('%s may name something', (url) => {
    expect(placeRequest(registry, parseRequestInfo('GET', url))).toMatchObject({ kind: 'resource' });
  });
});

it('a question about rights is one about the request that would be made', () => {
  const placed = (given: Parameters<typeof resourceAccess>[0]) => placeAccess(registry, resourceAccess(given));
  const namespace = 't1';
  expect(placed({ verb: 'list', resource: 'nodes', namespace })).toMatchObject({ namespace: '' });
  expect(placed({ verb: 'list', resource: 'pods', namespace })).toMatchObject({ namespace });
  expect(placed({ verb: 'list', resource: 'namespaces', namespace })).toMatchObject({ namespace: '' });
  expect(placed({ verb: 'get', resource: 'namespaces', namespace })).toMatchObject({ namespace });
  expect(placed({ verb: 'get', resource: 'namespaces', namespace, name: 't2' })).toMatchObject({ namespace: 't2' });
  expect(placed({ verb: 'impersonate', resource: 'users', namespace })).toMatchObject({ namespace });
  expect(placeAccess(registry, { kind: 'path', verb: 'get', path: '//metrics/' })).toMatchObject({ path: '/metrics' });
});

it('a changed copy of an authorized request is none', () => {
  const change = (info: AuthorizedResource): AuthorizedResource => {
    // oxlint-disable-next-line typescript/no-misused-spread
    const copy = { ...info, namespace: 'another' };
    // @ts-expect-error the mark stays behind
    return copy;
  };
  expect(change).toBeTypeOf('function');
});
