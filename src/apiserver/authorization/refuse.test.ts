import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../../lib/index.ts';
import { parseRequestInfo } from '../http/request-info.ts';
import { accessesOf } from './access-request.ts';
import type { Authorizer } from './authorizer.ts';
import { refuse } from './refuse.ts';

const admin: UserInfo = { name: 'admin', groups: ['system:masters'] };
const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const bob: UserInfo = { name: 'bob', groups: [] };
const masters: Authorizer = {
  authorize: (user) => ({ allowed: user.groups.includes('system:masters') }),
  rulesFor: () => ({ rules: [], incomplete: false }),
};

describe('a refusal', () => {
  it.each([
    [undefined, 'GET', '/livez', 'allowed'],
    [undefined, 'GET', '/healthz/ping', 'allowed'],
    [undefined, 'GET', '/api/v1/pods', 'Unauthorized'],
    [undefined, 'GET', '/version', 'Unauthorized'],
    [undefined, 'GET', '/healthzz', 'Unauthorized'],
    // Another spelling of the same.
    [undefined, 'GET', '//healthz', 'allowed'],
    [undefined, 'GET', '/healthz/../version', 'allowed'],
    [undefined, 'GET', '/Healthz', 'Unauthorized'],
    [anonymous, 'GET', '/readyz', 'allowed'],
    [anonymous, 'GET', '/api', 'Unauthorized'],
    [anonymous, 'GET', '/api/v1/namespaces/kube-public/configmaps/cluster-info', 'Unauthorized'],
    [admin, 'DELETE', '/api/v1/namespaces/a/pods/b', 'allowed'],
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
    [
      bob,
      'POST',
      '/api/v1/namespaces/a/pods/b/exec',
      'pods "b" is forbidden: User "bob" cannot create resource "pods/exec" in API group "" in the namespace "a"',
    ],
  ])('%j %s %s', (user, method, url, expected) => {
    expect(refuse(masters, user, parseRequestInfo(method, url))?.message ?? 'allowed').toBe(expected);
  });
});

describe('what is asked of the authorizer', () => {
  it('of an upgrade on a node is creation, whatever the path', () => {
    const info = parseRequestInfo('GET', '/api/v1/nodes/b/proxy/x', true);
    expect(accessesOf(info).map(({ verb }) => verb)).toEqual(['get', 'create']);
  });

  it.each([
    ['GET', '/api/v1/namespaces/a/pods/b', 'get pods a b'],
    ['HEAD', '/api/v1/namespaces/a/pods/b', 'get pods a b'],
    ['GET', '/api/v1/namespaces/a/pods', 'list pods a '],
    ['GET', '/api/v1/namespaces/a/pods?watch=1', 'watch pods a '],
    ['GET', '/api/v1/watch/namespaces/a/pods', 'watch pods a '],
    ['GET', '/api/v1/namespaces/a/secrets?fieldSelector=metadata.name%3Db', 'list secrets a b'],
    ['GET', '/api/v1/namespaces/a/secrets?watch=true&fieldSelector=metadata.name%3D%3Db', 'watch secrets a b'],
    // What excludes a name names none; nor does what no path could hold.
    ['GET', '/api/v1/namespaces/a/secrets?fieldSelector=metadata.name!%3Db', 'list secrets a '],
    ['GET', '/api/v1/namespaces/a/secrets?fieldSelector=metadata.name%3D..', 'list secrets a '],
    ['DELETE', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Db', 'deletecollection pods a '],
    ['GET', '/api/v1/namespaces/a', 'get namespaces a a'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update namespaces/finalize a a'],
    ['POST', '/api/v1/namespaces/a/pods/b/eviction', 'create pods/eviction a b'],
    ['POST', '/api/v1/namespaces/a/pods/b/exec', 'create pods/exec a b'],
    ['GET', '/api/v1/namespaces/a/pods/b/exec', 'get pods/exec a b, create pods/exec a b'],
    ['PUT', '/api/v1/namespaces/a/pods/b/exec', 'update pods/exec a b, create pods/exec a b'],
    ['GET', '/api/v1/namespaces/a/pods/b/proxy/x', 'get pods/proxy a b'],
    // A node's proxy leads to streams into containers.
    ['GET', '/api/v1/nodes/b/proxy/metrics', 'get nodes/proxy  b'],
    ['GET', '/api/v1/nodes/b/proxy/exec/ns/p/c', 'get nodes/proxy  b, create nodes/proxy  b'],
    ['GET', '/api/v1/nodes/b/proxy//%65xec/ns/p/c', 'get nodes/proxy  b, create nodes/proxy  b'],
    ['HEAD', '/api/v1/nodes/b/proxy/portForward/ns/p', 'get nodes/proxy  b, create nodes/proxy  b'],
    ['PUT', '/api/v1/nodes/b/proxy/run/ns/p/c', 'update nodes/proxy  b, create nodes/proxy  b'],
    ['POST', '/api/v1/nodes/b/proxy/run/ns/p/c', 'create nodes/proxy  b'],
    ['POST', '/api/v1/watch/namespaces/a/pods', 'create pods a '],
    ['DELETE', '/api/v1/watch/namespaces/a/pods/b', 'delete pods a b'],
    ['GET', '//metrics/', 'get /metrics'],
    ['DELETE', '/api/v1/nodes/b/proxy/x', 'delete nodes/proxy  b'],
    // Percent-encoding and doubled slashes name the same; letters of another case do not.
    ['GET', '/api/v1/namespaces/a/%70ods/b', 'get pods a b'],
    ['GET', '/api//v1/namespaces/a//pods/b', 'get pods a b'],
    ['GET', '/api/v1/namespaces/a/PODS/b', 'get PODS a b'],
    ['GET', '/api/v1/namespaces/a/pods/%2e%2e', 'get pods a ..'],
    ['GET', '/api/v1/namespaces/a/pods/../secrets/b', 'get pods/secrets a ..'],
    ['OPTIONS', '/api/v1/namespaces/a/pods', 'options pods a '],
    ['GET', '/metrics', 'get /metrics'],
    ['GET', '/API/v1/pods', 'get /API/v1/pods'],
  ])('%s %s', (method, url, expected) => {
    const texts = accessesOf(parseRequestInfo(method, url)).map((access) =>
      access.kind === 'path'
        ? `${access.verb} ${access.path}`
        : `${access.verb} ${access.resource}${access.subresource === '' ? '' : '/'}${access.subresource} ${access.namespace} ${access.name}`,
    );
    expect(texts.join(', ')).toBe(expected);
  });
});
