import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from './request-info.ts';

function read(method: string, url: string): string {
  const info = parseRequestInfo(method, url);
  if (info.kind === 'path') return `path ${info.verb} ${info.path}`;
  const { verb, group, version, resource, namespace = '-', name = '-', subresource = '-', rest } = info;
  return [verb, group || 'core', version, resource, namespace, name, subresource, rest].join(' ').trim();
}

describe('parseRequestInfo', () => {
  it.each([
    ['GET', '/', 'path get /'],
    ['GET', '/api', 'path get /api'],
    ['GET', '/api/v1', 'path get /api/v1'],
    ['GET', '/apis/apps', 'path get /apis/apps'],
    ['GET', '/apis/apps/v1', 'path get /apis/apps/v1'],
    ['GET', '/api/v1/pods', 'list core v1 pods - - -'],
    ['GET', '/api/v1/pods/', 'list core v1 pods - - -'],
    ['GET', '/api/v1/pods?watch=true', 'watch core v1 pods - - -'],
    ['GET', '/api/v1/pods?watch=false', 'list core v1 pods - - -'],
    ['GET', '/api/v1/watch/namespaces/a/pods', 'watch core v1 pods a - -'],
    ['GET', '/api/v1/namespaces/a/pods/b', 'get core v1 pods a b -'],
    ['HEAD', '/api/v1/namespaces/a/pods/b', 'get core v1 pods a b -'],
    ['GET', '/api/v1/namespaces/a/pods/b/log', 'get core v1 pods a b log'],
    ['POST', '/api/v1/namespaces/a/pods/b/exec', 'connect core v1 pods a b exec'],
    ['GET', '/api/v1/namespaces/a', 'get core v1 namespaces a a -'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update core v1 namespaces a a finalize'],
    ['GET', '/api/v1/namespaces', 'list core v1 namespaces - - -'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection core v1 pods a - -'],
    ['DELETE', '/api/v1/namespaces/a/pods/b', 'delete core v1 pods a b -'],
    ['PATCH', '/api/v1/nodes/b/status', 'patch core v1 nodes - b status'],
    ['GET', '/api/v1/nodes/b/proxy/logs/x%2Fy', 'connect core v1 nodes - b proxy /logs/x%2Fy'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/a/leases/b', 'update coordination.k8s.io v1 leases a b -'],
    ['GET', '/api/v1/pods/%zz', 'path get /api/v1/pods/%zz'],
  ])('%s %s', (method, url, expected) => {
    expect(read(method, url)).toBe(expected);
  });
});
