import { describe, expect, it } from 'vitest';
import { testPod } from './plan.fixtures.ts';
import { type ContainerKind, restartsAfterExit, restartsAfterProbeKill } from './restart-policy.ts';

describe('restartsAfterExit', () => {
  it.each<[string, ContainerKind, number, boolean]>([
    ['Always', 'app', 0, true],
    ['Always', 'app', 1, true],
    ['OnFailure', 'app', 0, false],
    ['OnFailure', 'app', 137, true],
    ['Never', 'app', 0, false],
    ['Never', 'app', 1, false],
    ['Always', 'init', 0, false],
    ['Always', 'init', 1, true],
    ['OnFailure', 'init', 1, true],
    ['Never', 'init', 1, false],
  ])('%s, %s container, exit %i: %s', (restartPolicy, kind, exitCode, expected) => {
    expect(restartsAfterExit(testPod({ restartPolicy }), { name: 'main' }, kind, exitCode)).toBe(expected);
  });

  it('restarts a sidecar under every policy', () => {
    const sidecar = { name: 'side', restartPolicy: 'Always' };
    expect(restartsAfterExit(testPod({ restartPolicy: 'Never' }), sidecar, 'sidecar', 0)).toBe(true);
  });

  it('puts the container over the pod, and rules over both', () => {
    const pod = testPod({ restartPolicy: 'Always' });
    expect(restartsAfterExit(pod, { name: 'main', restartPolicy: 'Never' }, 'app', 1)).toBe(false);
    const rules = {
      name: 'main',
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
    };
    expect(restartsAfterExit(pod, rules, 'app', 42)).toBe(true);
    expect(restartsAfterExit(pod, rules, 'app', 43)).toBe(false);
    const notIn = {
      ...rules,
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'NotIn', values: [42] } }],
    };
    expect(restartsAfterExit(pod, notIn, 'app', 43)).toBe(true);
  });
});

it.each([
  ['Always', true],
  ['OnFailure', true],
  ['Never', false],
])('a probe kill under %s restarts: %s', (restartPolicy, expected) => {
  expect(restartsAfterProbeKill(testPod({ restartPolicy }), { name: 'main' }, 'app')).toBe(expected);
});
