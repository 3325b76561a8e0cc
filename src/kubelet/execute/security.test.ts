import { describe, expect, it } from 'vitest';
import type { Container, PodSecurityContext, SecurityContext } from '../../api/index.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import { containerSecurity, nonRootProblem, sandboxSecurity } from './security.ts';

const make = (own: SecurityContext = {}, shared: PodSecurityContext = {}) => {
  const container: Container = { name: 'main', image: 'i', securityContext: own };
  return { container, pod: testPod({ containers: [container], securityContext: shared }) };
};
const security = (
  own: SecurityContext,
  shared: PodSecurityContext = {},
  user?: Parameters<typeof containerSecurity>[2],
) => {
  const { container, pod } = make(own, shared);
  return containerSecurity(pod, container, user, SECCOMP);
};

const SECCOMP = { seccompDefault: false, seccompProfileRoot: '/agent/seccomp' };

describe('containerSecurity', () => {
  it('puts the container over the pod over the image', () => {
    expect(security({ runAsUser: 1 }, { runAsUser: 2 }, { uid: 3 }).runAsUser).toBe(1);
    expect(security({}, { runAsUser: 2 }, { uid: 3 }).runAsUser).toBe(2);
    expect(security({}, {}, { uid: 3 }).runAsUser).toBe(3);
    expect(security({}, {}, { username: 'www' })).toMatchObject({ runAsUsername: 'www' });
    expect(security({ runAsUser: 0 }, {}, { username: 'www' }).runAsUsername).toBeUndefined();
  });

  it('masks what upstream masks, unless privileged or told not to', () => {
    expect(security({}).maskedPaths).toContain('/proc/kcore');
    expect(security({}).readonlyPaths).toContain('/proc/sys');
    expect(security({ privileged: true }).maskedPaths).toEqual([]);
    expect(security({ procMount: 'Unmasked' }).readonlyPaths).toEqual([]);
  });

  it('takes no new privileges only when told so', () => {
    expect(security({}).noNewPrivileges).toBe(false);
    expect(security({ allowPrivilegeEscalation: true }).noNewPrivileges).toBe(false);
    expect(security({ allowPrivilegeEscalation: false }).noNewPrivileges).toBe(true);
  });

  it.each([
    [undefined, { type: 'Unconfined' }],
    [{ type: 'RuntimeDefault' }, { type: 'RuntimeDefault' }],
    [
      { type: 'Localhost', localhostProfile: 'p.json' },
      { type: 'Localhost', localhostRef: '/agent/seccomp/p.json' },
    ],
  ])('seccomp %j', (seccompProfile, expected) => {
    expect(security(seccompProfile === undefined ? {} : { seccompProfile }).seccomp).toEqual(expected);
    expect(security({}, seccompProfile === undefined ? {} : { seccompProfile }).seccomp).toEqual(expected);
  });

  it('adds groups and capabilities', () => {
    const own = { capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] }, readOnlyRootFilesystem: true };
    expect(security(own, { fsGroup: 5, supplementalGroups: [6] })).toMatchObject({
      addCapabilities: ['NET_ADMIN'],
      dropCapabilities: ['ALL'],
      readonlyRootfs: true,
      supplementalGroups: [5, 6],
    });
  });

  it("shares the host's namespaces only when told so", () => {
    const container = { name: 'main', image: 'i' };
    const host = testPod({ containers: [container], hostNetwork: true, hostPID: true, hostIPC: true });
    expect(containerSecurity(host, container, undefined, SECCOMP)).toMatchObject({
      network: 'node',
      pid: 'node',
      ipc: 'node',
    });
    expect(security({})).toMatchObject({ network: 'pod', pid: 'container', ipc: 'pod' });
  });
});

it('makes the sandbox privileged only for a privileged container', () => {
  expect(sandboxSecurity(make({ privileged: true }).pod).privileged).toBe(true);
  expect(sandboxSecurity(make().pod)).toMatchObject({ privileged: false, seccomp: { type: 'RuntimeDefault' } });
});

it.each<[string, SecurityContext, Parameters<typeof nonRootProblem>[2], string | undefined]>([
  ['not asked for', {}, { uid: 0 }, undefined],
  ['root by the spec', { runAsNonRoot: true, runAsUser: 0 }, undefined, "container's runAsUser breaks non-root policy"],
  ['a user by the spec', { runAsNonRoot: true, runAsUser: 7 }, { uid: 0 }, undefined],
  ['root by the image', { runAsNonRoot: true }, { uid: 0 }, 'container has runAsNonRoot and image will run as root'],
  ['no user in the image', { runAsNonRoot: true }, undefined, 'container has runAsNonRoot and image will run as root'],
  ['a user by the image', { runAsNonRoot: true }, { uid: 7 }, undefined],
  [
    'a name in the image',
    { runAsNonRoot: true },
    { username: 'www' },
    'image has non-numeric user (www), cannot verify user is non-root',
  ],
])('runAsNonRoot, %s', (_name, own, user, expected) => {
  const { container, pod } = make(own);
  const problem = nonRootProblem(pod, container, user);
  if (expected === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(expected);
});
