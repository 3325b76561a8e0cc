import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../api/index.ts';
import { type AccessRequest, resourceAccess } from './access-request.ts';
import { ruleAllows } from './rules.ts';

const on = (verb: string, resource: string, more: Partial<ReturnType<typeof resourceAccess>> = {}): AccessRequest =>
  resourceAccess({ verb, resource, ...more });
const path = (verb: string, at: string): AccessRequest => ({ kind: 'path', verb, path: at });

const pods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] };
const named: PolicyRule = { verbs: ['*'], apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'] };
const all: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
const scale: PolicyRule = { verbs: ['get'], apiGroups: ['*'], resources: ['*/scale'] };
const urls: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/healthz', '/api/*', '/logs*'] };

describe('a rule', () => {
  it.each<[string, PolicyRule, AccessRequest, boolean]>([
    ['verb and resource', pods, on('get', 'pods'), true],
    ['a name does not matter without names', pods, on('get', 'pods', { name: 'x' }), true],
    ['another verb', pods, on('watch', 'pods'), false],
    ['verbs are not prefixes', pods, on('deletecollection', 'pods'), false],
    ['a subresource that is named', pods, on('get', 'pods', { subresource: 'log' }), true],
    ['a subresource that is not', pods, on('get', 'pods', { subresource: 'exec' }), false],
    ['another group', pods, on('get', 'pods', { group: 'metrics.k8s.io' }), false],
    ['capitals are others', pods, on('get', 'Pods'), false],
    ['a name of the list', named, on('delete', 'secrets', { name: 'b' }), true],
    ['a name beside it', named, on('get', 'secrets', { name: 'c' }), false],
    ['no name: a list', named, on('list', 'secrets'), false],
    ['a list narrowed to a name', named, on('list', 'secrets', { name: 'a' }), true],
    ['no name: a new object', named, on('create', 'secrets'), false],
    ['no name: all of them', named, on('deletecollection', 'secrets'), false],
    ['everything', all, on('bind', 'x', { group: 'g', subresource: 's', namespace: 'n', name: 'x' }), true],
    ['everything but paths', all, path('get', '/metrics'), false],
    ['a subresource of everything', scale, on('get', 'deployments', { group: 'apps', subresource: 'scale' }), true],
    ['and not everything', scale, on('get', 'deployments', { group: 'apps' }), false],
    ['and no other subresource', scale, on('get', 'deployments', { group: 'apps', subresource: 'status' }), false],
    ['a path', urls, path('get', '/healthz'), true],
    ['not below it', urls, path('get', '/healthz/etcd'), false],
    ['below a star', urls, path('get', '/api/v1'), true],
    ['not above it', urls, path('get', '/api'), false],
    ['a star is no end of a part', urls, path('get', '/logsomething'), true],
    ['paths are not resources', urls, on('get', 'healthz'), false],
    ['another verb on a path', urls, path('post', '/healthz'), false],
    ['star verb and path', { verbs: ['*'], nonResourceURLs: ['*'] }, path('post', '/x'), true],
  ])('%s', (_, rule, request, allowed) => expect(ruleAllows(rule, request)).toBe(allowed));
});
