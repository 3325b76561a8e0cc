import { describe, expect, it } from 'vitest';
import { PERSISTENT_VOLUMES, PODS } from '../resources.ts';
import type { KubeObject } from '../resource.ts';
import { applyDefaults } from '../defaulting/defaults.ts';
import { nulErrors } from './no-nul.ts';
import { validateCreate } from './validate.ts';

const container = { name: 'c', image: 'x' };

function problems(kind: typeof PODS | typeof PERSISTENT_VOLUMES, spec: object): string[] {
  const given = { apiVersion: 'v1', kind: kind.kind, metadata: { name: 'p', namespace: 'n' }, spec };
  const object = applyDefaults<KubeObject>(kind, given);
  return validateCreate(kind, object).map(({ field }) => field);
}

describe('a NUL', () => {
  it.each<[string, object]>([
    ['spec.volumes[0].hostPath.path', { volumes: [{ name: 'v', hostPath: { path: '/x\0y' } }] }],
    ['spec.volumes[0].nfs.path', { volumes: [{ name: 'v', nfs: { server: 's', path: '/x\0' } }] }],
    [
      'spec.volumes[0].secret.items[0].path',
      { volumes: [{ name: 'v', secret: { secretName: 's', items: [{ key: 'k', path: 'a\0b' }] } }] },
    ],
    [
      'spec.volumes[0].configMap.items[0].path',
      { volumes: [{ name: 'v', configMap: { name: 's', items: [{ key: 'k', path: 'a\0b' }] } }] },
    ],
    [
      'spec.volumes[0].projected.sources[0].serviceAccountToken.path',
      { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: '\0' } }] } }] },
    ],
    [
      'spec.volumes[0].downwardAPI.items[0].path',
      { volumes: [{ name: 'v', downwardAPI: { items: [{ path: 'a\0', fieldRef: { fieldPath: 'metadata.name' } }] } }] },
    ],
    [
      'spec.containers[0].volumeMounts[0].mountPath',
      {
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/a\0' }] }],
      },
    ],
    [
      'spec.containers[0].volumeMounts[0].subPath',
      {
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/a', subPath: 'a\0b' }] }],
      },
    ],
    [
      'spec.containers[0].volumeMounts[0].subPathExpr',
      {
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/a', subPathExpr: 'a\0' }] }],
      },
    ],
    ['spec.containers[0].workingDir', { containers: [{ ...container, workingDir: '/a\0' }] }],
    ['spec.containers[0].command[0]', { containers: [{ ...container, command: ['a\0b'] }] }],
    ['spec.containers[0].args[1]', { containers: [{ ...container, args: ['a', '\0'] }] }],
    ['spec.containers[0].env[0].value', { containers: [{ ...container, env: [{ name: 'A', value: 'a\0b' }] }] }],
    ['spec.containers[0].image', { containers: [{ ...container, image: 'a\0b' }] }],
    ['spec.containers[0].terminationMessagePath', { containers: [{ ...container, terminationMessagePath: '/x\0' }] }],
    [
      'spec.containers[0].lifecycle.preStop.exec.command[0]',
      { containers: [{ ...container, lifecycle: { preStop: { exec: { command: ['\0'] } } } }] },
    ],
    ['spec.initContainers[0].command[0]', { initContainers: [{ name: 'i', image: 'x', command: ['\0'] }] }],
    ['spec.hostAliases[0].hostnames[0]', { hostAliases: [{ ip: '10.0.0.1', hostnames: ['a\0b'] }] }],
    [
      'spec.securityContext.seccompProfile.localhostProfile',
      { securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'a\0' } } },
    ],
  ])('is refused in %s', (field, spec) => {
    expect(problems(PODS, { containers: [container], ...spec })).toContain(field);
    expect(
      problems(
        PODS,
        JSON.parse(JSON.stringify({ containers: [container], ...spec }).replaceAll('\\u0000', 'z')) as object,
      ),
    ).not.toContain(field);
  });

  it('is refused in a volume of the cluster', () => {
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a\0b' } };
    expect(problems(PERSISTENT_VOLUMES, spec)).toContain('spec.hostPath.path');
  });

  it('is found in names of maps', () => {
    expect(nulErrors({ a: { 'b\0': 1 } }, 'spec').map(({ field }) => field)).toEqual(['spec.a']);
  });
});
