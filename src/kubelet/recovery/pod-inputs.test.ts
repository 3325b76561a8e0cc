import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../api/index.ts';
import { claimsOf, configsOf, imagesOf } from './pod-inputs.ts';

const spec: PodSpec = {
  imagePullSecrets: [{ name: 'pull' }],
  initContainers: [{ name: 'init', image: 'busybox', envFrom: [{ secretRef: { name: 'init-env' } }] }],
  containers: [
    {
      name: 'main',
      image: 'r.io/app:1',
      envFrom: [{ configMapRef: { name: 'all' } }, { configMapRef: { name: 'all' } }],
      env: [
        { name: 'A', value: 'x' },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'one', key: 'k' } } },
        { name: 'C', valueFrom: { secretKeyRef: { name: 'two', key: 'k' } } },
        { name: 'D', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
    },
    { name: 'side', image: 'r.io/side:2', imagePullPolicy: 'Always' },
    { name: 'odd', image: 'NO NAME' },
  ],
  volumes: [
    { name: 'a', configMap: { name: 'file' } },
    { name: 'b', secret: { secretName: 'key' } },
    { name: 'c', projected: { sources: [{ configMap: { name: 'part' } }, { secret: { name: 'key' } }] } },
    { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'e', ephemeral: {} },
    { name: 'f', image: { reference: 'r.io/files' } },
    { name: 'g', emptyDir: {} },
  ],
};
const pod = { metadata: { name: 'web', namespace: 'shop' }, spec };

describe('what a pod is made from', () => {
  it('its ConfigMaps and Secrets, each once', () => {
    expect(configsOf(pod).map(({ kind, name }) => `${kind}/${name}`)).toEqual([
      'Secret/init-env',
      'ConfigMap/one',
      'Secret/two',
      'ConfigMap/all',
      'ConfigMap/file',
      'Secret/key',
      'ConfigMap/part',
      'Secret/pull',
    ]);
    expect(configsOf({ spec: { containers: [] } })).toEqual([]);
  });

  it('its claims', () => expect(claimsOf(pod)).toEqual(['data', 'web-e']));

  it('images of those who wait, but for those that are always pulled; and of volumes', () => {
    expect(imagesOf(pod, new Set(['main', 'side', 'odd', 'init']))).toEqual([
      'busybox:latest',
      'r.io/app:1',
      'r.io/files:latest',
    ]);
    expect(imagesOf(pod, new Set())).toEqual(['r.io/files:latest']);
  });
});
