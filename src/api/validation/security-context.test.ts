import { expect, it } from 'vitest';
import { validatePodSecurityContext } from './security-context.ts';

const sysctls = (...names: string[]) =>
  validatePodSecurityContext({ sysctls: names.map((name) => ({ name, value: '1' })) }, 'spec.securityContext').map(
    ({ field, type }) => [field, type],
  );

it('takes the names of sysctls that a kernel may have, with dots or slashes', () => {
  expect(sysctls('kernel.shm_rmid_forced', 'net/ipv4/conf.default/x-y', 'a')).toEqual([]);
  expect(sysctls('foo-', 'kernel.shmmax', 'safe-and-unsafe', 'bar..', '', 'A', `${'a'.repeat(253)}b`)).toEqual(
    [0, 3, 5, 6]
      .map((n) => [`spec.securityContext.sysctls[${n}].name`, 'FieldValueInvalid'])
      .toSpliced(2, 0, ['spec.securityContext.sysctls[4].name', 'FieldValueRequired']),
  );
});

it('refuses to set a sysctl twice', () => {
  expect(sysctls('kernel.shmmax', 'kernel.msgmax', 'kernel.shmmax')).toEqual([
    ['spec.securityContext.sysctls[2].name', 'FieldValueDuplicate'],
  ]);
});
