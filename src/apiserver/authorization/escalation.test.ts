import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../api/index.ts';
import { printRule, problemOfGrant, uncovered } from './escalation.ts';

const rule = (verbs: string[], apiGroups: string[], resources: string[], resourceNames?: string[]): PolicyRule => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});
const urls = (verbs: string[], ...nonResourceURLs: string[]): PolicyRule => ({ verbs, nonResourceURLs });

describe('what is missing', () => {
  it.each<[string, PolicyRule[], PolicyRule[], string[]]>([
    ['nothing of nothing', [], [], []],
    ['all without any', [], [rule(['get'], [''], ['pods'])], ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}']],
    ['nothing of the same', [rule(['get'], [''], ['pods'])], [rule(['get'], [''], ['pods'])], []],
    ['nothing of a part', [rule(['get', 'list'], ['', 'apps'], ['a', 'b'])], [rule(['list'], ['apps'], ['b'])], []],
    [
      'nothing that several rules hold together',
      [rule(['get'], [''], ['pods']), rule(['list'], [''], ['pods'])],
      [rule(['get', 'list'], [''], ['pods'])],
      [],
    ],
    [
      'a verb',
      [rule(['get'], [''], ['pods'])],
      [rule(['get', 'delete'], [''], ['pods'])],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}'],
    ],
    ['nothing of what a star holds', [rule(['*'], ['*'], ['*'])], [rule(['escalate'], ['x'], ['y/z'], ['n'])], []],
    [
      'a star of what is not a star',
      [rule(['get', 'list'], [''], ['pods'])],
      [rule(['*'], [''], ['pods'])],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
    ],
    [
      'nothing of a name within',
      [rule(['get'], [''], ['pods'], ['a', 'b'])],
      [rule(['get'], [''], ['pods'], ['b'])],
      [],
    ],
    [
      'all names of some',
      [rule(['get'], [''], ['pods'], ['a'])],
      [rule(['get'], [''], ['pods'])],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    ],
    [
      'nothing of a subresource of all',
      [rule(['get'], ['*'], ['*/scale'])],
      [rule(['get'], ['apps'], ['x/scale'])],
      [],
    ],
    [
      'the resource of a subresource',
      [rule(['get'], ['apps'], ['x/scale'])],
      [rule(['get'], ['apps'], ['x'])],
      ['{APIGroups:["apps"], Resources:["x"], Verbs:["get"]}'],
    ],
    ['nothing below a path', [urls(['get'], '/a/*')], [urls(['get'], '/a/b', '/a/*')], []],
    ['a path above', [urls(['get'], '/a/*')], [urls(['get'], '/a')], ['{NonResourceURLs:["/a"], Verbs:["get"]}']],
    [
      'paths of everything on resources',
      [rule(['*'], ['*'], ['*'])],
      [urls(['get'], '/a')],
      ['{NonResourceURLs:["/a"], Verbs:["get"]}'],
    ],
  ])('%s', (_, held, wanted, missing) => expect(uncovered(held, wanted).map(printRule)).toEqual(missing));
});

it('is said in upstream’s words', () => {
  const user = { name: 'bob', groups: ['devs', 'system:authenticated'] };
  const held = [rule(['get'], [''], ['pods'])];
  expect(problemOfGrant(user, held, held)).toBeUndefined();
  expect(problemOfGrant(user, held, [rule(['get', 'list', 'watch'], [''], ['pods', 'secrets'])])).toBe(
    'user "bob" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}\n' +
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
  );
});
