/** Tests what is told of the role that is bound to an account and does not hold a right, and of rights that only an address tells. */
import { describe, expect, it } from 'vitest';
import type { RoleBinding } from '../../../api/index.ts';
import type { RefusedRight } from './refused-right.ts';
import { bindingText, refusedRight } from './refused-rights.ts';
import { rightInAddress } from './api-addresses.ts';
import type { RoleEvidence } from '../../evidence/pod-evidence.ts';

const SCALER = { namespace: 'shop', name: 'scaler' };
const right = (verb: string, resource: string, group = '', given: Partial<RefusedRight> = {}): RefusedRight => ({
  account: SCALER,
  verb,
  resource,
  group,
  namespace: 'shop',
  ...given,
});
const binding = (given: Partial<RoleBinding> = {}): RoleBinding => ({
  metadata: { name: 'scaler', namespace: 'shop' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'scaler' },
  subjects: [{ kind: 'ServiceAccount', ...SCALER }],
  ...given,
});
const role = (...rules: NonNullable<RoleEvidence['rules']>): RoleEvidence => ({
  kind: 'Role',
  name: 'scaler',
  namespace: 'shop',
  rules,
});
const told = (asked: RefusedRight, ...rules: NonNullable<RoleEvidence['rules']>): string =>
  bindingText(asked, [binding()], [role(...rules)]);

describe('a role that is bound and does not hold the right', () => {
  it.each<[string, string, RegExp]>([
    [
      'the resource in another API group',
      told(right('list', 'deployments', 'apps'), {
        apiGroups: [''],
        resources: ['deployments', 'pods'],
        verbs: ['list'],
      }),
      /^ \(RoleBinding scaler gives it Role scaler, which names deployments in apiGroup "", and they are in "apps"\)$/,
    ],
    [
      'a verb that is not there',
      told(right('create', 'leases', 'coordination.k8s.io'), {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        verbs: ['get', 'list', 'update'],
      }),
      /gives it Role scaler, which allows get, list and update of leases, and not create\)$/,
    ],
    [
      'a subresource',
      told(right('get', 'pods/log'), { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }),
      /which names pods, and not pods\/log\)$/,
    ],
    [
      'names of other objects',
      told(right('get', 'configmaps', '', { name: 'leader' }), {
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['settings'],
        verbs: ['get'],
      }),
      /which allows that of settings only\)$/,
    ],
    [
      'names of objects, and a verb that knows none',
      told(right('list', 'secrets'), {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: ['a'],
        verbs: ['list'],
      }),
      /which allows that of a only, and no list is of single names\)$/,
    ],
    [
      'a kind instead of a resource',
      told(right('list', 'deployments', 'apps'), { apiGroups: ['apps'], resources: ['Deployment'], verbs: ['*'] }),
      /which names Deployment, and the resource is called deployments\)$/,
    ],
    [
      'nothing of it',
      told(right('list', 'services'), { apiGroups: [''], resources: ['pods', 'configmaps'], verbs: ['list'] }),
      /which has nothing of services\)$/,
    ],
    [
      'a role that does not exist',
      bindingText(
        right('list', 'pods'),
        [binding()],
        [{ kind: 'Role', name: 'scaler', namespace: 'shop', missing: true }],
      ),
      /gives it Role scaler, which does not exist\)$/,
    ],
    [
      'a binding of its own namespace, for a right in another one',
      bindingText(right('list', 'pods', '', { namespace: 'tools' }), [binding()], [role()]),
      /^ \(RoleBinding scaler of namespace shop gives Role scaler to it, which counts in that namespace only; none of namespace tools names it\)$/,
    ],
    [
      'all accounts of its namespace as a group',
      bindingText(
        right('list', 'services'),
        [
          binding({
            subjects: [{ kind: 'Group', name: 'system:serviceaccounts:shop', apiGroup: 'rbac.authorization.k8s.io' }],
          }),
        ],
        [role({ apiGroups: [''], resources: ['pods'], verbs: ['list'] })],
      ),
      /gives it Role scaler, which has nothing of services\)$/,
    ],
  ])('%s', (_what, text, expected) => {
    expect(text).toMatch(expected);
  });

  it('has the group and the subresource of the words of the server', () => {
    const line =
      'pods "api-0" is forbidden: User "system:serviceaccount:shop:scaler" cannot get resource "pods/exec" in API group "" in the namespace "shop"';
    expect(refusedRight(line)).toEqual({
      account: SCALER,
      verb: 'get',
      resource: 'pods/exec',
      group: '',
      name: 'api-0',
      namespace: 'shop',
    });
  });
});

describe('a right that an address tells', () => {
  const inAddress = (line: string) => rightInAddress(line, SCALER);

  it.each<[string, string, Partial<RefusedRight> | undefined]>([
    [
      'a list of a namespace',
      'HTTPError: 403 Client Error: Forbidden for url: https://kubernetes.default.svc/apis/apps/v1/namespaces/shop/deployments',
      { verb: 'list', group: 'apps', resource: 'deployments', namespace: 'shop' },
    ],
    [
      'an object by its name',
      '403 Forbidden: GET https://10.96.0.1:443/api/v1/namespaces/shop/configmaps/leader',
      { verb: 'get', group: '', resource: 'configmaps', name: 'leader', namespace: 'shop' },
    ],
    [
      'a subresource',
      '{"method":"GET","url":"https://kubernetes.default.svc/api/v1/namespaces/shop/pods/api-0/log?follow=true","status":403}',
      { verb: 'get', group: '', resource: 'pods/log', name: 'api-0', namespace: 'shop' },
    ],
    [
      'what is made',
      'POST /apis/batch/v1/namespaces/tools/jobs failed: 403 Forbidden',
      { verb: 'create', group: 'batch', resource: 'jobs', namespace: 'tools' },
    ],
    [
      'a change',
      'PATCH https://kubernetes.default/apis/apps/v1/namespaces/shop/deployments/api/scale 403',
      { verb: 'patch', group: 'apps', resource: 'deployments/scale', name: 'api', namespace: 'shop' },
    ],
    [
      'a watch of the whole cluster',
      'HTTP 403 at https://kubernetes.default.svc:443/api/v1/nodes?watch=true&resourceVersion=7',
      { verb: 'watch', group: '', resource: 'nodes' },
    ],
    [
      'a namespace itself',
      'DELETE https://kubernetes.default.svc/api/v1/namespaces/shop: 403',
      { verb: 'delete', group: '', resource: 'namespaces', name: 'shop' },
    ],
    ['the address of somebody else', '403 Forbidden for url: http://shop.example/api/v1/orders', undefined],
    ['no address', '403 Forbidden', undefined],
  ])('%s', (_what, line, expected) => {
    expect(inAddress(line)).toEqual(
      expected === undefined ? undefined : { account: SCALER, isDerived: true, ...expected },
    );
  });
});
