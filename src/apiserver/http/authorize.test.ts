import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../../lib/index.ts';
import { basicAuthorizer, refuse } from './authorize.ts';
import { parseRequestInfo } from './request-info.ts';

const admin: UserInfo = { name: 'admin', groups: ['system:masters'] };
const node: UserInfo = { name: 'system:node:n1', groups: ['system:nodes'] };
const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const bob: UserInfo = { name: 'bob', groups: [] };

function message(user: UserInfo | undefined, method: string, url: string): string {
  return refuse(basicAuthorizer, user, parseRequestInfo(method, url))?.message ?? 'allowed';
}

describe('refuse', () => {
  it.each([
    [undefined, 'GET', '/livez', 'allowed'],
    [undefined, 'GET', '/healthz/ping', 'allowed'],
    [undefined, 'GET', '/api/v1/pods', 'Unauthorized'],
    [undefined, 'GET', '/version', 'Unauthorized'],
    [anonymous, 'GET', '/readyz', 'allowed'],
    [anonymous, 'GET', '/api', 'Unauthorized'],
    [admin, 'DELETE', '/api/v1/namespaces/a/pods/b', 'allowed'],
    [bob, 'GET', '/apis/apps/v1', 'allowed'],
    [bob, 'GET', '/metrics', 'forbidden: User "bob" cannot get path "/metrics"'],
    [
      bob,
      'GET',
      '/api/v1/namespaces/a/pods',
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "a"',
    ],
    [
      bob,
      'GET',
      '/api/v1/namespaces/a/pods/b/log',
      'pods "b" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "a"',
    ],
    [
      bob,
      'DELETE',
      '/apis/coordination.k8s.io/v1/namespaces/a/leases/b',
      'leases.coordination.k8s.io "b" is forbidden: User "bob" cannot delete resource "leases" in API group "coordination.k8s.io" in the namespace "a"',
    ],
    [
      bob,
      'GET',
      '/api/v1/nodes',
      'nodes is forbidden: User "bob" cannot list resource "nodes" in API group "" at the cluster scope',
    ],
  ])('%j %s %s', (user, method, url, expected) => {
    expect(message(user, method, url)).toBe(expected);
  });
});

describe('a node', () => {
  it.each([
    ['GET', '/api/v1/nodes/n2'],
    ['POST', '/api/v1/nodes'],
    ['PATCH', '/api/v1/nodes/n1/status'],
    ['GET', '/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn1'],
    ['GET', '/api/v1/namespaces/a/pods/b'],
    ['PATCH', '/api/v1/namespaces/a/pods/b/status'],
    ['DELETE', '/api/v1/namespaces/a/pods/b'],
    ['GET', '/api/v1/namespaces/a/secrets/b'],
    ['GET', '/api/v1/namespaces/a/configmaps?watch=1&fieldSelector=metadata.name%3Db'],
    ['POST', '/api/v1/namespaces/a/events'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1'],
  ])('may %s %s', (method, url) => {
    expect(message(node, method, url)).toBe('allowed');
  });

  it.each([
    ['PATCH', '/api/v1/nodes/n2/status'],
    ['DELETE', '/api/v1/nodes/n1'],
    ['GET', '/api/v1/pods?watch=1'],
    ['GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn10'],
    ['GET', '/api/v1/namespaces/a/secrets'],
    ['POST', '/api/v1/namespaces/a/secrets'],
    ['GET', '/api/v1/namespaces/a/pods/b/log'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/a/leases/n1'],
  ])('may not %s %s', (method, url) => {
    expect(message(node, method, url)).toMatch(/is forbidden/);
  });
});
