/** Tests what is told of rights that an API server refuses, by its words or by the address of the request alone. */
import { describe, expect, it } from 'vitest';
import type { RoleBinding } from '../../../api/index.ts';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, RoleEvidence } from '../../evidence/pod-evidence.ts';
import { rightWanted } from '../../wanted.ts';
import { tellsEach } from './cases.fixtures.ts';

const ADDRESS =
  'requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: https://kubernetes.default.svc/apis/apps/v1/namespaces/shop/deployments';
const BINDING: RoleBinding = {
  kind: 'RoleBinding',
  metadata: { name: 'scale', namespace: 'shop' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'scale' },
  subjects: [{ kind: 'ServiceAccount', namespace: 'shop', name: 'scaler' }],
};
const role = (group: string, verbs: readonly string[]): RoleEvidence => ({
  kind: 'Role',
  name: 'scale',
  namespace: 'shop',
  rules: [{ apiGroups: [group], resources: ['deployments'], verbs: [...verbs] }],
});
const ended = (line: string, given: Partial<PodEvidence>) =>
  ({
    pod: pod({ spec: { serviceAccountName: 'scaler' }, status: crashed({ exitCode: 1 }) }),
    logs: lastWords(line),
    ...given,
  }) satisfies Partial<PodEvidence>;

describe('a right that is refused', () => {
  tellsEach([
    [
      'as only the address of the request tells, of a role with another API group',
      ended(ADDRESS, { bindings: [BINDING], roles: [role('', ['get', 'list'])] }),
      'not-allowed',
      /^container web may not list deployments: no role allows that to its service account shop\/scaler \(RoleBinding scale gives it Role scale, which names deployments in apiGroup "", and they are in "apps"\): requests/,
    ],
    [
      'in the words of the server, of a role without the verb',
      ended(
        'deployments.apps "api" is forbidden: User "system:serviceaccount:shop:scaler" cannot patch resource "deployments/scale" in API group "apps" in the namespace "shop"',
        { bindings: [BINDING], roles: [role('apps', ['get', 'patch'])] },
      ),
      'not-allowed',
      /may not patch deployments\/scale: .* gives it Role scale, which names deployments, and not deployments\/scale\)/,
    ],
    [
      'for another cause than a role, as the role holds it',
      ended(ADDRESS, { bindings: [BINDING], roles: [role('apps', ['list'])] }),
      'not-allowed',
      /is denied what it asks of its peer kubernetes\.default\.svc/,
    ],
    [
      'as only the address tells, of bindings that could not be read',
      ended(ADDRESS, {}),
      'not-allowed',
      /is denied what it asks of its peer kubernetes\.default\.svc/,
    ],
  ]);

  it('has the bindings read of the account of its pod, and is tried with its whole name', () => {
    expect(rightWanted(evidence(ended(ADDRESS, {})))).toMatchObject({
      account: { namespace: 'shop', name: 'scaler' },
      verb: 'list',
      group: 'apps',
      resource: 'deployments',
    });
    const [first] = diagnosePod(
      evidence(ended(ADDRESS, { bindings: [BINDING], roles: [role('', ['list'])] })),
    ).findings;
    expect(first?.try[0]).toBe(
      'kubectl auth can-i list deployments.apps --as=system:serviceaccount:shop:scaler -n shop',
    );
    expect(first?.try).toContain('kubectl edit role/scale -n shop');
  });
});
