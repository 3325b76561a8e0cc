/** Tests what is told of the bindings beside a right that was refused. */
import { expect, it } from 'vitest';
import type { RoleBinding } from '../../../api/index.ts';
import { bindingText, refusedRight } from './refused-rights.ts';

const LINE =
  'configmaps is forbidden: User "system:serviceaccount:shop:web" cannot list resource "configmaps" in API group "" in the namespace "shop"';
const WHOLE =
  'nodes is forbidden: User "system:serviceaccount:shop:web" cannot list resource "nodes" in API group "" at the cluster scope';

function binding(name: string, ...accounts: readonly string[]): RoleBinding {
  const subjects = accounts.map((each) => {
    const [namespace = '', account = ''] = each.split('/');
    return { kind: 'ServiceAccount', name: account, namespace };
  });
  return { metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }, subjects };
}

it('reads what was refused', () => {
  const account = { namespace: 'shop', name: 'web' };
  expect(refusedRight(LINE)).toEqual({ account, verb: 'list', resource: 'configmaps', group: '', namespace: 'shop' });
  expect(refusedRight(LINE.replaceAll('"', '\\"'))).toMatchObject({ account, namespace: 'shop' });
  expect(refusedRight(WHOLE)).toEqual({ account, verb: 'list', resource: 'nodes', group: '' });
  expect(refusedRight('permission denied for table users')).toBeUndefined();
});

it.each<[string, string, readonly RoleBinding[] | undefined, RegExp]>([
  ['bindings that could not be read', LINE, undefined, /^$/],
  ['none', LINE, [], /^ \(no RoleBinding of namespace shop names it\)$/],
  [
    'the account of that name in another namespace',
    LINE,
    [binding('a', 'shop/other'), binding('watch', 'default/web')],
    /^ \(RoleBinding watch gives Role watch to default\/web instead\)$/,
  ],
  [
    'an account with nearly that name',
    LINE,
    [binding('a', 'shop/migrator'), binding('watch', 'shop/web-app')],
    /^ \(no RoleBinding of namespace shop names it; RoleBinding watch gives Role watch to shop\/web-app\)$/,
  ],
  [
    'the only binding of the namespace',
    LINE,
    [binding('watch', 'shop/robot')],
    /^ \(no RoleBinding of namespace shop names it; RoleBinding watch gives Role watch to shop\/robot\)$/,
  ],
  [
    'bindings of other programs',
    LINE,
    [binding('a', 'shop/migrator'), binding('watch', 'shop/robot')],
    /^ \(no RoleBinding of namespace shop names it\)$/,
  ],
  ['a role that lacks the right', LINE, [binding('read', 'shop/web')], /gives Role read to it, and that does not hold/],
  ['a binding of one namespace', WHOLE, [binding('read', 'shop/web')], /to it, which counts in its namespace only/],
  [
    'the account that the pod should run as',
    LINE.replace('shop:web', 'shop:default'),
    [binding('watch', 'shop/watcher')],
    /to shop\/watcher, which its pod does not run as: serviceAccountName/,
  ],
])('%s', (_what, line, bindings, says) => {
  const right = refusedRight(line);
  expect(right).toBeDefined();
  if (right !== undefined) expect(bindingText(right, bindings)).toMatch(says);
});
